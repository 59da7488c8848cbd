// The page: who looks, at which conversation and thread; everything else is drawn from what the server says.
import { block } from "./blocks.js";
import { offered } from "./complete.js";
import { composer, takesDrops } from "./composer.js";
import { hideDialog, showView } from "./dialogs.js";
import { el } from "./dom.js";
import { drawMessages } from "./messages.js";
import { drawInvite } from "./invite.js";
import { follows, toTop } from "./reading.js";
import { act, get, listen } from "./server.js";
import { drawConversations, drawPeople, walksByArrows } from "./sidebar.js";
import { askedOf, asksOwn, drawTour } from "./tour.js";
import { wirePanel } from "./wire.js";

const $ = (id) => document.getElementById(id);
const state = { user: null, channel: null, thread: null, world: null, shownView: null, elsewhere: new Set(), seat: null, opened: new Map() };

const FAULTS = [
  ["rate_limit", "429 on the next post"], ["lose_reply", "Lose the next reply"], ["server_error", "HTTP 500 on the next post"],
  ["duplicate", "Deliver events twice"], ["delay", "Events 3 s late"], ["lose_acks", "Ignore the next ack"],
  ["drop_share", "Lose the next file share"], ["no_containers", "Refuse folds"], ["disconnect", "Break the sockets"], ["clear", "All well again"],
];

// -- what is known ---------------------------------------------------------------------------------------------

function names() {
  const { people, apps, channels } = state.world;
  return Object.fromEntries([...people.map((p) => [p.id, p.name]), ...apps.map((a) => [a.user, a.name]), ...channels.map((c) => [c.id, c.name])]);
}

function context(place, extra) {
  return {
    place, names: names(), people: Object.fromEntries(state.world.people.map((p) => [p.id, p.real_name])), me: state.user, opened: state.opened,
    apps: Object.fromEntries(state.world.apps.map((app) => [app.id, app])),
    click: (message, element, blockId, chosen) =>
      attempt(() => act("click", { user: state.user, channel: state.channel, ts: message.ts, action_id: element.action_id, block_id: blockId, chosen }), "button"),
    ...extra,
  };
}

async function attempt(work, what) {
  try {
    const outcome = await work();
    if (outcome.acked === false) notice(`The app did not answer this ${what} in time (${outcome.reason}).`);
    return outcome;
  } catch (error) {
    notice(error.message);
    return null;
  }
}

let noticeTimer;
function notice(text) {
  $("notice").textContent = text;
  $("notice").hidden = false;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => ($("notice").hidden = true), 5000);
}

// -- drawing ---------------------------------------------------------------------------------------------------

async function refreshWorld() {
  const asked = state.user;
  const world = await get("world", asked ? { user: asked } : {});
  // Another person may have sat down while the answer was on its way: theirs is being asked for, too.
  if (asked !== state.user) return;
  state.world = world;
  state.user = world.me;
  // A dialog belongs to the page that opened it: what is open when somebody sits down here was opened in another.
  if (state.seat !== state.user) state.elsewhere = new Set(world.views.map((view) => view.id));
  state.seat = state.user;
  const everyone = [...state.world.channels, ...state.world.direct];
  if (state.channel !== "home" && !everyone.some((channel) => channel.id === state.channel)) {
    state.channel = (everyone.find((channel) => channel.member) || everyone[0]).id;
    state.thread = null;
  }
  drawSidebar();
  drawViews();
}

function drawSidebar() {
  $("team").textContent = state.world.team;
  drawPeople($("person"), state.world.people, state.user);
  const focused = [...$("channels").querySelectorAll("button")].indexOf(document.activeElement);
  drawConversations($("channels"), state.world, state.channel, openConversation);
  if (focused >= 0) $("channels").querySelectorAll("button")[focused]?.focus();
}

