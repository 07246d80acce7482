// The page itself: one constraint at a time, maps on canvas, and the box for typing constraints.
//
// Text of documents and of users becomes text nodes and attribute values, never markup.

const SVG = "http://www.w3.org/2000/svg";
const BAR = 1000; // the width of a whole bar, in its own units

/** Makes an element with attributes and children; a child is a node or a text. */
function h(name, attributes = {}, ...children) {
  const isDrawn = name === "svg" || name === "rect";
  const made = isDrawn ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.flat());
  return made;
}

/** Replaces each invisible character except line breaks by a visible one. */
const visible = (text) => text.replace(HIDDEN_SIGN, (sign) => (sign === "\n" ? sign : "\ufffd"));

/** The width of a text in terminal columns, to place carets under its characters. */
function columnsOf(text) {
  let count = 0;
  for (const sign of text) {
    if (/\p{M}/u.test(sign)) continue;
    count += /[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(sign) ? 2 : 1;
  }
  return count;
}

// An answer as elements, equal to the HTML of `fluxtui.page.page.answer`

function answerElement(found, cluster) {
  const { text, mask } = found;
  return h(
    "div", { class: "answer" },
    constraintElement(found),
    countElement(found, cluster),
    found.problems.length
      ? [h("ul", { class: "problems" }, ...found.problems.map((one) => problemElement(one, text)))]
      : [],
    h("div", { class: "sight" }, mask ? [mapElement(found, cluster)] : [], found.lines.length ? [funnelElement(found, cluster)] : []),
    namedElement(found, cluster)
  );
}

function constraintElement({ text, tokens, problems }) {
  const letters = [...text];
  const marks = problems.filter((one) => isError(one) && one.span).map((one) => one.span);
  const cuts = new Set([0, letters.length]);
  for (const span of [...marks, ...tokens.map(([, span]) => span)]) {
    span.forEach((place) => cuts.add(Math.min(place, letters.length)));
  }
  const places = [...cuts].sort((a, b) => a - b);
  const code = h("code");
  let at = 0;
  for (let n = 0; n + 1 < places.length; n++) {
    const [start, end] = [places[n], places[n + 1]];
    while (at < tokens.length && tokens[at][1][1] <= start) at++;
    const classes = at < tokens.length && tokens[at][1][0] <= start ? [tokens[at][0]] : [];
    if (marks.some(([first, last]) => first <= start && end <= last)) classes.push("wrong");
    const run = visible(letters.slice(start, end).join(""));
    code.append(classes.length ? h("span", { class: classes.join(" ") }, run) : run);
  }
  if (!text) code.append("(every node)");
  return h("pre", { class: "constraint", "data-text": text }, code);
}

function countElement(found, cluster) {
  if (!found.mask) return h("p", { class: "count none" }, h("strong", {}, "cannot be read"));
  const { count, cores, gpus, emptiedBy } = found;
  const more = [];
  if (emptiedBy) {
    const words = `no node is left after ${printable(brief(emptiedBy.constraint))}`;
    more.push(h("span", { class: "with" }, words));
  } else if (count) {
    const parts = [counted(cores, "core"), ...(gpus ? [counted(gpus, "gpu")] : [])];
    more.push(h("span", { class: "with" }, parts.join(" · ")));
  }
  const whole = ` of ${counted(cluster.count, "node")} `;
  return h("p", { class: count ? "count" : "count none" }, h("strong", {}, grouped(count)), whole, more);
}

function problemElement(one, text) {
  const rule = one.rule ? [" ", h("small", {}, printable(one.rule))] : [];
  const path = one.path ? `${printable(one.path)}: ` : "";
  const parts = [h("p", {}, h("b", {}, one.severity), ` ${path}${printable(one.message)}`, rule)];
  if (one.span) {
    const letters = [...text];
    const [start, end] = one.span;
    const first = start ? letters.lastIndexOf("\n", start - 1) + 1 : 0;
    let last = letters.indexOf("\n", start);
    last = last < 0 ? letters.length : last;
    const piece = (from, to) => visible(letters.slice(from, to).join(""));
    const before = columnsOf(piece(first, start));
    const under = Math.max(1, columnsOf(piece(start, Math.min(end, last))));
    const named = printable(letters.slice(start, end).join("")) || "the end";
    parts.push(h("p", { class: "read" }, `at character ${start + 1}: ${named}`));
    const line = `${piece(first, last)}\n${" ".repeat(before)}`;
    parts.push(h("pre", { "aria-hidden": "true" }, line, h("i", {}, "^".repeat(under))));
  }
  if (one.expected.length) {
    parts.push(h("p", { class: "expected" }, `expected ${one.expected.map(printable).join(", ")}`));
  }
  return h("li", { class: one.severity }, parts);
}

function mapElement({ mask, count }, cluster) {
  const hosts = count ? cluster.hostsText(mask) : "";
  const label = `Map: ${grouped(count)} of ${counted(cluster.count, "node")} match${hosts ? ": " : ""}${hosts}`;
  const canvas = h("canvas", { role: "img", "aria-label": label });
  return h("figure", { class: "map" }, canvas, h("figcaption"));
}

function funnelElement({ lines, more }, cluster) {
  const rows = lines.map((line, n) => lineElement(line, n === 0, Math.max(cluster.count, 1)));
  if (more) rows.push(h("tr", {}, h("td", { colspan: 4 }, counted(more, "more part"))));
  const head = ["matches", "remaining", "", "part"].map((name) =>
    name ? h("th", { scope: "col" }, name) : h("td")
  );
  return h(
    "table", { class: "funnel" },
    h("caption", { class: "read" }, "What each part matches"),
    h("thead", {}, h("tr", {}, head)),
    h("tbody", {}, rows)
  );
}

function lineElement({ part, guide, words, note }, isRoot, total) {
  const [alone, left] = [part.alone, part.left].map((count) =>
    count ? Math.max(Math.floor((BAR * count) / total), 1) : 0
  );
  const look = part.left ? "left" : part.empties || isRoot ? "none" : "left";
  const isOperator = part.parts.length && words === labelOf(part);
  const bar = h(
    "svg", { viewBox: `0 0 ${BAR} 8`, preserveAspectRatio: "none", "aria-hidden": "true" },
    h("rect", { class: "alone", width: alone, height: 8 }),
    h("rect", { class: "lit", width: left, height: 8 })
  );
  return h(
    "tr", {},
    h("td", {}, grouped(part.alone)),
    h("td", { class: look }, grouped(part.left)),
    h("td", { class: "bar" }, bar),
    h(
      "td", { class: isOperator ? "operator" : "term" },
      guide ? [h("span", { "aria-hidden": "true" }, guide)] : [],
      printable(words),
      note ? [" ", h("small", {}, note)] : []
    )
  );
}

function namedElement({ mask, count }, cluster) {
  if (!mask || !count) return [];
  const rows = cluster.index.count ? [["hosts", cluster.hostsText(mask)]] : [];
  rows.push(["ranks", cluster.ranksText(mask, RANGES)]);
  return [h("dl", { class: "named" }, ...rows.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, printable(text))]))];
}

