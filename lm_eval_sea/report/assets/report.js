"use strict";

// Sorting: by the entry's data-sort; what is missing comes last in both directions.
function sortBy(table, header) {
  const column = [...header.parentNode.children].indexOf(header);
  const numeric = header.classList.contains("number");
  const descending = header.getAttribute("aria-sort") ? header.getAttribute("aria-sort") === "ascending" : numeric;
  for (const other of header.parentNode.children) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const body = table.tBodies[0];
  const key = (row) => row.cells[column].dataset.sort;
  const compare = (a, b) => {
    const [x, y] = [key(a), key(b)];
    if (x === "" || y === "") return (x === "") - (y === "");
    const order = numeric ? Number(x) - Number(y) : x.localeCompare(y);
    return descending ? -order : order;
  };
  body.append(...[...body.rows].sort(compare));
}

for (const table of document.querySelectorAll("table[data-name]"))
  for (const header of table.tHead.rows[0].cells)
    header.querySelector("button").addEventListener("click", () => sortBy(table, header));

// Filters: one for every kind of key that rows have; a row without that key always stays.
const KEYS = ["language", "dataset", "variant", "model"];
const NAMES = { dataset: "data set" };
const filters = document.getElementById("filters");

function makeFilters() {
  for (const key of KEYS) {
    const values = [...new Set([...document.querySelectorAll(`tr[data-${key}]`)].map((row) => row.dataset[key]))].sort();
    if (values.length < 2) continue;
    const label = document.createElement("label");
    label.textContent = `${NAMES[key] || key} `;
    const select = document.createElement("select");
    select.name = key;
    select.append(new Option("all", ""), ...values.map((value) => new Option(value, value)));
    label.append(select);
    filters.append(label);
  }
  filters.hidden = !filters.children.length;
}

function applyFilters() {
  const wanted = [...filters.elements].filter((select) => select.value).map((select) => [select.name, select.value]);
  for (const table of document.querySelectorAll("table[data-name]")) {
    let shown = 0;
    const rows = table.tBodies[0].rows;
    for (const row of rows) {
      row.hidden = wanted.some(([key, value]) => row.dataset[key] !== undefined && row.dataset[key] !== value);
      shown += !row.hidden;
    }
    table.closest(".block").querySelector(".count").textContent =
      shown < rows.length ? `${shown} of ${rows.length} rows` : rows.length > 25 ? `${rows.length} rows` : "";
  }
}

makeFilters();
applyFilters();
filters.addEventListener("change", applyFilters);
filters.addEventListener("submit", (event) => event.preventDefault());

// Samples: unpacked when they are asked for. Their text is only ever put in place as text.
const packed = [...document.querySelectorAll("script.packed")];
const unpacked = new Map();

