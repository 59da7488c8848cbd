// Where a person writes: text, files, slash commands. Enter sends, Shift+Enter breaks the line.
import { completes } from "./complete.js";
import { el } from "./dom.js";
import { act, upload } from "./server.js";

/** A composer in `box`. `offers(before)` gives completions. `place()` says who writes where; `told(outcome, text)` hears what became of a command. */
export function composer(box, label, place, told, failed, offers) {
  const text = el("textarea", { rows: 1, placeholder: label, "aria-label": label });
  const picker = el("input", { type: "file", multiple: true, "aria-label": "Attach files" });
  const chosen = el("div", { class: "chosen" });
  const send = el("button", { type: "submit", class: "primary" }, "Send");
  const form = el("form", {}, chosen, el("div", { class: "field" }, completes(text, offers), text), el("label", { title: "Attach files" }, "Attach", picker), send);

  picker.addEventListener("change", () => {
    chosen.textContent = [...picker.files].map((file) => file.name).join(", ");
  });
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const typed = text.value.trim();
    if (!typed && !picker.files.length) return;
    send.disabled = true;
    try {
      if (typed.startsWith("/") && !picker.files.length) {
        told(await act("command", { ...place(), text: typed }), typed);
      } else {
        const uploads = [];
        for (const file of picker.files) uploads.push((await upload(file)).upload);
        await act("say", { ...place(), text: typed, uploads });
      }
      text.value = "";
      text.rows = 1;
      picker.value = "";
      chosen.textContent = "";
    } catch (error) {
      failed(error.message);
    }
    send.disabled = false;
    text.focus();
  });
  text.addEventListener("input", () => {
    text.rows = Math.min(8, text.value.split("\n").length);
  });
  box.replaceChildren(form);
  return { disable: (why) => { text.disabled = send.disabled = picker.disabled = Boolean(why); text.placeholder = why || label; } };
}
