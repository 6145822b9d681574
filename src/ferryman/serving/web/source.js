// The box to type in. What belongs to the pointed word is marked behind the text.
import { button } from "./buttons.js";
import { openFile } from "./documents.js";
import { h } from "./dom.js";
import { placeOf, point, leave } from "./pairing.js";
import { restart } from "./run.js";
import { drawn } from "./sentences.js";
import { change, isCurrent, page } from "./store.js";
import { count, t } from "./words.js";

export function sourcePane() {
  let composing = false;
  const behind = h("div", { class: "behind", "aria-hidden": "true" });
  const box = h("textarea", {
    id: "source",
    dir: "auto",
    rows: "1",
    spellcheck: "true",
    placeholder: t("source.placeholder"),
    "aria-label": t("source.label"),
    "aria-describedby": "count",
    oninput: (event) => event.isComposing || write(box.value),
    oncompositionstart: () => (composing = true), // a Chinese word, say, is not yet written
    oncompositionend: () => ((composing = false), write(box.value)),
    onpointermove: (event) => pointed(behind, event),
    onpointerleave: leave,
    onclick: () => chooseAt(box.selectionStart),
  });
  box.value = page.text;
  const counted = h("span", { id: "count", class: "note" });
  const clear = button("clear", "plain", t("source.clear"), () => (write(""), box.focus()));
  const [input, open] = fileButton();
  const element = h(
    "section",
    { class: "pane source", "aria-label": t("source.label") },
    h("div", { class: "layers" }, behind, box),
    h("div", { class: "tools" }, input, open, clear, counted),
  );
  const update = () => {
    if (box.value !== page.text && !composing) box.value = page.text;
    box.lang = page.whole?.source ?? (page.source === "auto" ? "" : page.source);
    behind.lang = box.lang;
    behind.replaceChildren(...(isCurrent() ? marks() : [page.text]), "\u200b");
    clear.hidden = !page.text;
    const [size, { limit, suffixes }] = [page.text.length, page.offer];
    open.title = t("source.kinds", { kinds: suffixes.join(", ") });
    counted.textContent = size > limit * 0.8 ? t("source.count", { size: count(size), limit: count(limit) }) : "";
    counted.classList.toggle("bad", size > limit);
  };
  return { element, update };
}

function write(text) {
  page.text = text;
  restart();
}

/** The text, its sentences as elements. */
function marks() {
  const parts = [];
  let at = 0;
  page.sentences.forEach((one, number) => {
    if (one.start < at) return;
    parts.push(page.text.slice(at, one.start), drawn(one, number, "source"));
    at = one.start + one.source.length;
  });
  return [...parts, page.text.slice(at)];
}

/** The box lies above what is marked: find the word under the pointer there. */
function pointed(behind, event) {
  const under = document.elementsFromPoint(event.clientX, event.clientY).find((one) => behind.contains(one));
  const place = placeOf(under);
  if (place) point(place[0], "source", place[1]);
  else leave();
}

function chooseAt(position) {
  const chosen = page.sentences.findLastIndex((one) => one.start <= position);
  if (isCurrent() && chosen >= 0) change({ chosen });
}

function fileButton() {
  const input = h("input", { id: "file", type: "file", hidden: true, onchange: () => take() });
  const take = () => {
    if (input.files[0]) openFile(input.files[0], write);
    input.value = "";
  };
  return [input, button("open", "plain", t("source.open"), () => input.click())];
}

/** Take a file, or text, that is dropped anywhere on the page. */
export function dropping(element) {
  const inBox = (event) => event.target.id === "source" && !event.dataTransfer.types.includes("Files");
  const over = (event) => {
    if (inBox(event)) return; // text moved within the box, which the browser does
    event.preventDefault();
    element.classList.toggle("dropping", event.type === "dragover");
  };
  element.addEventListener("dragover", over);
  element.addEventListener("dragleave", over);
  element.addEventListener("drop", (event) => {
    over(event);
    if (inBox(event)) return;
    const [file] = event.dataTransfer.files;
    const text = event.dataTransfer.getData("text/plain");
    if (file) openFile(file, write);
    else if (text) write(text);
  });
}
