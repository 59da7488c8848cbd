// The developer's panel: every API call and event with its JSON, as it happens.
import { el } from "./dom.js";
import { get } from "./server.js";

const EVERY_MS = 1000;
const MOST = 400;

/** Connects the panel's parts; `failed(text)` hears when it can't be read. */
export function wirePanel({ panel, entries, kind, open, close }, failed) {
  let [known, timer] = [{ calls: 0, deliveries: 0 }, null];

  async function read() {
    try {
      const { entries: fresh, ...next } = await get("wire", known);
      known = next;
      const atEnd = entries.scrollHeight - entries.scrollTop - entries.clientHeight < 60;
      entries.append(...fresh.map(entry));
      while (entries.children.length > MOST) entries.firstChild.remove();
      if (atEnd && fresh.length) entries.scrollTop = entries.scrollHeight;
    } catch (error) {
      failed(error.message);
      show(false);
    }
  }

  function show(wanted) {
    panel.hidden = !wanted;
    open.setAttribute("aria-expanded", String(wanted));
    clearInterval(timer);
    if (!wanted) return;
    read();
    timer = setInterval(read, EVERY_MS);
    close.focus();
  }

  open.addEventListener("click", () => show(panel.hidden));
  close.addEventListener("click", () => { show(false); open.focus(); });
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || panel.hidden || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    close.click();
  }, { capture: true });
  kind.addEventListener("change", () => { entries.dataset.only = kind.value; });
}

function entry(record) {
  const at = new Date(record.at * 1000).toLocaleTimeString([], { hour12: false });
  const made = el("details", { class: `entry ${record.way}${record.ok ? "" : " bad"}` },
    el("summary", {}, el("span", { class: "way" }, record.way === "call" ? "call" : "event"), el("b", {}, record.name), el("span", { class: "outcome" }, record.outcome), el("time", {}, at)));
  // The JSON is written out only for those who look at it.
  made.addEventListener("toggle", () => made.append(part("Sent", record.sent), record.answered ? part("Answered", record.answered) : ""), { once: true });
  return made;
}

const part = (title, value) => el("div", {}, el("h3", {}, title), el("pre", { tabindex: 0 }, JSON.stringify(value, null, 2)));
