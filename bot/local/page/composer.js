// Where a person writes: text, files, slash commands. Enter sends, Shift+Enter breaks the line.
import { completes } from "./complete.js";
import { el } from "./dom.js";
import { act, upload } from "./server.js";

/** A composer in `box`; `add(files)` chooses files for it. `offers(before)` gives completions. `place()` says who writes where; `told(outcome, text)` hears what became of a command. */
export function composer(box, label, place, told, failed, offers) {
  const text = el("textarea", { rows: 1, placeholder: label, "aria-label": label });
  const picker = el("input", { type: "file", multiple: true, "aria-label": "Attach files" });
  const chosen = el("div", { class: "chosen" });
  let picked = [];
  const send = el("button", { type: "submit", class: "primary" }, "Send");
  const form = el("form", {}, chosen, el("div", { class: "field" }, completes(text, offers), text), el("label", { title: "Attach files" }, "Attach", picker), send);

  function pick(files) {
    picked = files;
    chosen.replaceChildren(...picked.map((file) => el("button", { type: "button", "aria-label": `Don't attach ${file.name}`, onclick: () => { pick(picked.filter((other) => other !== file)); text.focus(); } },
      file.name, el("span", { "aria-hidden": "true" }, " ✕"))));
  }

  function add(files) {
    if (picker.disabled) return;
    // Slack takes no file without bytes, and its code for that means nothing to a person.
    const empty = files.filter((file) => !file.size);
    if (empty.length) failed(`${empty.map((file) => file.name).join(", ")}: an empty file can't be sent.`);
    pick([...picked, ...files.filter((file) => file.size)]);
    text.focus();
  }

  picker.addEventListener("change", () => {
    add([...picker.files]);
    // So that a file that was taken out can be chosen again.
    picker.value = "";
  });
  text.addEventListener("paste", (event) => {
    if (!event.clipboardData.files.length) return;
    event.preventDefault();
    add([...event.clipboardData.files]);
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
    if (!typed && !picked.length) return;
    send.disabled = true;
    try {
      if (typed.startsWith("/") && !picked.length) {
        told(await act("command", { ...place(), text: typed }), typed);
      } else {
        const uploads = [];
        for (const file of picked) uploads.push((await upload(file)).upload);
        await act("say", { ...place(), text: typed, uploads });
      }
      text.value = "";
      text.rows = 1;
      pick([]);
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
  return { add, disable: (why) => { text.disabled = send.disabled = picker.disabled = Boolean(why); text.placeholder = why || label; } };
}

/** Lets files be dropped anywhere on `pane` for its composer; without that a browser leaves the page for the file. */
export function takesDrops(pane, { add }) {
  const mark = (over) => pane.classList.toggle("drop", over);
  pane.addEventListener("dragover", (event) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    mark(true);
  });
  pane.addEventListener("dragleave", (event) => pane.contains(event.relatedTarget) || mark(false));
  pane.addEventListener("drop", (event) => {
    event.preventDefault();
    mark(false);
    add([...event.dataTransfer.files]);
  });
}
