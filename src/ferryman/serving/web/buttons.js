// A button: what it is called, how it looks, what it says and does.
import { h } from "./dom.js";

export function button(id, look, text, act, more = {}) {
  return h("button", { id, type: "button", class: look, onclick: act, ...more }, text);
}
