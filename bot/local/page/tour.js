// The first minute: three questions that the demo's data answers, one click each.
import { el } from "./dom.js";

const DISMISSED = "footnote.tour.dismissed";

/** Draws the tour into `box` for a conversation: `questions` with those in `asked` ticked, folded for who is `onTheirOwn`; `ask(question)` asks. */
export function drawTour(box, questions, asked, onTheirOwn, ask) {
  box.hidden = !questions.length || localStorage.getItem(DISMISSED) === "yes";
  const state = JSON.stringify([questions, [...asked], onTheirOwn]);
  if (box.hidden || box.dataset.state === state) return;
  box.dataset.state = state;
  const left = questions.filter((question) => !asked.has(question)).length;
  const title = left === questions.length ? "Try a question, one click each"
    : left ? `${left} more to try. Open a fold under the answer to see how it was found`
      : "That was the tour. Now ask your own, or type /footnote to see the commands";
  const offered = questions.map((question) => el("button", { type: "button", class: asked.has(question) ? "asked" : undefined, onclick: (event) => {
    event.currentTarget.disabled = true;
    ask(question);
  } }, question));
  box.replaceChildren(
    left ? el("details", { open: !onTheirOwn }, el("summary", {}, title), el("div", { class: "questions" }, ...offered)) : el("strong", {}, title),
    el("button", { type: "button", class: "plain", "aria-label": "Close the tour", onclick: () => { localStorage.setItem(DISMISSED, "yes"); box.hidden = true; } }, "✕"));
}

/** Which tour questions stand among `messages`. */
export const askedOf = (questions, messages) =>
  new Set(questions.filter((question) => messages.some((message) => (message.text || "").includes(question))));

/** Whether `person` has said something among `messages` that is no tour question. */
export const asksOwn = (questions, messages, person) =>
  messages.some((message) => message.user === person && !message.bot_id && !questions.some((question) => (message.text || "").includes(question)));
