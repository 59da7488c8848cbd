"""What a token costs, by model, as a table of data."""

from __future__ import annotations

from dataclasses import dataclass, replace

from runtime.models.port import Usage

_LONG_PROMPT = 100_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens. A cache write (five minutes) costs 1.25 times the input."""

    input: float
    output: float
    cache_read: float


# Published list prices, read 2026-11-30. The longest matching prefix wins; an unknown model is counted at 0 USD,
# and `footnote check` says that its price is not known.
PRICES: dict[str, Price] = {
    "claude-fable-5-1": Price(10.0, 50.0, 0.25),
    "claude-fable-5-2": Price(10.0, 50.0, 0.25),
    "claude-fable-5": Price(10.0, 50.0, 1.0),
    "claude-mythos-5-1": Price(10.0, 50.0, 0.25),
    "claude-mythos-5": Price(10.0, 50.0, 1.0),
    "claude-opus-5-5": Price(4.0, 20.0, 0.20),
    "claude-opus-5": Price(5.0, 25.0, 0.50),
    "claude-opus-4": Price(5.0, 25.0, 0.50),
    "claude-sonnet-5-5": Price(2.0, 10.0, 0.10),
    "claude-sonnet-5": Price(2.0, 10.0, 0.20),
    "claude-sonnet-4": Price(3.0, 15.0, 0.30),
    "claude-haiku-5-5": Price(0.10, 0.50, 0.01),
    "claude-haiku-4": Price(1.0, 5.0, 0.10),
}
_LONG_PROMPT_PRICES: dict[str, Price] = {"claude-haiku-5-5": Price(0.50, 2.50, 0.05)}


def known(model: str) -> str | None:
    """The prefix under which a model's price is listed, or None."""
    return max((prefix for prefix in PRICES if model.startswith(prefix)), key=len, default=None)


def price(model: str, usage: Usage) -> Usage:
    """The usage with its cost in US dollars; 0 when the model's price is not known."""
    prefix = known(model)
    if prefix is None:
        return usage
    prompt = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    rate = _LONG_PROMPT_PRICES.get(prefix, PRICES[prefix]) if prompt > _LONG_PROMPT else PRICES[prefix]
    millionths = (
        usage.input_tokens * rate.input
        + usage.output_tokens * rate.output
        + usage.cache_read_tokens * rate.cache_read
        + usage.cache_write_tokens * rate.input * 1.25
    )
    return replace(usage, usd=round(millionths / 1_000_000, 6))
