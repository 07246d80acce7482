// Shared by all parts: text helpers, and problems with their messages and places.
//
// A span is [start, end] in UTF-16 units while a text is read; `inCodePoints` converts it to code
// points, as in Python, before it is shown. Messages, limits and names are the same as in fluxtui's
// Python readers of these languages; a test compares the two.

const MAX_LENGTH = 65536;
const MAX_PROBLEMS = 100;
const MAX_OF_LIST = 20;
const ENOUGH = 1000;
const LONGEST_MESSAGE = 500;

// White space and word characters as in Python's regular expressions.
const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const WORD = "\\p{L}\\p{N}_";
// Invisible characters: control and format characters, spaces, and letters without a glyph.
const HIDDEN =
  "\\p{C}\\p{Z}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180d\\u180f\\u2800\\u3164\\ufe00-\\ufe0f" +
  "\\uffa0\\u{e0100}-\\u{e01ef}";
const HIDDEN_SIGN = new RegExp(`(?! )[${HIDDEN}]`, "gu");

const BLANK = new RegExp(`[${SPACE}]`);
const BLANKS = new RegExp(`[${SPACE}]+`);
const BLANKS_BEFORE = new RegExp(`^[${SPACE}]+`);
const BLANKS_AFTER = new RegExp(`(?<![${SPACE}])[${SPACE}]+$`);
const DIGITS_ONLY = /^[0-9]+$/;

const trimmedStart = (text) => text.replace(BLANKS_BEFORE, "");
const trimmedEnd = (text) => text.replace(BLANKS_AFTER, "");
const trimmed = (text) => trimmedStart(trimmedEnd(text));
const lengthOf = (text) => (/[\ud800-\udfff]/.test(text) ? [...text].length : text.length);

/** A problem: a sentence, its span in the text, its path in a JSON document, what was expected. */
function problem(message, span, { path = null, expected = [], rule = "", warning = false } = {}) {
  return { message, span, path, expected, rule, severity: warning ? "warning" : "error", many: 1 };
}

const isError = (one) => one.severity === "error";

/** A number with commas, such as 1,234. */
const grouped = (number) => String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ",");

/** A number with its noun: 1 node, 1,234 nodes. */
const counted = (number, noun) => `${grouped(number)} ${noun}${number == 1 ? "" : "s"}`;

