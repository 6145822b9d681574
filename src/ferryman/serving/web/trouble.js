// What went wrong, and what can be done, told where the translation would stand; and the key, where one is needed.
import { button } from "./buttons.js";
import { h } from "./dom.js";
import { detail, told } from "./refusals.js";
import { restart } from "./run.js";
import { giveKey, givenKey } from "./state.js";
import { change, page } from "./store.js";
import { count, t } from "./words.js";

export function troubleLine() {
  const element = h("div", { id: "trouble", class: "line bad", role: "alert" });
  const update = () => {
    const { error, waiting } = page;
    element.hidden = !error;
    if (!error) return;
    const act = () => (page.offer.languages.length ? restart(true) : location.reload());
    element.replaceChildren(
      h("span", {}, error.code === "long" ? t("wrong.long", { limit: count(page.offer.limit) }) : told(error)),
      detail(error),
      waiting ? h("span", { class: "note", "aria-hidden": "true" }, t("again.in", { seconds: waiting })) : "",
      [400, 403, 413].includes(error.status) ? "" : button("again", "quiet", t("again"), act),
    );
  };
  return { element, update };
}

/** The field for the key; only where the server asks for one. */
export function keyLine() {
  const field = h("input", {
    id: "key",
    type: "password",
    autocomplete: "off",
    required: true,
    value: givenKey(),
    "aria-describedby": "key-note",
  });
  const submit = (event) => {
    event.preventDefault();
    giveKey(field.value.trim());
    change({ keyNeeded: false });
    restart(true);
  };
  const element = h(
    "form",
    { class: "line key", onsubmit: submit },
    h("label", { for: "key" }, t("key.label")),
    field,
    h("button", { type: "submit", class: "primary" }, t("key.use")),
    h("span", { id: "key-note", class: "note" }, t("key.note")),
  );
  return { element, update: () => (element.hidden = !page.keyNeeded) };
}
