"""The Anthropic adapter: the model port over the streaming Messages API."""

from runtime.models.anthropic.adapter import AnthropicModel

__all__ = ["AnthropicModel"]