/** Words in a row: a, b and c. */
function listed(words, last = "and") {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} ${last} ${words[words.length - 1]}`;
}

/** A text for quoting in messages: printable, with its middle cut if longer than most. */
function shortened(text, most = 60) {
  const letters = [...text.replace(HIDDEN_SIGN, escaped)];
  if (letters.length <= most) return letters.join("");
  const tail = Math.floor(most / 3);
  return `${letters.slice(0, most - tail - 1).join("")}…${letters.slice(-tail).join("")}`;
}

/** A part of a text for a message, in quotes of the kind that it does not contain. */
function shown(text) {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  return mark + shortened(text) + mark;
}

/** The problem that stands for those left out of a list. */
function further(others, more) {
  const many = others.reduce((sum, one) => sum + one.many, 0);
  const [start, end] = [others[0].span, others[others.length - 1].span];
  const span = start && end ? [start[0], Math.max(start[1], end[1])] : null;
  const warning = !others.some(isError);
  return { ...problem(`${grouped(many)} ${more}`, span, { rule: others[0].rule, warning }), many };
}

/** The first problems; if there are too many, a last one says how many more there are. */
function capped(problems) {
  if (problems.length <= MAX_PROBLEMS + 1) return problems;
  const rest = further(problems.slice(MAX_PROBLEMS), "more problems from here on");
  return [...problems.slice(0, MAX_PROBLEMS), rest];
}

/** The first few problems of a list of ids or names; isCut if it was not read to its end. */
function firstOf(problems, what, isCut) {
  if (problems.length <= MAX_OF_LIST + 1) return problems;
  const rest = further(problems.slice(MAX_OF_LIST), `more problems of this kind in the ${what}`);
  if (isCut) {
    rest.message = `more than ${grouped(ENOUGH)} problems; the ${what} is not read any further`;
  }
  return [...problems.slice(0, MAX_OF_LIST), rest];
}

const inOrder = (one, other) => {
  const [a, b] = [one.span ?? [0, 0], other.span ?? [0, 0]];
  return a[0] - b[0] || a[1] - b[1] || (one.severity < other.severity ? -1 : one.severity > other.severity ? 1 : 0);
};

function tooLong(what, text, rule, most) {
  const length = lengthOf(text);
  const message = `the ${what} has ${grouped(length)} characters; more than ${grouped(most)} are not read`;
  return problem(message, [most, length], { expected: [`at most ${grouped(most)} characters`], rule });
}

/** The problem of a text with a lone surrogate, which is not a character; null without one. */
function noCharacter(text, rule) {
  const found = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.exec(text);
  if (!found) return null;
  const code = found[0].charCodeAt(0);
  const isByte = code >= 0xdc80 && code <= 0xdcff;
  const message = isByte
    ? `the byte 0x${(code - 0xdc00).toString(16)} is not UTF-8`
    : `\\u${code.toString(16)} is half of a character`;
  const span = [found.index, found.index + 1];
  return problem(message, span, { expected: ["a Unicode character"], rule });
}

/** Why a text is not read at all; null if it is. */
function unreadable(what, text, rule) {
  return lengthOf(text) > MAX_LENGTH ? tooLong(what, text, rule, MAX_LENGTH) : noCharacter(text, rule);
}

/** A text with invisible characters replaced by escapes. */
function printable(text) {
  return text.replace(HIDDEN_SIGN, escaped);
}

/** An invisible character as Python escapes it. */
function escaped(sign) {
  const plain = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }[sign];
  if (plain) return plain;
  const code = sign.codePointAt(0);
  const [mark, size] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
  return `\\${mark}${code.toString(16).padStart(size, "0")}`;
}

/** The Python literal of a string. */
function quotedName(text) {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = text.replace(/\\/g, "\\\\").replace(mark === "'" ? /'/g : /(?!)/g, "\\'");
  return mark + inner.replace(/(?! )[\p{C}\p{Z}]/gu, escaped) + mark;
}

const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_-]*$/;
const IDENTIFIER = /^[\p{XID_Start}_][\p{XID_Continue}]*$/u;

/** A path extended by steps: at("a", 0, "b") is a[0].b. */
function at(path, ...steps) {
  for (const step of steps) {
    if (typeof step === "number") path += `[${step}]`;
    else if (PLAIN_KEY.test(step) || IDENTIFIER.test(step.replace(/-/g, "_"))) {
      path += path ? `.${step}` : step;
    } else path += `[${quotedName(step)}]`;
  }
  return path;
}

/** The span in a text of the characters start to end of its joined chunks. */
function place(chunks, start, end) {
  let first = null;
  let last = null;
  for (const [from, to] of chunks) {
    if (first === null && start < to - from) first = from + start;
    if (last === null && end <= to - from) last = from + end;
    start -= to - from;
    end -= to - from;
  }
  const final = chunks.length ? chunks[chunks.length - 1][1] : 0;
  first ??= final;
  return [first, Math.max(first, last ?? final)];
}

/** The problems and tokens of a text with their spans in code points. */
function inCodePoints(text, problems, tokens) {
  if (!/[\ud800-\udfff]/.test(text)) return { problems, tokens };
  const counts = [0];
  for (let unit = 0, count = 0; unit < text.length; unit++) {
    const isSecond = /[\udc00-\udfff]/.test(text[unit]) && /[\ud800-\udbff]/.test(text[unit - 1] ?? "");
    if (!isSecond) count++;
    counts.push(count);
  }
  const moved = (span) => span && span.map((unit) => counts[Math.min(unit, text.length)]);
  return {
    problems: problems.map((one) => ({ ...one, span: moved(one.span) })),
    tokens: tokens.map(([kind, span]) => [kind, moved(span)]),
  };
}

// Close names, as found by Python's difflib

/** The number of characters in matching blocks of two sequences. */
function matching(a, b, alo = 0, ahi = a.length, blo = 0, bhi = b.length) {
  let [size, i, j] = [0, alo, blo];
  let before = new Map();
  for (let x = alo; x < ahi; x++) {
    const here = new Map();
    for (let y = blo; y < bhi; y++) {
      if (a[x] !== b[y]) continue;
      const length = (before.get(y - 1) ?? 0) + 1;
      here.set(y, length);
      if (length > size) [size, i, j] = [length, x - length + 1, y - length + 1];
    }
    before = here;
  }
  if (!size) return 0;
  return size + matching(a, b, alo, i, blo, j) + matching(a, b, i + size, ahi, j + size, bhi);
}

const byText = (a, b) => {
  const [one, other] = [[...a], [...b]];
  for (let n = 0; n < Math.min(one.length, other.length); n++) {
    if (one[n] !== other[n]) return one[n].codePointAt(0) - other[n].codePointAt(0);
  }
  return one.length - other.length;
};

/** The names most similar to a misspelt word, the closest first. */
function closest(word, names, most) {
  const letters = [...word];
  if (letters.length > 100) return [];
  const found = [];
  for (const name of names.slice(0, 1000)) {
    const other = [...name];
    if (other.length > 200) continue;
    const length = letters.length + other.length;
    const ratio = length ? (2 * matching(other, letters)) / length : 1;
    if (ratio >= 0.6) found.push([ratio, name]);
  }
  found.sort((a, b) => b[0] - a[0] || byText(b[1], a[1]));
  return found.slice(0, most).map(([, name]) => name);
}

const nearest = (word, names) => closest(word, names, 1)[0] ?? null;
