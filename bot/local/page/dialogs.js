// Dialogs: a button's confirmation, modals with inputs, a picture at its full size.
import { el } from "./dom.js";

const dialog = () => document.getElementById("dialog");

/** Shows a confirm object; resolves to whether the person said yes. */
export function confirmed(confirm, names, words) {
  return new Promise((resolve) => {
    const box = dialog();
    const end = (answer) => () => { box.close(); resolve(answer); };
    box.onclose = null;
    box.replaceChildren(el("h2", { id: "dialog-title" }, confirm.title.text), el("p", { class: "text" }, ...words(confirm.text, names)),
      el("div", { class: "buttons" }, el("button", { type: "button", onclick: end(false) }, confirm.deny.text),
        el("button", { type: "button", class: confirm.style === "danger" ? "danger" : "primary", onclick: end(true) }, confirm.confirm.text)));
    box.oncancel = end(false);
    box.showModal();
  });
}

/** Shows a picture as large as the window allows. */
export function showPicture(url, title, alt) {
  const box = dialog();
  const close = el("button", { type: "button", onclick: () => box.close() }, "Close");
  box.replaceChildren(el("h2", { id: "dialog-title" }, title), el("img", { src: url, alt }),
    el("div", { class: "buttons" }, el("a", { class: "download", href: url, download: title }, "Download"), close));
  box.className = "wide";
  box.oncancel = null;
  box.onclose = () => { box.className = ""; };
  box.showModal();
  close.focus();
}

const INPUTS = {
  plain_text_input: (e) => el(e.multiline ? "textarea" : "input", { type: "text", value: e.multiline ? undefined : e.initial_value, maxlength: e.max_length }, e.multiline ? e.initial_value || "" : ""),
  static_select: (e) => el("select", {}, ...e.options.map((o) => el("option", { value: o.value, selected: o.value === e.initial_option?.value }, o.text.text))),
};

function input(b) {
  const make = INPUTS[b.element.type];
  if (!make) return el("div", { class: "unknown" }, `This page doesn't know the input “${b.element.type}”.`);
  const field = make(b.element);
  Object.assign(field.dataset, { block: b.block_id || "", action: b.element.action_id || "", type: b.element.type });
  return el("label", {}, b.label.text, field, b.hint && el("small", {}, b.hint.text));
}

function values(box) {
  const found = {};
  for (const field of box.querySelectorAll("[data-action]")) {
    const { block, action, type } = field.dataset;
    const chosen = field.selectedOptions?.[0];
    found[block] = { [action]: chosen
      ? { type, selected_option: { text: { type: "plain_text", text: chosen.textContent }, value: chosen.value } }
      : { type, value: field.value || null } };
  }
  return found;
}

/** Shows an open view. `submit(values)` and `close()` tell the app. */
export function showView(view, draw, { submit, close }) {
  const box = dialog();
  const errors = view.errors || {};
  const parts = view.blocks.map((b) => (b.type === "input"
    ? el("div", {}, input(b), errors[b.block_id] && el("p", { class: "error", role: "alert" }, errors[b.block_id]))
    : draw(b)));
  box.replaceChildren(el("h2", { id: "dialog-title" }, view.title?.text || ""), ...parts,
    el("div", { class: "buttons" }, el("button", { type: "button", onclick: close }, view.close?.text || "Close"),
      view.submit && el("button", { type: "button", class: "primary", onclick: () => submit(values(box)) }, view.submit.text)));
  box.oncancel = (event) => { event.preventDefault(); close(); };
  if (!box.open) box.showModal();
}

export const hideDialog = () => dialog().open && dialog().close();
