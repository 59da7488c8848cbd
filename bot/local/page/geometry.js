// Numbers for drawing: round ticks, arcs of a pie, labels that fit.

/** Round ticks around `values`; `fromZero` for marks whose length is read. Always at least two ticks. */
export function scale(values, fromZero) {
  let low = values.length ? Math.min(...values) : 0;
  let high = values.length ? Math.max(...values) : 1;
  if (fromZero) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  if (low === high) [low, high] = low === 0 ? [0, 1] : [low - Math.abs(low) / 10, high + Math.abs(high) / 10];
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const [first, last] = [Math.floor(low / step), Math.ceil(high / step)];
  const ticks = Array.from({ length: Math.min(last - first + 1, 12) }, (_, n) => Number(((first + n) * step).toPrecision(12)));
  return { ticks, low: ticks[0], high: ticks.at(-1) };
}

/** The path of a slice from `from` to `to`, shares of the whole turn. */
export function arc(cx, cy, radius, from, to) {
  const end = Math.min(to, from + 0.99999);
  const point = (share) => `${(cx + radius * Math.sin(2 * Math.PI * share)).toFixed(2)} ${(cy - radius * Math.cos(2 * Math.PI * share)).toFixed(2)}`;
  return `M${cx} ${cy}L${point(from)}A${radius} ${radius} 0 ${end - from > 0.5 ? 1 : 0} 1 ${point(end)}Z`;
}

/** `text` of at most `most` characters, whole ones. */
export function shorten(text, most) {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text;
}
