// The list of conversations and of people whose chair one may take.
import { el } from "./dom.js";

const ROLES = { member: "member", guest: "guest", external: "external" };

/** Draws the people into `box`, the present one chosen. */
export const drawPeople = (box, people, me) =>
  box.replaceChildren(...people.map((p) => el("option", { value: p.id, selected: p.id === me }, `${p.real_name} (${p.admin ? "approver" : ROLES[p.kind]})`)));

/** Draws the conversations into `nav`. `current` is the id of the open one, "home" for App Home. */
export function drawConversations(nav, world, current, open) {
  const tag = (word) => el("span", { class: "tag" }, ` · ${word}`);
  const entry = (id, title, ...tags) => el("button", { type: "button", "aria-current": id === current ? "page" : undefined, onclick: () => open(id) }, title, ...tags);
  nav.replaceChildren(
    el("h2", {}, "Channels"),
    ...world.channels.map((c) => entry(c.id, `# ${c.name}`, c.kind === "private" && tag("private"), c.shared && tag("shared"), c.archived && tag("archived"))),
    el("h2", {}, "Direct messages"),
    ...world.direct.map((c, n) => entry(c.id, world.apps[n].name)),
    el("h2", {}, "Apps"),
    entry("home", "App Home"));
}

/** Arrow keys walk through the entries of `nav`. */
export function walksByArrows(nav) {
  nav.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const entries = [...nav.querySelectorAll("button")];
    const at = entries.indexOf(document.activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    entries[(at + step + entries.length) % entries.length].focus();
  });
}
