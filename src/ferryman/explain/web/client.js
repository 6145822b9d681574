// Ask the server.
import { givenKey } from "./state.js";

const BY_STATUS = { 403: "key", 413: "large", 429: "often", 503: "busy" }; // what stands before a server tells no code

/** The server said no, or nothing (status 0). */
export class Refused extends Error {
  constructor(status, { said = "", code = "", seconds = 0 } = {}) {
    super(said);
    this.status = status;
    this.said = said;
    this.code = code; // of what kind it is
    this.seconds = seconds; // after which to try again, if that may help
  }
}

/** Send a request; what is not a good answer is thrown. `json` is a body. */
export async function ask(path, { json, headers = {}, ...options } = {}) {
  const more = json && { method: "POST", body: JSON.stringify(json) };
  const kind = json && { "Content-Type": "application/json" };
  const key = givenKey() && { Authorization: `Bearer ${givenKey()}` };
  const response = await fetch(path, { ...options, ...more, headers: { ...headers, ...kind, ...key } }).catch(broken);
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({}));
  const later = response.status === 429 || response.status === 503;
  const seconds = later ? Number(response.headers.get("Retry-After")) || 1 : 0;
  const code = answer.code || BY_STATUS[response.status] || (response.status >= 500 ? "server" : "");
  throw new Refused(response.status, { said: String(answer.error ?? ""), code, seconds });
}

/** Read server-sent events as they come. */
export async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read().catch(broken);
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const field = (name) => block.split("\n").find((line) => line.startsWith(name))?.slice(name.length);
      yield { name: field("event: "), data: JSON.parse(field("data: ")) };
    }
  }
}

function broken(error) {
  throw error.name === "AbortError" ? error : new Refused(0);
}
