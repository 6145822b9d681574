// Files: a short text goes into the box, anything else is sent to the server, which gives the translated file back.
import { button } from "./buttons.js";
import { ask } from "./client.js";
import { h } from "./dom.js";
import { detail, told } from "./refusals.js";
import { change, page } from "./store.js";
import { count, t } from "./words.js";

let controller = new AbortController();

/** Translate a file; `write` puts a text into the box. */
export async function openFile(file, write) {
  dismiss();
  const text = file.name.toLowerCase().endsWith(".txt") && file.size <= 4 * page.offer.limit && (await decoded(file));
  if (typeof text === "string" && [...text].length <= page.offer.limit) write(text.replace(/\r\n?/g, "\n"));
  else await send(file);
}

/** The text of a file, unless it is not UTF-8, of which the server tells where. */
async function decoded(file) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    return null;
  }
}

async function send(file) {
  const { signal } = controller;
  const { name } = file;
  const body = new FormData();
  body.append("file", file);
  body.append("source", page.source);
  body.append("target", page.target);
  change({ file: { name, busy: true } });
  try {
    const answer = await (await ask("./translate_file", { method: "POST", body, signal })).json();
    const { flags, skipped } = answer.summary;
    const look = [...Object.values(flags), ...Object.values(skipped)].reduce((sum, one) => sum + one, 0);
    change({ file: { name, look, address: `.${new URL(answer.translatedFileUrl).pathname}` } });
  } catch (error) {
    if (signal.aborted) return;
    change({ file: { name, error }, keyNeeded: page.keyNeeded || error.code === "key" });
  }
}

function dismiss() {
  controller.abort();
  controller = new AbortController();
  change({ file: null });
}

/** A line that tells how it goes with a file. */
export function fileLine() {
  const element = h("div", { id: "document", class: "line", role: "status" });
  const update = () => {
    const { file } = page;
    element.hidden = !file;
    element.classList.toggle("bad", Boolean(file?.error));
    if (!file) return;
    const said = file.busy ? "file.busy" : file.error ? "file.bad" : "file.done";
    element.replaceChildren(
      h("span", {}, t(said, { name: file.name, reason: file.error ? told(file.error) : "" })),
      file.error ? detail(file.error) : "",
      file.look ? h("span", { class: "note" }, t("file.look", { number: count(file.look) })) : "",
      file.address ? h("a", { href: file.address, download: "", class: "quiet" }, t("file.save")) : "",
      button("dismiss", "plain", t(file.busy ? "file.stop" : "file.dismiss"), dismiss),
    );
  };
  return { element, update };
}
