"""Instructions: what the model is told, versioned, byte-stable and bounded."""

from runtime.instructions.context import present_context
from runtime.instructions.text import VERSION, instructions, sections

__all__ = ["VERSION", "instructions", "present_context", "sections"]
