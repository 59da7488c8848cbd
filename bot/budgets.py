"""Money caps of a day: per person and per channel, checked before a run spends anything."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from bot.question import Question
from runtime.admission import Policy
from runtime.clock import Clock
from runtime.state import State


async def used_up(question: Question, policy: Policy, state: State, clock: Clock) -> str | None:
    """The cap that is used up today, as a sentence for the person, or None. A day begins at midnight in the time zone
    in force in the channel."""
    budgets, settings = policy.manifest.budgets, policy.manifest.channels.get(question.channel)
    channel_cap = (settings.budget_usd_day if settings else None) or budgets.channel_usd_day
    if budgets.person_usd_day is None and channel_cap is None:
        return None
    zone = policy.timezone(question.channel)
    spent = await state.turns.spent(since=_midnight(clock.now(), zone))
    person = sum(turn.usd for turn in spent if turn.asker == question.user)
    place = f"{question.team}:{question.channel}:"
    channel = sum(turn.usd for turn in spent if turn.conversation.startswith(place))
    if budgets.person_usd_day is not None and person >= budgets.person_usd_day:
        return _sentence("one person", budgets.person_usd_day, person, zone)
    if channel_cap is not None and channel >= channel_cap:
        return _sentence("this channel", channel_cap, channel, zone)
    return None


def _midnight(now: datetime, zone: str) -> datetime:
    return now.astimezone(ZoneInfo(zone)).replace(hour=0, minute=0, second=0, microsecond=0)


def _sentence(whose: str, cap: float, spent: float, zone: str) -> str:
    return (
        f"Today's budget of {cap:.2f} USD for {whose} is used up ({spent:.2f} USD spent). "
        f"It renews at midnight ({zone}); an operator can raise it in the manifest."
    )