async function refreshChannel() {
  const home = state.channel === "home";
  $("channel-composer").hidden = home;
  if (home) return drawHome();
  const asked = state.channel;
  const shown = await get(`channel/${state.channel}`, { user: state.user });
  // The person may have gone elsewhere while the answer was on its way.
  if (asked !== state.channel) return undefined;
  const { channel } = shown;
  $("channel-name").textContent = channel.kind === "im" ? state.world.apps[0].name : `# ${channel.name}`;
  $("channel-topic").textContent = channel.topic;
  channelComposer.disable(channel.archived ? "This channel is archived" : "");
  const replies = (message) => message.reply_count
    ? el("button", { type: "button", class: "replies", onclick: () => openThread(message.ts) }, `${message.reply_count} ${message.reply_count === 1 ? "reply" : "replies"}`) : null;
  drawMessages($("channel-messages"), shown.messages, shown.statuses, context(channel.id, {
    threadOf: state.thread, empty: emptyWords(channel), replies,
    actions: (message) => [...shortcuts(message), !message.is_ephemeral && el("button", { type: "button", class: "do", onclick: () => openThread(message.ts) }, "Reply")].filter(Boolean),
  }));
  const here = channel.member && !channel.archived && channel.app && !channel.outsiders;
  drawInvite($("invite"), !channel.app && !channel.archived, state.world.apps[0]?.name, () => attempt(() => act("invite", { user: state.user, channel: channel.id }), "invitation"));
  drawTour($("tour"), here ? state.world.tour : [], askedOf(state.world.tour, shown.messages), asksOwn(state.world.tour, shown.messages, state.user), askTour);
  return undefined;
}

function emptyWords(channel) {
  const name = state.world.apps[0]?.name;
  const first = channel.archived ? "This channel is archived." : !channel.app ? `Invite @${name} to ask here.` : channel.kind === "im" ? `Ask ${name} anything; nobody else reads this.` : `Mention @${name} with a question about your data.`;
  return [el("strong", {}, "Nothing was said here yet"), el("p", {}, first)];
}

async function askTour(question) {
  const direct = state.world.direct.some((channel) => channel.id === state.channel);
  const text = direct ? question : `@${state.world.apps[0].name} ${question}`;
  const said = await attempt(() => act("say", { user: state.user, channel: state.channel, text }), "question");
  if (said?.ts) openThread(said.ts);
}

function drawHome() {
  $("channel-name").textContent = "App Home";
  $("channel-topic").textContent = state.world.apps[0]?.name || "";
  $("tour").hidden = $("invite").hidden = true;
  const view = state.world.home;
  const place = "home";
  const ctx = view && context(place, { key: place, click: (element, blockId, chosen) => attempt(() => act("view-click", { user: state.user, view_id: view.id, action_id: element.action_id, chosen }), "button") });
  const box = $("channel-messages");
  box.replaceChildren(el("div", { class: "home" }, ...(view ? view.blocks.map((b) => block(b, ctx)) : [el("p", { class: "empty" }, "The app has not published a page for you.")])));
  if (box.dataset.place !== place) toTop(box);
  box.dataset.place = place;
}

async function refreshThread() {
  $("thread").hidden = !state.thread;
  document.body.classList.toggle("with-thread", Boolean(state.thread));
  if (!state.thread) return;
  const asked = state.thread;
  const shown = await get(`thread/${state.channel}/${state.thread}`, { user: state.user });
  if (asked !== state.thread) return;
  drawMessages($("thread-messages"), shown.messages, {}, context(`${state.channel}/${state.thread}`, {
    empty: ["This thread is gone."], replies: () => null, actions: shortcuts, fromQuestion: true,
  }));
  $("thread-status").hidden = !shown.status;
  $("thread-doing").textContent = [shown.status, shown.loading[0]].filter(Boolean).join(" · ");
  threadComposer.disable(shown.gone ? "The first message was deleted" : "");
}

function shortcuts(message) {
  if (message.is_ephemeral || message.bot_id) return [];
  return state.world.apps.flatMap((app) => Object.entries(app.shortcuts).map(([id, title]) =>
    el("button", { type: "button", class: "do", onclick: () => attempt(() => act("shortcut", { user: state.user, channel: state.channel, ts: message.ts, callback_id: id }), "shortcut") }, title)));
}

