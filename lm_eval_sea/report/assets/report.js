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

const packed = [...document.querySelectorAll("script.packed")];

// Filters: one for every kind of key that rows have; a row without that key always stays.
const KEYS = ["language", "dataset", "variant", "model"];
const NAMES = { dataset: "data set" };
const filters = document.getElementById("filters");

function makeFilters() {
  for (const key of KEYS) {
    const ofRows = [...document.querySelectorAll(`tr[data-${key}]`)].map((row) => row.dataset[key]);
    const ofSamples = packed.map((part) => JSON.parse(part.dataset.keys)[key]).filter((value) => value !== undefined);
    const ofColumns = [...document.querySelectorAll(`th[data-shows-${key}]`)].map((head) => head.getAttribute(`data-shows-${key}`));
    const values = [...new Set([...ofRows, ...ofSamples, ...ofColumns])].sort();
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

function wantedKeys() {
  return [...filters.elements].filter((select) => select.value).map((select) => [select.name, select.value]);
}

function applyFilters() {
  const wanted = wantedKeys();
  const elsewhere = (part) => wanted.some(([key, value]) => part.dataset[key] !== undefined && part.dataset[key] !== value);
  for (const table of document.querySelectorAll("table[data-name]")) {
    let shown = 0;
    const rows = table.tBodies[0].rows;
    for (const row of rows) {
      row.hidden = elsewhere(row);
      shown += !row.hidden;
    }
    [...table.tHead.rows[0].cells].forEach((header, column) => {
      const hidden = wanted.some(([key, value]) => {
        const own = header.getAttribute(`data-shows-${key}`);
        return own !== null && own !== value;
      });
      if (hidden === header.hidden) return;
      header.hidden = hidden;
      for (const row of rows) row.cells[column].hidden = hidden;
    });
    const count = shown < rows.length ? `${shown} of ${rows.length} rows` : rows.length > 25 ? `${rows.length} rows` : "";
    table.closest(".block").querySelector(".count").textContent = count;
  }
  for (const chart of document.querySelectorAll("figure.chart")) {
    for (const entry of chart.querySelectorAll(".legend li")) entry.hidden = elsewhere(entry);
    for (const panel of chart.querySelectorAll(".panel")) {
      for (const line of panel.querySelectorAll(".line")) {
        const data = [...line.querySelectorAll(".datum")];
        for (const datum of data) datum.toggleAttribute("hidden", elsewhere(datum));
        line.hidden = elsewhere(line) || (data.length > 0 && data.every((datum) => datum.hasAttribute("hidden")));
      }
      panel.hidden = elsewhere(panel) || ![...panel.querySelectorAll(".line")].some((line) => !line.hidden && line.querySelector(".datum"));
    }
    chart.hidden = ![...chart.querySelectorAll(".panel")].some((panel) => !panel.hidden);
  }
  for (const figure of document.querySelectorAll("figure:not(.chart)")) {
    const of = (key) => (figure.dataset[key] === undefined ? undefined : JSON.parse(figure.dataset[key]));
    figure.hidden = wanted.some(([key, value]) => of(key) && !of(key).includes(value));
    const more = wanted.map(([key]) => key).filter((key) => (of(key) || []).length > 1).map((key) => NAMES[key] || key);
    figure.querySelector(".beyond").textContent = more.length ? `Drawn over every ${more.join(" and ")}, not only the chosen one.` : "";
  }
  for (const section of document.querySelectorAll("main section")) {
    const parts = [...section.querySelectorAll(".block, figure")];
    for (const block of section.querySelectorAll(".block"))
      block.hidden = wanted.length > 0 && ![...block.querySelectorAll("tbody tr")].some((row) => !row.hidden);
    section.classList.toggle("nothing", parts.length > 0 && parts.every((part) => part.hidden));
  }
}

makeFilters();
applyFilters();
filters.addEventListener("change", () => { applyFilters(); if (packed.length) chooseTasks(); });
filters.addEventListener("submit", (event) => event.preventDefault());

// Samples: a file a task, read when it is asked for. Their text is only ever put in place as text.
const files = new Map();

function receiveSamples(at, data) {
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  files.get(at).resolve(new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json());
}

function fileOf(at) {
  if (!files.has(at)) {
    const file = {};
    file.content = new Promise((resolve, reject) => Object.assign(file, { resolve, reject }));
    files.set(at, file);
    const script = document.createElement("script");
    script.src = `../samples/${at}.js`;
    script.onerror = () => { files.delete(at); file.reject(new Error(`samples/${at}.js is not beside this page`)); };
    document.head.append(script);
  }
  return files.get(at).content;
}

async function unpack(part) {
  const { prefix, shared, models } = await fileOf(part.dataset.at);
  return models[part.dataset.model].map((row) => {
    const whole = { ...shared[`${row.number}\n${row.id}`], ...row };
    return { ...whole, prompt: prefix + (whole.prompt || "") };
  });
}

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function titled(title, text, language) {
  const block = element("pre", text);
  block.lang = language;
  return [element("h3", title), block];
}

// Whether the row is right by the headline metric; undefined if the score is not about right and wrong.
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
  for (const title of ["right", "option", ...(ranked ? ["log-likelihood", "log-perplexity"] : []), "chosen by"])
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

function mark(row, metric) {
  const right = isRight(row, metric);
  const text = right === undefined ? (row.score === undefined ? "" : row.score.toFixed(2)) : right ? "✓ right" : "✗ wrong";
  return element("span", text, `mark ${right === undefined ? "" : right ? "right" : "wrong"}`);
}

// The row's question; without one the end of the prompt, whose last line is the answer cue.
function titleOf(row) {
  if (row.title) return row.title;
  const lines = row.prompt.split("\n").filter((line) => line.trim());
  return lines.slice(-2, -1).join(" ") || lines.join(" ");
}

function answerElement(row, metric, language, model) {
  const inside = element("div", undefined, "answer");
  const head = element("h3", `${model} `, "who");
  head.append(mark(row, metric));
  inside.append(head);
  if (row.options) {
    const box = element("div", undefined, "wide");
    Object.entries({ tabindex: "0", role: "region", "aria-label": `Options of ${model}` }).forEach(([name, value]) => box.setAttribute(name, value));
    box.append(optionTable(row));
    inside.append(element("h3", "Options (✓ is right)"), box);
    if (row.output !== undefined && row.predictions && row.predictions[metric] == null)
      inside.append(element("p", "No letter was recognised in the answer.", "note"));
  }
  if (row.predictions && !row.options && row.gold !== undefined) {
    const chosen = Object.entries(row.predictions).map(([name, position]) => `${position == null ? "none" : position + 1} (${name})`);
    inside.append(element("h3", "Option chosen"), element("p", `${chosen.join(", ")}; right: ${row.gold + 1}`));
  }
  if (row.output !== undefined) inside.append(...titled("Output of the model", row.output, language));
  if (row.answer !== undefined) inside.append(...titled("Answer that is scored", row.answer, language));
  return inside;
}

// One row as one model answered it, or as two did. `answers` are {model, row}; the first one's prompt is shown.
function sampleElement(answers, metric, language) {
  const row = answers[0].row;
  const box = element("details", undefined, "sample");
  const summary = element("summary");
  for (const answer of answers) summary.append(mark(answer.row, metric));
  const title = element("span", `${row.id}: ${titleOf(row)}`);
  title.lang = language;
  summary.append(title);
  box.append(summary);
  box.addEventListener("toggle", () => {
    if (!box.open || box.children.length > 1) return;
    const inside = element("div", undefined, "inside");
    const side = element("div", undefined, "side");
    for (const answer of answers) side.append(answerElement(answer.row, metric, language, answer.model));
    inside.append(side);
    if (row.references && !row.options)
      inside.append(...titled(row.references.length > 1 ? "References" : "Reference", row.references.join("\n"), language));
    inside.append(...titled("Prompt", row.prompt, language));
    if (answers[1] && answers[1].row.prompt !== row.prompt)
      inside.append(...titled(`Prompt of ${answers[1].model}`, answers[1].row.prompt, language));
    box.append(inside);
  });
  return box;
}

const byId = (name) => document.getElementById(name);

const partOf = (task, model) => packed.find((part) => part.dataset.task === task && part.dataset.model === model);

function disagree(first, second, metric) {
  const choice = (row) => row.predictions && row.predictions[metric] !== undefined ? row.predictions[metric] : row.answer ?? row.output ?? row.score;
  return choice(first) !== choice(second);
}

const ORDERS = {
  sure: (a, b) => (a.row.margin ?? Infinity) - (b.row.margin ?? Infinity),
  close: (a, b) => Math.abs(a.row.margin ?? Infinity) - Math.abs(b.row.margin ?? Infinity),
};

async function showSamples() {
  const [task, model, beside] = ["sample-task", "sample-model", "sample-beside"].map((name) => byId(name).value);
  const [part, other] = [partOf(task, model), beside && beside !== model ? partOf(task, beside) : undefined];
  const list = byId("sample-rows");
  const which = byId("sample-which");
  which.querySelector("[value=disagree]").disabled = !other;
  if (which.value === "disagree" && !other) which.value = "";
  if (!part) {
    list.replaceChildren();
    byId("sample-count").textContent = "This model was not run on this task, or without --log_samples.";
    return;
  }
  const { metric, language, shown, total, file, spaced } = part.dataset;
  const asked = [task, model, beside].join("\n");
  list.dataset.asked = asked;
  let rows, others;
  try {
    [rows, others] = [await unpack(part), other ? await unpack(other) : []];
  } catch (error) {
    byId("sample-count").textContent = `${error.message}: copy the whole folder.`;
    return;
  }
  if (list.dataset.asked !== asked) return; // something else was asked for since
  const byKey = new Map(others.map((row) => [`${row.number}\n${row.id}`, row]));
  const text = byId("sample-search").value.toLocaleLowerCase();
  const found = rows.map((row) => ({ row, second: byKey.get(`${row.number}\n${row.id}`) })).filter(({ row, second }) => {
    if (which.value === "wrong" && isRight(row, metric) !== false) return false;
    if (which.value === "right" && isRight(row, metric) !== true) return false;
    if (which.value === "disagree" && !(second && disagree(row, second, metric))) return false;
    return !text || JSON.stringify(row).toLocaleLowerCase().includes(JSON.stringify(text).slice(1, -1));
  });
  const order = ORDERS[byId("sample-order").value];
  if (order) found.sort(order);
  const all = shown === total ? `all ${total} rows` : `${shown} of ${total} rows, ${spaced === "1" ? "evenly spaced" : "those that the other models were asked come first"} (all of them: ${file})`;
  const pairs = other ? ` ${found.filter(({ second }) => second).length} of them were also asked of ${beside}.` : "";
  const margins = order && !rows.some((row) => row.margin !== undefined) ? " Answers of this task have no margins, so that the order is that of the data." : "";
  byId("sample-count").textContent = `${found.length} shown; the page holds ${all}. Right and wrong by ${metric}.${pairs}${margins}`;
  const answers = ({ row, second }) => [{ model, row }, ...(second ? [{ model: beside, row: second }] : [])];
  list.replaceChildren(...found.map((pair) => sampleElement(answers(pair), metric, language)));
  list.dataset.shown = `${task} ${model}`;
}

// The tasks to choose from are those of the filters above; so is the model, where one is chosen there.
function chooseTasks() {
  const wanted = wantedKeys();
  const fits = (part) => wanted.every(([key, value]) => { const own = JSON.parse(part.dataset.keys)[key]; return own === undefined || own === value; });
  const select = byId("sample-task");
  const before = select.value;
  const names = [...new Set(packed.filter(fits).map((part) => part.dataset.task))].sort();
  select.replaceChildren(...names.map((name) => new Option(name, name)));
  if (names.includes(before)) select.value = before;
  const model = wanted.find(([key]) => key === "model");
  if (model && [...byId("sample-model").options].some((option) => option.value === model[1])) byId("sample-model").value = model[1];
  return showSamples();
}

function chooseFromAddress() {
  const [place, task, model] = location.hash.slice(1).split("/").map(decodeURIComponent);
  if (place !== "samples" || !task) return;
  if (![...byId("sample-task").options].some((option) => option.value === task)) byId("sample-task").append(new Option(task, task));
  byId("sample-task").value = task;
  byId("sample-model").value = model;
  showSamples();
  byId("samples").scrollIntoView();
}

if (packed.length) {
  const models = [...new Set(packed.map((part) => part.dataset.model))].sort();
  for (const name of ["sample-model", "sample-beside"]) byId(name).append(...models.map((value) => new Option(value, value)));
  byId("sample-beside").closest("label").hidden = models.length < 2;
  byId("sample-which").querySelector("[value=disagree]").hidden = models.length < 2;
  for (const name of ["sample-task", "sample-model", "sample-beside", "sample-which", "sample-order"]) byId(name).addEventListener("change", showSamples);
  byId("sample-search").addEventListener("input", showSamples);
  byId("choose").addEventListener("submit", (event) => event.preventDefault());
  window.addEventListener("hashchange", chooseFromAddress);
  chooseTasks().then(chooseFromAddress);
}
