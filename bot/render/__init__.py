"""Rendering: pure functions from answers and evidence to Slack messages; nothing here does I/O."""
