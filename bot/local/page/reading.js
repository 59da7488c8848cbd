// A list that is read at its end stays there, whatever grows in it or takes room under it.

const NEAR = 80;
const away = new WeakSet();

/** Whether the end of `box` is in sight, or nearly. */
export const atEnd = (box) => box.scrollHeight - box.scrollTop - box.clientHeight < NEAR;

/** Lets `box` follow its end from now on, until somebody scrolls away from it. */
export function follows(box) {
  const follow = () => away.has(box) || toEnd(box);
  box.addEventListener("scroll", () => (atEnd(box) ? away.delete(box) : away.add(box)), { passive: true });
  // A picture has no height before it is there; loads don't bubble.
  box.addEventListener("load", follow, { capture: true });
  new ResizeObserver(follow).observe(box);
}

/** Whether whoever reads `box` has left its end. */
export const isAway = (box) => away.has(box);

export function toEnd(box) {
  away.delete(box);
  box.scrollTop = box.scrollHeight;
}

/** Something that is read from its top stands in `box` now. */
export function toTop(box) {
  away.add(box);
  box.scrollTop = 0;
}
