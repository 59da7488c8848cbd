// A list of messages that keeps what didn't change: open folds, sorted tables and the place of reading survive.
import { blocks } from "./blocks.js";
import { el } from "./dom.js";
import { files } from "./files.js";
import { mrkdwn } from "./mrkdwn.js";
import { atEnd, isAway, toEnd } from "./reading.js";

const clock = (ts) => new Date(Number(ts) * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });

/** Draws `messages` into `box`. `ctx` has names, apps, me, opened, and what can be done with a message. */
export function drawMessages(box, messages, statuses, ctx) {
  const wasAtEnd = ctx.fromQuestion ? atEnd(box) : !isAway(box);
  const known = new Map([...box.children].map((node) => [node.dataset.key, node]));
  const wanted = messages.map((message) => {
    const state = JSON.stringify([message, statuses[message.ts] || "", ctx.me, ctx.threadOf]);
    const key = `${ctx.place}/${message.ts}`;
    const old = known.get(key);
    if (old?.state === state) return old;
    const made = draw(message, statuses[message.ts], ctx);
    made.dataset.key = key;
    made.state = state;
    return made;
  });
  if (!wanted.length) wanted.push(el("div", { class: "empty" }, ...ctx.empty));
  if (wanted.length !== box.children.length || wanted.some((node, n) => box.children[n] !== node)) box.replaceChildren(...wanted);
  if (ctx.fromQuestion) return showQuestion(box, messages, wasAtEnd);
  if (wasAtEnd || box.dataset.place !== ctx.place || isMine(messages.at(-1), known, ctx)) toEnd(box);
  box.dataset.place = ctx.place;
  return undefined;
}

/** Whether the newest message just came and is this person's own, or for nobody else: they wait for it. */
const isMine = (newest, known, ctx) =>
  newest && !known.has(`${ctx.place}/${newest.ts}`) && (newest.is_ephemeral || newest.user === ctx.me);

/** A thread is read from its newest question on: what follows it doesn't push it out of sight. */
function showQuestion(box, messages, wasAtEnd) {
  const at = messages.findLastIndex((message) => !message.bot_id);
  const question = at >= 0 && box.children[at];
  if (!question || (question.dataset.key === box.dataset.question && !wasAtEnd)) return;
  box.dataset.question = question.dataset.key;
  box.scrollTop = Math.min(box.scrollHeight, question.offsetTop - box.offsetTop - 8);
}

function draw(message, status, ctx) {
  const app = ctx.apps[message.app_id];
  const author = app?.name || ctx.people[message.user] || ctx.names[message.user] || message.user || "unknown";
  const place = { ...ctx, key: `${ctx.place}/${message.ts}`, click: (element, blockId, chosen) => ctx.click(message, element, blockId, chosen) };
  const actions = ctx.actions(message);
  const inside = el("div", { class: "inside" }, el("div", { class: "by" }, el("b", { class: message.bot_id ? "app" : undefined }, author), el("time", {}, clock(message.ts)),
      message.edited && el("span", { class: "note" }, "edited"),
      message.is_ephemeral && el("span", { class: "note" }, "only visible to you")),
  ...body(message, place), files(message), ctx.replies(message), status && el("p", { class: "status", role: "status" }, status),
  actions.length && el("div", { class: "acts" }, ...actions));
  return el("article", { class: `message${message.is_ephemeral ? " private" : ""}`, "aria-label": `${author}, ${clock(message.ts)}` }, avatar(author, app), inside);
}

function avatar(author, app) {
  if (app) return el("img", { class: "avatar", src: "/page/icon.svg", alt: "", width: 34, height: 34 });
  const hue = [...author].reduce((sum, letter) => sum + letter.codePointAt(0), 0) % 6;
  return el("span", { class: `avatar c${hue}`, "aria-hidden": "true" }, [...author][0].toUpperCase());
}

function body(message, ctx) {
  // What a person typed is read from its text: the stored rich text keeps the marks unread.
  const typed = !message.bot_id && message.text;
  const parts = message.blocks?.length && !typed
    ? blocks(message.blocks, ctx)
    : message.text ? [el("div", { class: "text" }, ...mrkdwn(message.text, ctx.names))] : [];
  for (const attachment of message.attachments || []) {
    parts.push(el("blockquote", {}, ...(attachment.blocks ? blocks(attachment.blocks, ctx) : mrkdwn(attachment.text || attachment.fallback || "", ctx.names))));
  }
  return parts;
}
