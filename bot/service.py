"""The running bot: opens everything in order, and closes it in the opposite order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.approvals.board import Board, card_of
from bot.approvals.office import Office, open_office
from bot.approvals.settling import begin_settling, end_requests_of
from bot.assembly import Analyst, open_analyst
from bot.background import Background
from bot.bolt import build_bolt
from bot.delivery import SlackSender, StatusBoard
from bot.http import HttpServer
from bot.identity import Identity, identify
from bot.intake import Intake
from bot.listeners.command import Command
from bot.listeners.home import Home
from bot.operators import tell_operators, tells_of_remote_changes
from bot.pacing import ChannelPacer, Pacer
from bot.presence import SlackPresence
from bot.question import Question
from bot.reloading import Reloading
from bot.replicas import Succession, end_at_once, joined
from bot.settings import Settings
from bot.shared_files.opening import open_shelf
from bot.shared_files.shelf import Shelf
from bot.slack_client import open_slack_client
from bot.sockets import Sockets
from bot.stopping import Stopping
from bot.turn import TurnRunner
from runtime.admission import Policy, PolicyInForce, load_manifest
from runtime.clock import Clock, NewId, SystemClock, random_id
from runtime.deliveries import Outbox
from runtime.durable import Durable
from runtime.errors import ConfigurationError, StateError
from runtime.models.port import Model
from runtime.state import Replica, State, open_state

log = structlog.get_logger(__name__)

GRACE_SECONDS = 10.0
# Raised by hand when turns begun by older code cannot be resumed by this one.
WORKFLOW_VERSION = "1"


@dataclass(frozen=True, slots=True)
class Running:
    """A bot that serves. `port` is where HTTP is served, None with Socket Mode."""

    identity: Identity
    analyst: Analyst
    durable: Durable
    port: int | None
    background: Background
    reloading: Reloading

    def warm_up(self) -> None:
        """Starts behind the bot's back what the first program would else wait for."""
        if self.analyst.python is not None:
            self.background.start(self.analyst.python.warm_up(), name="warm up the sealed interpreter")

    def reload(self) -> None:
        """Begins to take the manifest as it stands on the disk now into force."""
        self.background.start(self.reloading.asked(), name="reload the manifest")


@asynccontextmanager
async def running_bot(
    settings: Settings,
    *,
    clock: Clock | None = None,
    new_id: NewId = random_id,
    model: Model | None = None,
    pacer: Pacer | None = None,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    lost: Callable[[], None] = end_at_once,
) -> AsyncGenerator[Running]:
    """The bot from its first connection to its last. `sleep` is how it waits for people to decide; `lost` what it does
    once other replicas have taken over its work. Raises ConfigurationError or StateError when it must not start."""
    settings.require_slack()
    clock = clock or SystemClock()
    async with AsyncExitStack() as stack:
        slack, identity = await _connected(stack, settings, clock)
        state, me = await _remembering(stack, settings, clock, new_id, lost)
        in_force = PolicyInForce(Policy.of(load_manifest(settings.manifest)))
        background = Background()
        stack.push_async_callback(background.close, GRACE_SECONDS)
        board = _board(slack, identity, state, in_force, background, pacer or ChannelPacer(), clock, sleep)
        office = open_office(
            settings,
            board,
            identity.team,
            in_force,
            owner=me.id,
            clock=clock,
            new_id=new_id,
            parked=lambda run_id: durable.parked(run_id),
            sleep=sleep,
        )
        analyst = await open_analyst(
            settings,
            in_force,
            state,
            board.presence,
            clock=clock,
            new_id=new_id,
            model=model,
            approvals=office.desk,
            changed=tells_of_remote_changes(board, in_force),
        )
        stack.push_async_callback(analyst.close)
        reloading = await _reloading(stack, analyst, office, slack)
        succession = Succession(me, state, office, lambda: begin_settling(analyst, office, background))
        await succession.before_launch()
        shelf = await open_shelf(analyst, slack, sleep=sleep)
        stack.push_async_callback(shelf.rooms.close)
        runner = _runner(analyst, board, office, shelf)
        durable = await _launch(stack, settings, me, runner, office)
        stopping = Stopping(state, durable, runner.withdrawn, settings.alone, sleep)
        app = _bolt(slack, identity, runner, durable, board, office, stopping)
        await succession.after_launch(durable)
        _keep_up(stack, background, shelf.keep_up(), office.keep_up(), succession.keep_up(durable), stopping.keep_up())
        port = await _listen(stack, settings, app, analyst, clock)
        background.start(analyst.model.warm_up(), name="warm up the model's client")
        yield Running(identity, analyst, durable, port, background, reloading)


def _runner(analyst: Analyst, board: Board, office: Office, shelf: Shelf) -> TurnRunner:
    end_requests = partial(end_requests_of, analyst, office)
    return TurnRunner(analyst, board.presence, board.outbox, board.sender, board.status, shelf, end_requests)


def _keep_up(stack: AsyncExitStack, background: Background, *upkeep: Coroutine[None, None, None]) -> None:
    """What goes on as long as the process lives."""
    for work in upkeep:
        stack.callback(background.start(work, name=work.__qualname__).cancel)


