// Ask the server for the trace of any sentence.
import { ask } from "./client.js";
import { h } from "./dom.js";
import { languageName } from "./names.js";
import { detail, told } from "./refusals.js";
import { giveKey, givenKey, set, state } from "./state.js";
import { t } from "./words.js";

let offer = { languages: [], keyRequired: false };
let learning = null;

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
  const more = h("div", { class: "more" });
  const say = (bad, ...words) => {
    status.replaceChildren(...words);
    status.classList.toggle("bad", bad);
  };
  const submit = async (event) => {
    event.preventDefault();
    button.disabled = true;
    say(false, t("live.working"));
    try {
      await learn();
      arrived(await request(box.value.trim()), box.value.trim());
      say(false);
    } catch (error) {
      say(true, ...reason(error));
    } finally {
      button.disabled = false;
    }
  };
  learn().then(() => more.replaceChildren(...fields()));
  return h(
    "form",
    { class: "ask", onsubmit: submit },
    h("label", { for: "sentence" }, t("live.label")),
    h("div", {}, box, button),
    more,
    status,
  );
}

/** Say why something did not work, with what the server says of it. */
export function reason(error) {
  return error.status === undefined ? [error.message] : [told(error), " ", detail(error)];
}

/** Whether this page came from a server that can be asked. */
export function isLive() {
  return document.getElementById("trace").textContent === "null";
}

/** Trace a sentence, from and into the languages chosen, if any are; with the key that this tab was given. */
export async function request(text) {
  const { source, target } = state;
  const json = { text, ...(source && { source }), ...(target && { target }) };
  return (await ask("./v1/explain", { json })).json();
}

/** Learn what the server has; without that the page works as long as there is nothing to choose. */
function learn() {
  const read = async (path) => (await ask(path)).json();
  learning ??= Promise.all([read("./languages"), read("./frontend/settings")]).then(
    ([languages, { keyRequired }]) => {
      offer = { languages, keyRequired };
      if (targets().length > 1 && !targets().includes(state.target)) set({ target: targets()[0] });
    },
    () => (learning = null),
  );
  return learning;
}

/** The languages that the chosen source, or any, can be translated into. */
function targets() {
  const sources = offer.languages.filter(({ code }) => !state.source || code === state.source);
  return [...new Set(sources.flatMap((one) => one.targets.filter((code) => code !== one.code)))];
}

/** What there is to choose: languages, if there are several, and the key, where the server asks for one. */
function fields() {
  const sources = offer.languages.filter(({ targets }) => targets.length > 1).map(({ code }) => code);
  const into = choice("into", targets(), state.target, (target) => set({ target }));
  const from = choice("from", ["", ...sources], state.source, (source) => {
    set({ source });
    if (!targets().includes(state.target)) set({ target: targets()[0] ?? "" });
    fill(into.querySelector("select"), targets(), state.target);
  });
  const key = h("input", { id: "key", type: "password", autocomplete: "off", value: givenKey() });
  key.oninput = () => giveKey(key.value.trim());
  return [
    ...(sources.length > 1 ? [from] : []),
    ...(sources.length > 1 || targets().length > 1 ? [into] : []),
    ...(offer.keyRequired ? [h("label", {}, t("live.key"), " ", key)] : []),
  ];
}

function choice(id, codes, value, choose) {
  const select = h("select", { id, onchange: () => choose(select.value) });
  fill(select, codes, value);
  return h("label", {}, t(`live.${id}`), " ", select);
}

function fill(select, codes, value) {
  const name = (code) => (code ? languageName(code, offer.languages) : t("live.detect"));
  select.replaceChildren(...codes.map((code) => h("option", { value: code }, name(code))));
  select.value = value;
}
