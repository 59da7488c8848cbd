"""Listeners: thin handlers, one kind of payload each. They acknowledge and hand over."""
