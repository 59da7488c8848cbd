// Talks to the page's own routes, and listens to the feed of changes.

async function read(reply) {
  const body = await reply.json().catch(() => ({ ok: false, error: `HTTP ${reply.status}` }));
  if (!body.ok) throw new Error(body.error || `HTTP ${reply.status}`);
  return body;
}

export const get = (path, query = {}) => fetch(`/page/api/${path}?${new URLSearchParams(query)}`).then(read);

export const act = (name, body) =>
  fetch(`/page/api/${name}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  }).then(read);

export const upload = (file) =>
  fetch(`/page/api/upload?${new URLSearchParams({ name: file.name })}`, {
    method: "POST",
    headers: { "Content-Type": "application/octet-stream" },
    body: file,
  }).then(read);

/** Calls `heard(change)` for every change, and `heard({kind: "connected"})` after each (re)connection. */
export function listen(heard) {
  const feed = new EventSource("/page/api/feed");
  feed.onopen = () => heard({ kind: "connected" });
  feed.onmessage = (event) => heard(JSON.parse(event.data));
}