// The map: each square is one node, or as many nodes as needed to fit all on the screen

const PITCHES = [22, 18, 15, 12, 10, 8, 6, 5];
const ROUND = [1, 2, 5];

/** The layout of the squares: { pitch, columns, rows, size }, with size nodes in each. */
function layoutOf(count, width, height) {
  for (const pitch of PITCHES) {
    const columns = Math.max(Math.floor(width / pitch), 1);
    const rows = Math.ceil(count / columns);
    if (rows * pitch <= height) return { pitch, columns, rows, size: 1 };
  }
  const pitch = PITCHES[PITCHES.length - 1];
  const columns = Math.max(Math.floor(width / pitch), 1);
  const least = count / (columns * Math.max(Math.floor(height / pitch), 1));
  let size = 1;
  for (let n = 0; size < least; n++) size = ROUND[n % 3] * 10 ** Math.floor(n / 3);
  return { pitch, columns, rows: Math.ceil(Math.ceil(count / size) / columns), size };
}

function drawMap(figure, mask, count) {
  const canvas = figure.querySelector("canvas");
  const width = figure.clientWidth;
  if (!width || !count) return;
  const layout = layoutOf(count, width, Math.max(Math.min(innerHeight * 0.4, 420), 160));
  const { pitch, columns, rows, size } = layout;
  const scale = Math.max(devicePixelRatio || 1, document.documentElement.classList.contains("printing") ? 3 : 1);
  canvas.width = width * scale;
  canvas.height = rows * pitch * scale;
  const look = getComputedStyle(document.documentElement);
  const [lit, unlit] = ["--match", "--unlit"].map((name) => look.getPropertyValue(name));
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  const side = pitch - Math.max(Math.round(pitch / 5), 1);
  const line = Math.max(side / 12, 1);
  let [full, part] = [0, 0];
  for (let cell = 0; cell * size < count; cell++) {
    const [first, end] = [cell * size, Math.min((cell + 1) * size, count)];
    const here = size === 1 ? hasBit(mask, first) : countBetween(mask, first, end);
    const [x, y] = [(cell % columns) * pitch, Math.floor(cell / columns) * pitch];
    context.fillStyle = context.strokeStyle = here ? lit : unlit;
    if (here === end - first) {
      full++;
      context.fillRect(x, y, side, side);
    } else if (here) {
      part++;
      const high = Math.max(((side - line) * here) / (end - first), 1);
      context.lineWidth = line;
      context.strokeRect(x + line / 2, y + line / 2, side - line, side - line);
      context.fillRect(x, y + side - high, side, high);
    } else {
      const dot = Math.max(Math.round(side / 2.6), 1); // small, and hollow if large enough
      const [left, top] = [x + (side - dot) / 2, y + (side - dot) / 2];
      if (dot < 4) context.fillRect(left, top, dot, dot);
      else {
        context.lineWidth = line;
        context.strokeRect(left, top, dot, dot);
      }
    }
  }
  figure.layout = layout;
  legend(figure, layout, full, part, count);
}

