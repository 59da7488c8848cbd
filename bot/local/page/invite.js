// A channel that the app isn't in: it hears nothing there until somebody invites it.
import { el } from "./dom.js";

/** Draws into `box` that `name` is missing here, with the button that mends it; nothing when it isn't `missing`. */
export function drawInvite(box, missing, name, invite) {
  box.hidden = !missing;
  if (box.hidden || box.childElementCount) return;
  const ask = async (event) => {
    const button = event.currentTarget;
    button.disabled = true;
    await invite();
    button.disabled = false;
  };
  box.replaceChildren(el("span", {}, `@${name} is not in this channel and hears nothing here.`),
    el("button", { type: "button", class: "primary", onclick: ask }, `Invite @${name}`));
}
