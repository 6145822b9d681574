// What the reader looks at. It is also the page's address (#...), so that a view can be kept and shown to others.
const START = {
  part: "source",
  step: 1,
  view: "map",
  joined: "no",
  stack: "encoder",
  row: "",
  "layer.encoder": 1,
  "head.encoder": "mean",
  "layer.decoder": 1,
  "head.decoder": "mean",
  "layer.cross": 1,
  "head.cross": "mean",
  "layer.feed": 1,
  text: "", // what to ask a server for at once, and its languages
  source: "",
  target: "",
};
const listeners = [];

export const state = { ...START };

export function subscribe(listener) {
  listeners.push(listener);
}

export function set(changes) {
  Object.assign(state, changes);
  const kept = Object.entries(state).filter(([key, value]) => String(value) !== String(START[key]));
  try {
    history.replaceState(null, "", `#${new URLSearchParams(kept)}`);
  } catch {
    // Some browsers refuse that for a file; the page works without an address.
  }
  for (const listener of listeners) listener(changes);
}

/** Take the view from the address, as far as it is one. */
export function restore() {
  for (const [key, value] of new URLSearchParams(location.hash.slice(1))) {
    if (key in START) state[key] = typeof START[key] === "number" ? Number(value) || START[key] : value;
  }
}

/** Keep a number within what this trace has. */
export function bound(key, most) {
  state[key] = Math.min(Math.max(1, Math.round(state[key])), most);
}

export function remember(key, value) {
  try {
    localStorage.setItem(`ferryman.${key}`, value);
  } catch {
    // Not allowed here: the choice lasts as long as the page.
  }
}

export function remembered(key) {
  try {
    return localStorage.getItem(`ferryman.${key}`);
  } catch {
    return null;
  }
}

const KEY = "ferryman.key";
let key = "";

/** The key that the server asks for, as given in this tab; it is forgotten when the tab is closed. */
export function givenKey() {
  try {
    return sessionStorage.getItem(KEY) ?? key;
  } catch {
    return key;
  }
}

export function giveKey(given) {
  key = given;
  try {
    sessionStorage.setItem(KEY, given);
  } catch {
    // Not allowed here: it lasts as long as the page.
  }
}
