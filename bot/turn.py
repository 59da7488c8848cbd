"""One turn: from a kept question to its answer in the outbox and in the thread. Safe to begin again anywhere."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import structlog

from bot.address import Address
from bot.assembly import Analyst
from bot.budgets import used_up
from bot.closed import NothingOpen, closed_meanwhile, nothing_open
from bot.conversation import RETRACTED, TURNS_READ, history
from bot.delivery import StatusBoard, deliveries_of
from bot.grounds import ATTACHED, Grounds
from bot.presence import SlackPresence
from bot.progress_bar import ProgressBar
from bot.question import Question, too_long
from bot.render.answer import AnswerView, answer_messages
from bot.render.blocks import SlackMessage
from bot.render.charts import chart_part, charted
from bot.render.failure import failure_message, plain_message
from bot.render.files import FilePart, result_files
from bot.render.grouping import numerals_of
from bot.render.private_offer import with_private_offer
from bot.render.status import reading, working
from bot.shared_files.attached import attach
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
from runtime.run import RunRequest, RunResult, Status, run
from runtime.state import Turn, TurnEnd, TurnStart

log = structlog.get_logger(__name__)

WORKSPACE_DIFFERS = (
    "I was interrupted, and the files here are not those this question was begun with: figures of both would be mixed."
)
STOPPED = "Stopped. Ask again to start over."
STOPPED_MIDWAY = "Stopped. What was gathered until then is below; ask again to start over."


@dataclass(frozen=True, slots=True)
class TurnRunner:
    """Runs turns for the durable runner: `await runner(steps, turn_id)`."""

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
        item = await self.analyst.state.inbox.get(turn_id)
        if item is None or item.body is None:
            await self._answers_nobody(turn_id)
            return
        question = Question(**item.body)
        async with self.status.shown(question.channel, question.thread_ts):
            with self.analyst.uses.one():
                await self._answered(steps, turn_id, question)
            drained = await self.outbox.deliver(turn_id, self.sender)
        if not drained.unfinished:
            await self.analyst.state.inbox.finish(turn_id)

    async def given_up(self, turn_id: str) -> None:
        """The durable runner gave a turn up: the person is told, and the inbox row ends. An answer that was ready goes
        out as it is."""
        await self.end_requests(turn_id)
        item = await self.analyst.state.inbox.get(turn_id)
        if item is not None and item.body is not None:
            question = Question(**item.body)
            await self._begin(turn_id, question)
            await self._fail(turn_id, question, "I could not finish this question.", turn_id)
            if (await self.outbox.deliver(turn_id, self.sender)).unfinished:
                return
        await self.analyst.state.inbox.finish(turn_id, "failed")

    async def withdrawn(self, turn_id: str) -> None:
        """A person stopped a turn before it began: it ends with the same words as one that was running."""
        item = await self.analyst.state.inbox.get(turn_id)
        if item is not None and item.body is not None:
            question = Question(**item.body)
            await self._begin(turn_id, question)
            await self._finish(turn_id, question, TurnEnd("stopped", STOPPED), [plain_message(STOPPED)])
            if (await self.outbox.deliver(turn_id, self.sender)).unfinished:
                return
            await self.analyst.state.inbox.finish(turn_id)
        else:
            await self._answers_nobody(turn_id)

    async def _answers_nobody(self, turn_id: str) -> None:
        """The question was deleted before its turn began, or before a crash that ended it: nothing is posted."""
        item = await self.analyst.state.inbox.get(turn_id)
        if item is None or item.state in ("done", "failed"):
            return
        await self.end_requests(turn_id)
        if await self.analyst.state.turns.get(turn_id) is not None:
            await self.analyst.state.turns.finish(turn_id, TurnEnd(RETRACTED, ""))
        where = Address.parse(item.conversation)
        await self.status.never_begun(where.channel, where.thread_ts)
        await self.analyst.state.inbox.finish(turn_id)

    async def _answered(self, steps: Steps, turn_id: str, question: Question) -> None:
        """Makes sure that the turn has its end, with its postings, in the state."""
        digest = await self._workspace_digest()
        turn = await self._begin(turn_id, question, digest)
        if turn.end is not None:
            return
        if turn.start.workspace_digest != digest:
            log.warning("workspace_differs", turn_id=turn_id, began=turn.start.workspace_digest, now=digest)
            await self._fail(turn_id, question, WORKSPACE_DIFFERS, "workspace_differs")
            return
        gathered, grounds = list[Evidence](), Grounds()
        try:
            await self._work(steps, turn_id, question, gathered, grounds)
        except asyncio.CancelledError:
            if not steps.stop_requested:
                raise
            await self._stopped(turn_id, question, gathered, grounds)
        except StateError:
            raise
        except Exception as error:
            correlation = self.analyst.new_id()
            log.error("turn failed", turn_id=turn_id, correlation=correlation, exc_info=error)
            await self._fail(turn_id, question, "Something failed while I was working on this.", correlation)

    async def _workspace_digest(self) -> str:
        """Of the files here; empty without any, which the tools will say."""
        workspace = self.analyst.workspace
        try:
            return "" if workspace is None else await workspace.digest()
        except CallError:
            return ""

    async def _begin(self, turn_id: str, question: Question, workspace_digest: str = "") -> Turn:
        return await self.analyst.state.turns.begin(
            TurnStart(
                turn_id=turn_id,
                conversation=str(question.address),
                asker=question.user,
                question=question.text,
                model=self.analyst.model.name,
                policy_revision=self.analyst.policy.revision,
                workspace_digest=workspace_digest,
            )
        )

    async def _stopped(self, turn_id: str, question: Question, gathered: Sequence[Evidence], grounds: Grounds) -> None:
        """A run that a person stopped ends with the evidence it had; one whose question is gone ends in silence."""
        item = await self.analyst.state.inbox.get(turn_id)
        if item is None or item.body is None:
            await self._finish(turn_id, question, TurnEnd(RETRACTED, ""), [])
            return
        if await self._withheld(turn_id, question, gathered, grounds):
            return
        text = STOPPED_MIDWAY if gathered else STOPPED
        end = TurnEnd("stopped", text, evidence_index=_index(gathered), rests_on=grounds.rests_on(gathered))
        view = AnswerView("", text, "", tuple(gathered), frozenset(), turn_id, asker=question.user)
        await self._finish(turn_id, question, end, answer_messages(view) if gathered else [plain_message(text)])

    async def _work(
        self, steps: Steps, turn_id: str, question: Question, gathered: list[Evidence], grounds: Grounds
    ) -> None:
        refusal = self._unreadable(question) or await self._too_dear(question)
        if refusal is not None:
            await self._finish(turn_id, question, TurnEnd("refused", refusal), [plain_message(refusal)])
            return
        place, asker = await self.presence.facts(question.channel, question.user)
        zone = self.analyst.policy.timezone(question.channel)
        sources = self.analyst.sources(place, asker)
        grounds.opened |= self.analyst.policy.sight(sources)
        if question.undo:
            scope = self.analyst.scope(turn_id, str(question.address), question.user, zone, sources)
            said = await undone(self.analyst, scope, question.undo)
            await self._say(turn_id, question, said, grounds)
            return
        await self.analyst.opened.ready(sources)

        earlier = await self.analyst.state.turns.history(str(question.address), TURNS_READ)
        large = self._large_files(question)
        with told_to(large):
            attached = await attach(
                self.shelf,
                question,
                place,
                asker,
                folder_open=WORKSPACE in sources,
                look_back=self._may_have_missed(question, earlier),
            )
        if attached.view is not None and not attached.beside_folder:
            grounds.opened[ATTACHED] = ""
        if not question.text:
            said = " ".join(filter(None, (attached.said, *attached.refused)))
            await self._say(turn_id, question, said, grounds)
            return
        scope = attached.scope(self.analyst.scope(turn_id, str(question.address), question.user, zone, sources))
        nothing = None if scope.sources else nothing_open(self.analyst, place, asker)
        before = history(earlier, self.analyst.limits.history_chars, grounds.opened)
        grounds.carried = before.sources
        request = RunRequest(
            scope=scope,
            question=question.text,
            context=await self._context(question, scope, place.kind, nothing, attached.notes),
            history=before.messages,
        )

        async def progress(note: str) -> None:
            await self.status.say(question.channel, question.thread_ts, working(note))

        with told_to(large):
            result = await run(
                attached.wiring(self.analyst.wiring, self.presence),
                request,
                steps,
                progress=progress,
                seen=gathered.append,
            )
        if not await self._withheld(turn_id, question, result.evidence, grounds):
            await self._post(turn_id, question, result, grounds, nothing, attached.refused)

    async def _withheld(self, turn_id: str, question: Question, evidence: Sequence[Evidence], grounds: Grounds) -> bool:
        """Membership is asked again before an answer is posted (DESIGN 8): a place that was opened to others while the
        run went on gets one sentence instead of it."""
        used = grounds.used(evidence)
        closed = await closed_meanwhile(self.analyst, self.presence, question.channel, question.user, used)
        if closed is None:
            return False
        messages: Sequence[SlackMessage] = [plain_message(closed.sentence)]
        if closed.private:
            messages = with_private_offer(messages, turn_id)
        await self._finish(turn_id, question, TurnEnd("refused", closed.sentence), messages)
        return True

    def _large_files(self, question: Question) -> Callable[[Progress], Awaitable[None]]:
        """Says how far the reading of a large file has come."""

        async def large(file: Progress) -> None:
            await self.status.say(question.channel, question.thread_ts, reading(file))
            await self.bar(file)

        return large

    async def _say(self, turn_id: str, question: Question, said: str, grounds: Grounds) -> None:
        """An answer of our own words alone, which may tell of whatever is open."""
        end = TurnEnd("answered", said, rests_on=grounds.opened)
        await self._finish(turn_id, question, end, [plain_message(said)])

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

    async def _post(
        self,
        turn_id: str,
        question: Question,
        result: RunResult,
        grounds: Grounds,
        nothing: NothingOpen | None,
        unread: Sequence[str],
    ) -> None:
        cited = frozenset(result.verification.cited)
        pictures, missing = await self._pictures(result.evidence)
        files = (*pictures, *result_files(result.evidence, cited))
        answer = result.answer + missing
        if nothing and nothing.sentence not in answer:
            answer += f"\n\n({nothing.sentence})"
        # First, because it changes how the rest is read: the asker meant those files, too.
        answer = "".join(f"{sentence}\n\n" for sentence in unread) + answer
        view = AnswerView(
            summary_text="",
            answer_markdown=answer,
            verification_line=result.verification.line,
            evidence=result.evidence,
            cited=cited,
            run_id=turn_id,
            asker=question.user,
            files=files,
            numerals=numerals_of((await self.presence.person(question.user)).locale),
        )
        messages = list(answer_messages(view))
        if nothing and nothing.private:
            messages = with_private_offer(messages, turn_id)
        if result.status is Status.MODEL_FAILED:
            failed = failure_message("You can try again when the model is back.", turn_id, retry_value=turn_id)
            messages.append(failed)
        end = TurnEnd(
            status=result.status.value,
            answer=answer,
            evidence_index=_index(result.evidence),
            usage=asdict(result.usage),
            verification=result.verification.as_json(),
            rests_on=grounds.rests_on(result.evidence),
        )
        await self._finish(turn_id, question, end, messages, files)

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

    async def _fail(self, turn_id: str, question: Question, sentence: str, correlation: str) -> None:
        message = failure_message(sentence, correlation, retry_value=turn_id)
        await self._finish(turn_id, question, TurnEnd("failed", sentence), [message])

    async def _finish(
        self,
        turn_id: str,
        question: Question,
        end: TurnEnd,
        messages: Sequence[SlackMessage],
        files: Sequence[FilePart] = (),
    ) -> None:
        """The end and its postings, in one commit."""
        parts = deliveries_of(turn_id, question.channel, question.thread_ts, messages, files)
        await self.analyst.state.turns.finish(turn_id, end, deliveries=parts)


def _index(evidence: Sequence[Evidence]) -> list[dict[str, Any]]:
    """What a later turn is told of the evidence: names only."""
    return [{"id": item.id, "tool": item.tool, "title": item.title, "status": item.status} for item in evidence]
