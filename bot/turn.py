"""One turn: from a kept question to its answer in the outbox and in the thread. Safe to begin again anywhere."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import structlog

from bot.address import Address
from bot.assembly import Analyst
from bot.attempt import Attempt
from bot.budgets import used_up
from bot.closed import NothingOpen, closed_meanwhile, nothing_open
from bot.conversation import TURNS_READ, history, rest_on_files
from bot.delivery import StatusBoard, deliveries_of
from bot.endings import FAILED, Ending, answered, failed, refused, retracted, said, stopped, withheld
from bot.grounds import ATTACHED
from bot.presence import SlackPresence
from bot.progress_bar import ProgressBar
from bot.question import Question, too_long
from bot.render.charts import chart_part, charted
from bot.render.files import FilePart
from bot.render.grouping import numerals_of
from bot.render.status import reading, working
from bot.shared_files.attached import Attached, attach
from bot.shared_files.shelf import Shelf
from bot.undo import undone
from runtime.admission.policy import WORKSPACE
from runtime.capability import Scope
from runtime.charts import NotDrawn, Painter
from runtime.deliveries import Outbox, Sender
from runtime.durable import Steps
from runtime.errors import CallError, StateError
from runtime.evidence import Evidence
from runtime.instructions import present_context
from runtime.progress import Progress, told_to
from runtime.run import RunRequest, RunResult, run
from runtime.state import Turn, TurnStart

log = structlog.get_logger(__name__)

WORKSPACE_DIFFERS = (
    "I was interrupted, and the files here are not those this question was begun with: figures of both would be mixed."
)


@dataclass(frozen=True, slots=True)
class TurnRunner:
    """Runs turns for the durable runner: `await runner(steps, turn_id)`. Raises StateError when the state can't be
    reached, and CancelledError at a shutdown; either way the turn is taken up again."""

    analyst: Analyst
    presence: SlackPresence
    outbox: Outbox
    sender: Sender
    status: StatusBoard
    shelf: Shelf
    end_requests: Callable[[str], Awaitable[None]]
    painter: Painter = field(default_factory=Painter)
    bar: ProgressBar = field(default_factory=ProgressBar)

    async def __call__(self, steps: Steps, turn_id: str) -> None:
        try:
            await self._answered_and_posted(steps, turn_id)
        except asyncio.CancelledError:
            if not steps.stop_requested:
                raise
            # The work takes note of a stop itself. Before it there is nothing to show, and behind it an answer is
            # ready, which goes out whole.
            await self.withdrawn(turn_id)

    async def given_up(self, turn_id: str) -> None:
        """The durable runner gave a turn up: the person is told, and the inbox row ends. An answer that was ready goes
        out as it is."""
        await self.end_requests(turn_id)
        attempt = await self._attempt(turn_id)
        if attempt is None:
            await self.analyst.state.inbox.finish(turn_id, "failed")
        else:
            await self._close(attempt, failed(attempt, "I could not finish this question.", turn_id))

    async def withdrawn(self, turn_id: str) -> None:
        """A person stopped a turn outside its work: one that had not begun ends with the same words as one that was at
        it, and an answer that was ready goes out as it is."""
        attempt = await self._attempt(turn_id)
        if attempt is None:
            await self._answers_nobody(turn_id)
        else:
            await self._close(attempt, stopped(attempt))

    async def _attempt(self, turn_id: str) -> Attempt | None:
        """A new attempt at the turn, or None when nobody asks its question any more."""
        item = await self.analyst.state.inbox.get(turn_id)
        return None if item is None or item.body is None else Attempt(turn_id, Question(**item.body))

    async def _answered_and_posted(self, steps: Steps, turn_id: str) -> None:
        attempt = await self._attempt(turn_id)
        if attempt is None:
            await self._answers_nobody(turn_id)
            return
        async with self.status.shown(attempt.question.channel, attempt.question.thread_ts):
            with self.analyst.uses.one():
                await self._answered(steps, attempt)
            drained = await self.outbox.deliver(turn_id, self.sender)
        if not drained.unfinished:
            await self.analyst.state.inbox.finish(turn_id)

    async def _close(self, attempt: Attempt, ending: Ending) -> None:
        """Ends a turn outside its work, unless it has its end, and posts what that left to be posted."""
        await self._begin(attempt)
        turn = await self._finish(attempt, ending)
        if not (await self.outbox.deliver(attempt.turn_id, self.sender)).unfinished:
            lost = turn.end is not None and turn.end.status == FAILED
            await self.analyst.state.inbox.finish(attempt.turn_id, "failed" if lost else "done")

    async def _answers_nobody(self, turn_id: str) -> None:
        """The question was deleted before its turn began, or before a crash that ended it: nothing is posted."""
        item = await self.analyst.state.inbox.get(turn_id)
        if item is None or item.state in ("done", "failed"):
            return
        await self.end_requests(turn_id)
        if await self.analyst.state.turns.get(turn_id) is not None:
            await self.analyst.state.turns.finish(turn_id, retracted().end)
        where = Address.parse(item.conversation)
        await self.status.never_begun(where.channel, where.thread_ts)
        await self.analyst.state.inbox.finish(turn_id)

    async def _answered(self, steps: Steps, attempt: Attempt) -> None:
        """Makes sure that the turn has its end, with its postings, in the state."""
        digest = await self._workspace_digest()
        turn = await self._begin(attempt, digest)
        if turn.end is not None:
            return
        if turn.start.workspace_digest != digest:
            log.warning("workspace_differs", turn_id=attempt.turn_id, began=turn.start.workspace_digest, now=digest)
            await self._finish(attempt, failed(attempt, WORKSPACE_DIFFERS, "workspace_differs"))
            return
        try:
            await self._finish(attempt, await self._work(steps, attempt))
        except asyncio.CancelledError:
            if not steps.stop_requested:
                raise
            await self._finish(attempt, await self._stopped(attempt))
        except StateError:
            raise
        except Exception as error:
            correlation = self.analyst.new_id()
            log.error("turn failed", turn_id=attempt.turn_id, correlation=correlation, exc_info=error)
            sentence = "Something failed while I was working on this."
            await self._finish(attempt, failed(attempt, sentence, correlation))

    async def _workspace_digest(self) -> str:
        """Of the files here; empty without any, which the tools will say."""
        workspace = self.analyst.workspace
        try:
            return "" if workspace is None else await workspace.digest()
        except CallError:
            return ""

    async def _begin(self, attempt: Attempt, workspace_digest: str = "") -> Turn:
        question = attempt.question
        return await self.analyst.state.turns.begin(
            TurnStart(
                turn_id=attempt.turn_id,
                conversation=str(question.address),
                asker=question.user,
                question=question.text,
                model=self.analyst.model.name,
                policy_revision=self.analyst.policy.revision,
                workspace_digest=workspace_digest,
            )
        )

    async def _finish(self, attempt: Attempt, ending: Ending) -> Turn:
        """The end and its postings, in one commit. Returns the turn that stands: the first end does."""
        question = attempt.question
        parts = deliveries_of(attempt.turn_id, question.channel, question.thread_ts, ending.messages, ending.files)
        return await self.analyst.state.turns.finish(attempt.turn_id, ending.end, deliveries=parts)

    async def _stopped(self, attempt: Attempt) -> Ending:
        """A run that a person stopped ends with the evidence it had; one whose question is gone ends in silence."""
        if await self._attempt(attempt.turn_id) is None:
            return retracted()
        await attempt.grounds.note_files(attempt.gathered)
        return await self._withheld(attempt) or stopped(attempt)

    async def _work(self, steps: Steps, attempt: Attempt) -> Ending:
        question = attempt.question
        refusal = self._unreadable(question) or await self._too_dear(question)
        if refusal is not None:
            return refused(refusal)
        place, asker = await self.presence.facts(question.channel, question.user)
        sources = self.analyst.sources(place, asker)
        attempt.grounds.opened |= self.analyst.policy.sight(sources)
        if question.undo:
            return said(attempt, await undone(self.analyst, self._scope(attempt, sources), question.undo))
        await self.analyst.opened.ready(sources)

        earlier = await self.analyst.state.turns.history(str(question.address), TURNS_READ)
        with told_to(self._large_files(question)):
            attached = await attach(
                self.shelf,
                question,
                place,
                asker,
                zone=self.analyst.policy.timezone(question.channel),
                folder_open=WORKSPACE in sources,
                look_back=self._may_have_missed(question, earlier),
            )
        grounds = attempt.grounds
        if attached.view is not None and not attached.beside_folder:
            grounds.opened[ATTACHED] = ""
        if attached.view is not None or WORKSPACE in sources:
            grounds.workspace = attached.view or self.analyst.workspace
        if not question.text:
            await grounds.note_all_files()
            return said(attempt, " ".join(filter(None, (attached.said, *attached.refused))))
        scope = attached.scope(self._scope(attempt, sources))
        nothing = None if scope.sources else nothing_open(self.analyst, place, asker)
        files = await grounds.catalog() if rest_on_files(earlier) else None
        before = history(earlier, self.analyst.limits.history_chars, grounds.opened, files)
        grounds.carried = before.rests_on
        request = RunRequest(
            scope=scope,
            question=question.text,
            context=await self._context(question, scope, place.kind, nothing, attached.notes),
            history=before.messages,
        )
        result = await self._run(steps, attempt, request, attached)
        await grounds.note_files(attempt.gathered)
        return await self._withheld(attempt) or await self._answer(attempt, result, nothing, attached.refused)

    def _scope(self, attempt: Attempt, sources: frozenset[str]) -> Scope:
        question = attempt.question
        zone = self.analyst.policy.timezone(question.channel)
        return self.analyst.scope(attempt.turn_id, str(question.address), question.user, zone, sources)

    async def _run(self, steps: Steps, attempt: Attempt, request: RunRequest, attached: Attached) -> RunResult:
        question = attempt.question

        async def progress(note: str) -> None:
            await self.status.say(question.channel, question.thread_ts, working(note))

        with told_to(self._large_files(question)):
            return await run(
                attached.wiring(self.analyst.wiring, self.presence),
                request,
                steps,
                progress=progress,
                seen=attempt.gathered.append,
            )

    def _large_files(self, question: Question) -> Callable[[Progress], Awaitable[None]]:
        """Says how far the reading of a large file has come."""

        async def large(file: Progress) -> None:
            await self.status.say(question.channel, question.thread_ts, reading(file))
            await self.bar(file)

        return large

    async def _withheld(self, attempt: Attempt) -> Ending | None:
        """Membership is asked again before an answer is posted (DESIGN 8): a place that was opened to others while the
        run went on gets one sentence instead of it."""
        question = attempt.question
        closed = await closed_meanwhile(self.analyst, self.presence, question.channel, question.user, attempt.used)
        return None if closed is None else withheld(attempt, closed.sentence, private=closed.private)

    def _may_have_missed(self, question: Question, earlier: Sequence[Turn]) -> bool:
        """Whether the thread may hold messages that were no questions to us: it began without us, or its channel wants
        us mentioned."""
        if question.thread_ts == question.ts or question.channel.startswith("D"):
            return False
        settings = self.analyst.policy.manifest.channels.get(question.channel)
        return not earlier or (settings is not None and settings.follow_up == "mention")

    def _unreadable(self, question: Question) -> str | None:
        if not question.text and not question.files:
            return "Ask me something about your data, for example: how many orders were there last month?"
        return too_long(question.text, self.analyst.limits.question_chars)

    async def _too_dear(self, question: Question) -> str | None:
        return await used_up(question, self.analyst.policy, self.analyst.state, self.analyst.clock)

    async def _context(
        self, question: Question, scope: Scope, kind: str, nothing: NothingOpen | None, notes: Sequence[str]
    ) -> str:
        person = await self.presence.person(question.user)
        return present_context(
            now=self.analyst.clock.now(),
            timezone=scope.timezone,
            asker=person.name,
            place="a direct message" if kind == "im" else f"channel {question.channel}",
            sources=scope.described(),
            notes=[nothing.sentence, *notes] if nothing else notes,
        )

    async def _answer(
        self, attempt: Attempt, result: RunResult, nothing: NothingOpen | None, unread: Sequence[str]
    ) -> Ending:
        pictures, missing = await self._pictures(result.evidence)
        answer = result.answer + missing
        if nothing and nothing.sentence not in answer:
            answer += f"\n\n({nothing.sentence})"
        # First, because it changes how the rest is read: the asker meant those files, too.
        answer = "".join(f"{sentence}\n\n" for sentence in unread) + answer
        numerals = numerals_of((await self.presence.person(attempt.question.user)).locale)
        return answered(attempt, result, answer, pictures, numerals, private=nothing is not None and nothing.private)

    async def _pictures(self, evidence: Sequence[Evidence]) -> tuple[tuple[FilePart, ...], str]:
        """The run's charts as PNG, and a sentence for those that could not be drawn: an answer never waits on one."""
        pictures: list[FilePart] = []
        missing = ""
        for item, chart in charted(evidence):
            try:
                pictures.append(chart_part(item, chart, await self.painter.png(chart)))
            except NotDrawn as error:
                log.warning("a chart could not be drawn", evidence=item.id, reason=str(error))
                missing += f"\n\n(The picture of {item.id} could not be drawn; its figures are in the evidence.)"
        return tuple(pictures), missing
