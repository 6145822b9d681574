// What the page knows. Whoever shows a part of it subscribes, and draws again when something changes.
const listeners = new Set();

export const page = {
  offer: { languages: [], limit: Infinity, suffixes: [] }, // what the server has
  text: "",
  source: "auto",
  target: "",
  running: false,
  translated: null, // the text that the sentences are of
  sentences: [], // {start, source, own, others, picked}; own and others: {text, flags, alignment, words, score}
  whole: null, // languages, models and flags of all
  chosen: 0, // the sentence that is looked at closely
  asking: false, // for other translations
  error: null, // a Refused
  waiting: 0, // seconds until it is tried again
  file: null, // {name, busy, address, error}
  keyNeeded: false,
};

export function subscribe(listener) {
  listeners.add(listener);
}

/** Forget who listened, before the page is built anew. */
export function unsubscribeAll() {
  listeners.clear();
}

export function change(changes) {
  Object.assign(page, changes);
  for (const listener of listeners) listener();
}

/** Which of its translations a sentence shows. */
export function shown(sentence) {
  return sentence.picked ? sentence.others[sentence.picked - 1] : sentence.own;
}

/** The whole translation, as it is shown and copied. */
export function translation() {
  return page.sentences.map((one) => one.space + shown(one).text).join("");
}

/** Whether what is shown is of the text in the box. */
export function isCurrent() {
  return page.translated !== null && page.text === page.translated;
}

/** The languages that the chosen source can be translated into. */
export function targets() {
  const sources = page.offer.languages.filter((one) => page.source === "auto" || one.code === page.source);
  return [...new Set(sources.flatMap((one) => one.targets.filter((code) => code !== one.code)))];
}

export function isBlank() {
  return !page.text.trim();
}