async function unpack(part) {
  if (!unpacked.has(part)) {
    const bytes = Uint8Array.from(atob(part.textContent), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const content = JSON.parse(await new Response(stream).text());
    for (const row of content.rows) row.prompt = content.prefix + (row.prompt || "");
    unpacked.set(part, content.rows);
  }
  return unpacked.get(part);
}

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// Whether the row is right by the headline metric; undefined where a score is no matter of right and wrong.
function isRight(row, metric) {
  if (row.predictions && row.predictions[metric] !== undefined && row.gold !== undefined)
    return row.predictions[metric] === row.gold;
  return row.score === 1 ? true : row.score === 0 ? false : undefined;
}

function optionTable(row) {
  const table = element("table");
  const methods = Object.keys(row.predictions || {});
  const head = table.createTHead().insertRow();
  const ranked = row.options.some((option) => option.length > 2);
  for (const title of ["", "option", ...(ranked ? ["log-likelihood", "log-perplexity"] : []), "chosen by"])
    head.append(element("th", title));
  row.options.forEach(([label, text, ...scores], index) => {
    const line = table.insertRow();
    line.insertCell().textContent = index === row.gold ? "✓" : "";
    line.insertCell().textContent = label ? `${label}. ${text}` : text;
    if (ranked) for (const score of [scores[0], scores[1]]) line.append(element("td", score == null ? "–" : score.toFixed(3), "number"));
    line.insertCell().textContent = methods.filter((method) => row.predictions[method] === index).join(", ");
  });
  return table;
}

function sampleElement(row, metric, language) {
  const box = element("details", undefined, "sample");
  const right = isRight(row, metric);
  const mark = right === undefined ? (row.score === undefined ? "" : row.score.toFixed(2)) : right ? "✓ right" : "✗ wrong";
  const summary = element("summary");
  summary.append(element("span", mark, `mark ${right === undefined ? "" : right ? "right" : "wrong"}`));
  const lines = row.prompt.split("\n").filter((line) => line.trim());
  summary.append(element("span", `${row.id}: ${lines.slice(-4, -1).join(" ") || lines.join(" ")}`));
  box.append(summary);
  box.addEventListener("toggle", () => {
    if (!box.open || box.children.length > 1) return;
    const inside = element("div", undefined, "inside");
    const add = (title, text) => {
      const block = element("pre", text);
      block.lang = language;
      inside.append(element("h4", title), block);
    };
    add("Prompt", row.prompt);
    if (row.options) {
      inside.append(element("h4", "Options (✓ is right)"), optionTable(row));
      if (row.output !== undefined && row.predictions && row.predictions[metric] == null)
        inside.append(element("p", "No letter was recognised in the answer.", "note"));
    }
    if (row.predictions && !row.options) {
      const chosen = Object.entries(row.predictions).map(([name, position]) => `${position == null ? "none" : position + 1} (${name})`);
      inside.append(element("h4", "Option chosen"), element("p", `${chosen.join(", ")}; right: ${row.gold + 1}`));
    }
    if (row.output !== undefined) add("Output of the model", row.output);
    if (row.answer !== undefined) add("Answer that is scored", row.answer);
    if (row.references && !row.options) add(row.references.length > 1 ? "References" : "Reference", row.references.join("\n"));
    box.append(inside);
  });
  return box;
}

const byId = (name) => document.getElementById(name);

async function showSamples() {
  const part = packed.find((p) => p.dataset.task === byId("sample-task").value && p.dataset.model === byId("sample-model").value);
  const list = byId("sample-rows");
  if (!part) {
    list.replaceChildren();
    byId("sample-count").textContent = "This model was not run on this task, or without --log_samples.";
    return;
  }
  const { metric, language, shown, total, file } = part.dataset;
  list.dataset.asked = part.dataset.task + " " + part.dataset.model;
  const rows = await unpack(part);
  if (list.dataset.asked !== part.dataset.task + " " + part.dataset.model) return; // something else was asked for since
  const text = byId("sample-search").value.toLocaleLowerCase();
  const found = rows.filter((row) => {
    if (byId("sample-wrong").checked && isRight(row, metric) !== false) return false;
    return !text || JSON.stringify(row).toLocaleLowerCase().includes(JSON.stringify(text).slice(1, -1));
  });
  const all = shown === total ? `all ${total} rows` : `${shown} of ${total} rows, evenly spaced (all of them: ${file})`;
  byId("sample-count").textContent = `${found.length} shown; the page holds ${all}. Right and wrong by ${metric}.`;
  list.replaceChildren(...found.map((row) => sampleElement(row, metric, language)));
  list.dataset.shown = list.dataset.asked;
}

function chooseFromAddress() {
  const [place, task, model] = location.hash.slice(1).split("/").map(decodeURIComponent);
  if (place !== "samples" || !task) return;
  byId("sample-task").value = task;
  byId("sample-model").value = model;
  showSamples();
  byId("samples").scrollIntoView();
}

if (packed.length) {
  for (const [name, key] of [["sample-task", "task"], ["sample-model", "model"]])
    byId(name).append(...[...new Set(packed.map((part) => part.dataset[key]))].sort().map((value) => new Option(value, value)));
  for (const name of ["sample-task", "sample-model", "sample-wrong"]) byId(name).addEventListener("change", showSamples);
  byId("sample-search").addEventListener("input", showSamples);
  byId("choose").addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", chooseFromAddress);
  showSamples().then(chooseFromAddress);
}