function legend(figure, { size }, full, part, count) {
  const glyph = (sign, look) => h("span", { class: look, "aria-hidden": "true" }, `${sign} `);
  const each = size === 1 ? "each square is a node" : `each square is ${grouped(size)} nodes`;
  const words = [];
  if (full) words.push(h("span", {}, glyph("■", "lit-glyph"), size === 1 ? "matches" : "all match"));
  if (part) words.push(h("span", {}, glyph("◧", "lit-glyph"), "some match"));
  if (full + part < Math.ceil(count / size)) {
    words.push(h("span", {}, glyph("□", "unlit-glyph"), size === 1 ? "does not" : "none match"));
  }
  if (figure.classList.contains("stale")) words.unshift(h("span", {}, "for the last text that could be read:"));
  figure.querySelector("figcaption").replaceChildren(...words, h("span", {}, each), h("span", { class: "at" }));
}

/** Shows the nodes of the square under the pointer in the caption. */
function pointedAt(figure, event, mask, cluster) {
  const { pitch, columns, size } = figure.layout ?? {};
  const out = figure.querySelector(".at");
  if (!pitch || !out) return;
  const box = figure.querySelector("canvas").getBoundingClientRect();
  const [x, y] = [Math.floor((event.clientX - box.left) / pitch), Math.floor((event.clientY - box.top) / pitch)];
  const first = (y * columns + x) * size;
  const isInside = event.type !== "pointerleave" && x >= 0 && x < columns && y >= 0 && first < cluster.count;
  if (!isInside) {
    out.textContent = "";
    return;
  }
  const last = Math.min(first + size, cluster.count) - 1;
  const here = countBetween(mask, first, last + 1);
  const hosts = hostlistText(cluster.index.pick([[first, last]], 4), 3);
  const ranks = idsetText(cluster.ranksAt([[first, last]], 4), 3);
  const answer = size === 1 ? (here ? "matches" : "does not match") : `${grouped(here)} of ${counted(last - first + 1, "node")} match`;
  out.textContent = [hosts, `rank ${ranks}`, answer].filter(Boolean).join(" · ");
}

// The list, the box and the keys

class Page {
  constructor() {
    const find = (id) => document.getElementById(id);
    document.documentElement.classList.add("js");
    this.cluster = new Cluster(JSON.parse(find("cluster").textContent));
    this.sections = [...document.querySelectorAll("main > section")];
    this.masks = new Map(); // the masks of the figures drawn so far
    this.box = find("box");
    this.short = find("short");
    this.asked = h("section", { id: "asked", "aria-labelledby": "asking", hidden: "" });
    find("steps").append(this.asked);
    [this.back, this.next, this.list] = ["back", "next", "list"].map(find);
    this.number = 0;
    this.good = null; // the last answer of the box without errors
    this.listen();
    this.goTo(this.fromAddress(), false);
  }

  fromAddress() {
    const number = Number(location.hash.slice(1)) - 1;
    return Number.isInteger(number) && number >= 0 ? Math.min(number, this.sections.length - 1) : 0;
  }