function drawViews() {
  const view = state.world.views.filter((each) => !state.elsewhere.has(each.id)).at(-1);
  if (!view) {
    if (state.shownView) hideDialog();
    state.shownView = null;
    return;
  }
  if (state.shownView === view.hash + JSON.stringify(view.errors || {})) return;
  state.shownView = view.hash + JSON.stringify(view.errors || {});
  const ctx = context(view.id, { key: view.id, click: (element, blockId, chosen) => attempt(() => act("view-click", { user: state.user, view_id: view.id, action_id: element.action_id, chosen }), "button") });
  showView(view, (b) => block(b, ctx), {
    submit: (values) => attempt(() => act("view-submit", { user: state.user, view_id: view.id, values }), "form").then(() => soon()),
    close: () => attempt(() => act("view-close", { user: state.user, view_id: view.id }), "form").then(() => soon()),
  });
}

// -- moving about ------------------------------------------------------------------------------------------------

const pane = (name) => (document.body.dataset.pane = name);

async function openConversation(id) {
  [state.channel, state.thread] = [id, null];
  pane("channel");
  remember();
  drawSidebar();
  await visitHome();
  await refresh();
}

// Whoever looks at the app's page opens it, also by a reload or from another chair: that is when the app publishes it.
const visitHome = async () => state.channel === "home" && attempt(() => act("home", { user: state.user }), "page").then(refreshWorld);

function openThread(ts) {
  state.thread = ts;
  pane("thread");
  remember();
  refresh().then(() => $("thread-composer").querySelector("textarea").focus({ preventScroll: true }));
}

function closeThread() {
  state.thread = null;
  pane("channel");
  remember();
  refresh();
}

const remember = () => history.replaceState(null, "", `#${[state.user, state.channel, state.thread].filter(Boolean).join("/")}`);

function recall() {
  [state.user, state.channel, state.thread] = location.hash.slice(1).split("/").map((part) => part || null);
  if (state.thread) pane("thread");
}

// -- living ------------------------------------------------------------------------------------------------------

const refresh = () => Promise.all([refreshChannel(), refreshThread()]).catch((error) => notice(error.message));

let pending = null;
function soon(change) {
  // Many changes at once are one drawing.
  const wide = !change || ["connected", "view", "channels"].includes(change.kind);
  if (pending) {
    pending.wide ||= wide;
    return;
  }
  pending = { wide };
  setTimeout(async () => {
    const { wide: everything } = pending;
    pending = null;
    if (everything) await refreshWorld().catch((error) => notice(error.message));
    await refresh();
  }, 40);
}

const where = () => ({ user: state.user, channel: state.channel });
const told = (outcome, typed) => outcome.acked === false && notice(`${typed.split(" ")[0]} failed: the app did not answer in time.`);
const offers = (before) => state.world && offered(before, state.world);
const channelComposer = composer($("channel-composer"), "Message, or /footnote help", where, told, notice, offers);
const threadComposer = composer($("thread-composer"), "Reply…", () => ({ ...where(), thread_ts: state.thread }), told, notice, offers);

$("person").addEventListener("change", (event) => {
  state.user = event.target.value;
  state.thread = null;
  remember();
  visitHome().then(() => soon());
});
$("close-thread").addEventListener("click", closeThread);
$("stop").addEventListener("click", () => attempt(() => act("stop", { user: state.user, channel: state.channel, thread_ts: state.thread }), "button"));
for (const back of document.querySelectorAll(".back")) {
  back.addEventListener("click", () => (back.dataset.go === "channel" ? closeThread() : pane("sidebar")));
}
takesDrops(document.querySelector("main"), channelComposer);
takesDrops($("thread"), threadComposer);
$("faults").querySelector(".buttons").append(...FAULTS.map(([name, title]) =>
  el("button", { type: "button", onclick: () => attempt(() => act("fault", { user: state.user, name }), "switch").then((done) => done && notice(title)) }, title)));

walksByArrows($("channels"));
follows($("channel-messages"));
wirePanel({ panel: $("wire"), entries: $("wire-entries"), kind: $("wire-kind"), open: $("wire-open"), close: $("wire-close") }, notice);
addEventListener("keydown", (event) => event.key === "Escape" && !event.defaultPrevented && state.thread && !$("dialog").open && closeThread());

recall();
refreshWorld().then(async () => {
  remember();
  await visitHome();
  return refresh();
}).then(() => listen(soon)).catch((error) => notice(error.message));
