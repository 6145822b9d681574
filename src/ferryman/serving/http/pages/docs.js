// Renders openapi.json: every route, its fields, and a form to try it.
"use strict";

function make(tag, text, ...children) {
  const element = document.createElement(tag);
  if (text) element.textContent = text;
  element.append(...children);
  return element;
}

function kindOf(field) {
  if (field.anyOf) return field.anyOf.map(kindOf).filter((kind) => kind !== "null").join(" or ");
  if (field.enum) return field.enum.map((value) => JSON.stringify(value)).join(" or ");
  return field.type === "array" ? `list of ${kindOf(field.items)}` : field.type || "any";
}

function tableOf(schema) {
  const rows = Object.entries(schema.properties || {}).map(([name, field]) => {
    const needed = (schema.required || []).includes(name);
    const value = needed ? "required" : field.default == null ? "" : JSON.stringify(field.default);
    const meaning = (field.description || "").replaceAll("``", "");
    return make("tr", "", make("td", "", make("code", name)), make("td", kindOf(field)), make("td", value), make("td", meaning));
  });
  const head = make("tr", "", ...["field", "kind", "default", ""].map((text) => make("th", text)));
  return make("table", "", head, ...rows);
}

function exampleOf(schema) {
  const given = { q: "Hello!", text: "Hello!", source: "auto", target: languages[0] || "de" };
  const names = Object.keys(schema.properties || {}).filter((name) => name in given);
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, given[name]])), null, 1);
}

function formOf(path, method, schema) {
  const answer = make("pre", "");
  const button = make("button", "Try it");
  const area = schema ? make("textarea") : null;
  if (area) Object.assign(area, { value: exampleOf(schema), rows: 6, ariaLabel: `body of ${path}` });
  button.addEventListener("click", async () => {
    answer.textContent = "…";
    const headers = area ? { "Content-Type": "application/json" } : {};
    const found = await fetch(path.slice(1), { method, headers, body: area && area.value });
    answer.textContent = `${found.status}\n${await found.text()}`;
  });
  return make("div", "", ...(area ? [area] : []), button, answer);
}

let languages = [];

async function show() {
  const [description, served] = await Promise.all(["openapi.json", "languages"].map(async (at) => (await fetch(at)).json()));
  languages = served.flatMap((one) => one.targets.slice(1));
  const parts = [];
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, route] of Object.entries(methods)) {
      const json = route.requestBody && route.requestBody.content["application/json"];
      const inside = make("div", "");
      if (json) inside.append(tableOf(json.schema));
      if (!path.includes("{") && path !== "/translate_file") inside.append(formOf(path, method.toUpperCase(), json && json.schema));
      parts.push(make("details", "", make("summary", "", make("b", method.toUpperCase()), make("code", path), ` ${route.description}`), inside));
    }
  }
  document.getElementById("routes").replaceChildren(...parts);
}

show();