def _bolt(
    slack: AsyncWebClient,
    identity: Identity,
    runner: TurnRunner,
    durable: Durable,
    board: Board,
    office: Office,
    stopping: Stopping,
) -> AsyncApp:
    """What Slack sends, and who takes it."""
    analyst, presence = runner.analyst, board.presence
    intake = Intake(
        board.state,
        lambda: analyst.policy,
        identity.bot_user,
        durable.enqueue,
        partial(_announce, board, board.status),
        board.background,
    )
    return build_bolt(
        slack,
        intake,
        Command(analyst, presence),
        Home(analyst, presence, slack),
        stopping,
        office.presses,
        runner.shelf,
    )


def _board(
    slack: AsyncWebClient,
    identity: Identity,
    state: State,
    in_force: PolicyInForce,
    background: Background,
    pacer: Pacer,
    clock: Clock,
    sleep: Callable[[float], Awaitable[None]],
) -> Board:
    """What is shown in Slack, and the way there through the outbox."""
    return Board(
        state=state,
        outbox=Outbox(state.deliveries, clock=clock),
        sender=SlackSender(slack, pacer, note=state.deliveries.note, edited=partial(card_of, state.deliveries)),
        status=StatusBoard(slack),
        presence=SlackPresence(
            slack,
            clock,
            team=identity.team,
            bot_user=identity.bot_user,
            groups=lambda: _groups(in_force.policy),
        ),
        background=background,
        zone=lambda channel: in_force.policy.timezone(channel),
        operators=lambda: in_force.policy.manifest.operators.users,
        sleep=sleep,
    )


async def _reloading(
    stack: AsyncExitStack,
    analyst: Analyst,
    office: Office,
    slack: AsyncWebClient,
) -> Reloading:
    """The manifest of this process beside the one in force, and what follows it from now on."""

    async def tell(text: str) -> None:
        await tell_operators(slack, analyst.policy.manifest.operators.users, text)

    background = office.board.background
    reloading = Reloading(analyst, background, office.alone, tell, office.presses.revalidate, office.sleep)
    await reloading.begin()
    stack.callback(background.start(reloading.keep_up(), name="follow the policy in force").cancel)
    return reloading


async def _connected(stack: AsyncExitStack, settings: Settings, clock: Clock) -> tuple[AsyncWebClient, Identity]:
    """The client, and who we are by it; what will not work as people expect is logged."""
    token = settings.slack_bot_token
    slack = await stack.enter_async_context(
        open_slack_client(token.get_secret_value() if token else None, settings.slack_base_url)
    )
    identity = await identify(slack.client, clock)
    for sentence in identity.warnings():
        log.warning(sentence)
    return slack.client, identity


async def _remembering(
    stack: AsyncExitStack, settings: Settings, clock: Clock, new_id: NewId, lost: Callable[[], None]
) -> tuple[State, Replica]:
    """The state, and this process among those that share it."""
    state = await asyncio.to_thread(open_state, settings.state_url, clock=clock, new_id=new_id)
    stack.callback(state.close)
    return state, await joined(stack, settings, state, new_id, lost)


async def _announce(board: Board, status: StatusBoard, question: Question) -> None:
    """The first sign of life: that we are at it, or what the thread waits for."""
    if not await board.answered_meanwhile(question):
        await status.thinking(question.channel, question.thread_ts)


async def _launch(
    stack: AsyncExitStack, settings: Settings, me: Replica, runner: TurnRunner, office: Office
) -> Durable:
    """The durable runner of this process; it is closed before everything that its turns use."""
    durable = Durable(
        database_url=settings.state_url,
        application_version=WORKFLOW_VERSION,
        executor_id=me.id,
        turn=runner,
        on_dead=runner.given_up,
    )
    await durable.launch()
    stack.push_async_callback(durable.close, GRACE_SECONDS)
    stack.callback(office.desk.close)
    return durable


async def _listen(
    stack: AsyncExitStack, settings: Settings, app: AsyncApp, analyst: Analyst, clock: Clock
) -> int | None:
    """Opens the way in last: nothing arrives before everything is ready. Returns the HTTP port, if there is one."""
    if settings.slack_app_token is not None:
        sockets = Sockets(app, settings.slack_app_token.get_secret_value())
        stack.push_async_callback(sockets.close)
        await sockets.start()
        return None

    async def ready() -> bool:
        if not analyst.in_force.agreed:
            return False  # said in the log by whoever found it
        try:
            await analyst.state.probe()
        except StateError as error:
            log.error("not ready: the state cannot be written", reason=str(error))
            return False
        return True

    secret = settings.slack_signing_secret
    if secret is None:
        raise ConfigurationError("HTTP is not served without SLACK_SIGNING_SECRET.")
    server = HttpServer(app, secret.get_secret_value(), port=settings.http_port, clock=clock, ready=ready)
    port = await server.start()
    stack.push_async_callback(server.close)
    return port


def _groups(policy: Policy) -> frozenset[str]:
    return frozenset(group for audience in policy.audiences().values() for group in audience.groups)