  listen() {
    const step = (by) => () => this.goTo(this.number + by);
    this.back.addEventListener("click", step(-1));
    this.next.addEventListener("click", step(1));
    this.list.addEventListener("change", () => this.goTo(this.list.selectedIndex));
    this.box.addEventListener("input", () => this.ask());
    this.box.form.addEventListener("submit", (event) => event.preventDefault());
    addEventListener("hashchange", () => this.goTo(this.fromAddress(), false));
    addEventListener("keydown", (event) => this.key(event));
    addEventListener("resize", () => this.draw());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    addEventListener("beforeprint", () => this.print(true));
    addEventListener("afterprint", () => this.print(false));
    for (const name of ["pointermove", "pointerleave"]) {
      document.querySelector("main").addEventListener(name, (event) => this.point(event), true);
    }
  }

  key(event) {
    const isTyping = event.target === this.box;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && (isTyping || this.box.value)) {
      this.box.value = "";
      this.ask();
      this.box.blur();
    } else if (isTyping || event.target === this.list) return;
    else if (event.key === "/") this.box.select();
    else if (event.key === "ArrowRight") this.goTo(this.number + 1);
    else if (event.key === "ArrowLeft") this.goTo(this.number - 1);
    else if (event.key === "Home") this.goTo(0);
    else if (event.key === "End") this.goTo(this.sections.length - 1);
    else return;
    if (event.key === "/") this.box.focus();
    event.preventDefault();
  }

  /** Shows a constraint of the list; if the user chose it, updates the address and the focus. */
  goTo(number, isChosen = true) {
    if (this.box.value) {
      this.box.value = "";
      this.ask();
    }
    const before = this.number;
    this.number = Math.max(0, Math.min(number, this.sections.length - 1));
    this.show();
    if (!isChosen || this.number === before) return;
    history.replaceState(null, "", `#${this.number + 1}`);
    scrollTo(0, 0);
    this.sections[this.number].querySelector("h2").focus({ preventScroll: true });
  }

  show() {
    const isAsking = Boolean(trimmed(this.box.value));
    this.sections.forEach((section, n) => (section.hidden = isAsking || n !== this.number));
    this.asked.hidden = !isAsking;
    this.back.disabled = this.number === 0;
    this.next.disabled = this.number === this.sections.length - 1;
    this.list.selectedIndex = this.number;
    this.draw();
  }

  /** Answers the text in the box. While it has errors the last map stays, but paler. */
  ask() {
    const text = this.box.value;
    const isBlank = !trimmed(text);
    const found = isBlank ? null : answer(text, this.cluster);
    this.box.setAttribute("aria-invalid", String(Boolean(found && !found.constraint)));
    this.short.textContent = found ? (found.mask ? `${grouped(found.count)} of ${counted(this.cluster.count, "node")}` : "cannot be read") : "";
    this.short.className = found && !found.count ? "none" : "";
    if (isBlank) this.good = null;
    else {
      const made = answerElement(found, this.cluster);
      if (found.mask) this.good = found;
      else if (this.good) {
        const stale = mapElement(this.good, this.cluster);
        stale.classList.add("stale");
        made.querySelector(".sight").append(stale);
      }
      const place = h("p", { class: "place" }, "your constraint");
      this.asked.replaceChildren(place, h("h2", { id: "asking", class: "read" }, "Your constraint"), made);
    }
    this.show();
  }

  maskOf(figure) {
    if (this.asked.contains(figure)) return this.good?.mask;
    if (!this.masks.has(figure)) {
      const text = figure.closest("section").querySelector(".constraint").dataset.text;
      const { constraint } = readConstraint(text);
      this.masks.set(figure, constraint ? match(constraint, this.cluster) : this.cluster.everything);
    }
    return this.masks.get(figure);
  }

  /** Draws the visible maps, and scrolls the lines of problems to their carets. */
  draw() {
    for (const figure of document.querySelectorAll("main .map")) {
      const mask = figure.clientWidth ? this.maskOf(figure) : null;
      if (mask) drawMap(figure, mask, this.cluster.count);
    }
    for (const carets of document.querySelectorAll(".problems i")) {
      const line = carets.parentElement;
      line.scrollLeft = carets.offsetLeft - line.offsetLeft - line.clientWidth / 2;
    }
  }

  print(isPrinting) {
    document.documentElement.classList.toggle("printing", isPrinting);
    this.draw();
  }

  point(event) {
    const figure = event.target.closest?.(".map");
    if (figure && event.target.tagName === "CANVAS") {
      pointedAt(figure, event, this.maskOf(figure), this.cluster);
    }
  }
}

const thePage = new Page();
