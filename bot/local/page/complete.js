// Completion while typing: people and apps after "@", the app's commands after "/".
import { el } from "./dom.js";

let made = 0;

/** Adds a list to `text`. `offers(before)` gives {from, options: [{label, hint, insert}]} or null for what stands left of the caret. */
export function completes(text, offers) {
  const id = `completion-${(made += 1)}`;
  const list = el("ul", { class: "completion", id, role: "listbox", "aria-label": "Completions", hidden: true });
  text.setAttribute("aria-autocomplete", "list");
  text.setAttribute("aria-controls", id);
  let [shown, chosen] = [null, 0];

  function hide() {
    shown = null;
    list.hidden = true;
    text.removeAttribute("aria-activedescendant");
  }

  function draw() {
    list.replaceChildren(...shown.options.map((option, n) => el("li", { id: `${id}-${n}`, role: "option", "aria-selected": String(n === chosen),
      onmousedown: (event) => { event.preventDefault(); take(n); } }, option.label, option.hint && el("small", {}, option.hint))));
    list.hidden = false;
    text.setAttribute("aria-activedescendant", `${id}-${chosen}`);
    list.children[chosen].scrollIntoView({ block: "nearest" });
  }

  function look() {
    shown = text.selectionStart === text.selectionEnd ? offers(text.value.slice(0, text.selectionStart)) : null;
    chosen = 0;
    if (shown?.options.length) draw();
    else hide();
  }

  function take(n) {
    const { from, options } = shown;
    text.setRangeText(options[n].insert, from, text.selectionStart, "end");
    hide();
    text.focus();
    look();
  }

  text.addEventListener("input", look);
  text.addEventListener("blur", hide);
  // Before the composer's own keys: a choice is no sending.
  text.addEventListener("keydown", (event) => {
    if (!shown || event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      chosen = (chosen + step + shown.options.length) % shown.options.length;
      draw();
    } else if (event.key === "Enter" || event.key === "Tab") take(chosen);
    else if (event.key === "Escape") hide();
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, { capture: true });
  return list;
}

/** What can follow `before`, in a world of people and apps; exact matches offer nothing more. */
export function offered(before, world) {
  const command = /^\/\S*( .*)?$/.exec(before);
  if (command) {
    const ways = world.apps.flatMap((app) => app.commands.flatMap((name) => app.usage_hint.split("|").map((way) => `${name} ${way.trim()}`)));
    const options = ways.filter((way) => way.startsWith(before) && way !== before).map((way) => ({ label: way, insert: typed(way) }));
    return { from: 0, options: options.filter((option) => option.insert !== before) };
  }
  const mention = /(?:^|\s)@(\S*)$/.exec(before);
  if (!mention) return null;
  const sought = mention[1].toLowerCase();
  const known = [...world.apps.map((app) => ({ name: app.name, hint: "app" })), ...world.people.map((p) => ({ name: p.name, hint: p.real_name }))];
  const options = known.filter((one) => one.name.toLowerCase().startsWith(sought) || one.hint.toLowerCase().startsWith(sought))
    .slice(0, 8).map((one) => ({ label: `@${one.name}`, hint: one.hint, insert: `@${one.name} ` }));
  return { from: before.length - mention[1].length - 1, options };
}

// Capitals in a way stand for what the person writes: they are not typed for them.
function typed(way) {
  const words = way.split(" ");
  const own = words.filter((word) => !/^[[A-Z]/.test(word));
  return own.join(" ") + (own.length < words.length ? " " : "");
}
