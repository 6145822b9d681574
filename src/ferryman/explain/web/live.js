// Ask the server for the trace of any sentence.
import { h } from "./dom.js";
import { givenKey, state } from "./state.js";
import { t } from "./words.js";

const ADDRESS = "./v1/explain";

/** The box to type in; `arrived(record)` gets the trace. */
export function askBox(arrived, text = "") {
  const box = h("input", {
    id: "sentence",
    type: "text",
    autocomplete: "off",
    maxlength: "1000",
    required: true,
    dir: "auto",
    value: text,
    placeholder: t("live.placeholder"),
    "aria-describedby": "live-status",
  });
  const button = h("button", { id: "ask", type: "submit", class: "primary" }, t("live.ask"));
  const status = h("p", { id: "live-status", role: "status", class: "status" });
  const say = (message, bad) => {
    status.textContent = message;
    status.classList.toggle("bad", bad);
  };
  const ask = async (event) => {
    event.preventDefault();
    button.disabled = true;
    say(t("live.working"), false);
    try {
      arrived(await request(box.value.trim()), box.value.trim());
      say("", false);
    } catch (error) {
      say(error.message, true);
    } finally {
      button.disabled = false;
    }
  };
  return h(
    "form",
    { class: "ask", onsubmit: ask },
    h("label", { for: "sentence" }, t("live.label")),
    h("div", {}, box, button),
    status,
  );
}

/** Whether this page came from a server that can be asked. */
export function isLive() {
  return document.getElementById("trace").textContent === "null";
}

/** Trace a sentence, from and into the languages of the address, if it has any; with the key that this tab was given. */
export async function request(text) {
  const { source, target } = state;
  const key = givenKey();
  let response;
  try {
    response = await fetch(ADDRESS, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(key && { Authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ text, ...(source && { source }), ...(target && { target }) }),
    });
  } catch {
    throw new Error(t("live.unreachable"));
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.error ?? t("live.failed", { status: response.status }));
  return answer;
}
