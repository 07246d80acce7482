// Constraint queries such as gpu&-debug|host:n[1-3] (RFC 35), as flux-core reads them.
//
// The grammar, with the loosest operator first; adjacent operands are joined by and:
//
//   expr    : expr '|' expr  |  expr '&' expr  |  expr expr
//           | 'not' expr  |  '(' expr ')'  |  '-' term  |  term
//   term    : [name ':'] operand
//
// As in Flux, an operand that follows a|b without an operator is joined to the whole: a|b c is
// (a|b)&c; but if it begins with 'not' or '-' it is joined to b alone. A word ending in a colon is
// joined to the next word; empty quotes vanish; quotes end a word. Warnings point out surprises.

const QUERY_RULE = "RFC 35";
const QUERY_DEPTH = 100;

const [NONE, OPEN, OR, AND, NOT] = [-2, -1, 1, 2, 3];
// How strongly the next word binds; a term or an opening parenthesis does not bind at all.
const PULL = { term: 0, open: 0, or: OR, and: AND, not: NOT, negate: 4, close: NONE, end: NONE };
const STARTS = ["term", "open", "not", "negate"];

const KINDS = ["end", "negate", "not", "and", "or", "open", "close", "term", "quote"];
const WORDS = new RegExp(
  `[ \\t\\r\\n\\f\\v]*(?:(-)|(not(?![${WORD}]))|(&{1,2}|and(?![${WORD}]))|(\\|{1,2}|or(?![${WORD}]))` +
    `|(\\()|(\\))|([^()|&${SPACE}"']+)|(["'])|$)`,
  "uy"
);
const TERM = new RegExp(`[^()|&${SPACE}"']+`, "uy");
const BAD_NAME = new RegExp(`[^${WORD}.+@-]`, "u");
const NEXT_TERM = new RegExp(`,(-?)([A-Za-z][${WORD}]*):`, "u");
const PLAIN_NAME = new RegExp(`^[${WORD}.+@][${WORD}.+@-]*$`, "u");
const KEYWORDS = ["and", "or", "not"];

/** Operator names, and the RFC 31 operator that each one means. */
const OPERATORS = {
  host: "hostlist", hosts: "hostlist", hostlist: "hostlist",
  rank: "ranks", ranks: "ranks", properties: "properties",
};
const operatorOf = (name) => (Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : name);

const TERM_STARTS = ["a property name", "host:", "rank:", "not", "'-'", "'('"];

/** Whether a property name is only that in a query, and needs no quotes. */
const isPlainName = (name) => PLAIN_NAME.test(name) && !KEYWORDS.includes(name.toLowerCase());

const sticky = (pattern, text, start) => {
  pattern.lastIndex = start;
  return pattern.exec(text);
};

const queryProblem = (message, span, expected = []) =>
  problem(message, span, { expected, rule: QUERY_RULE });
const advice = (message, span) => problem(message, span, { rule: QUERY_RULE, warning: true });
const enough = (span) =>
  queryProblem(`more than ${grouped(ENOUGH)} problems; the query is not read any further`, span);

/** What is expected after an operator such as host: */
function operandOf(word) {
  if (["host:", "hosts:", "hostlist:"].includes(word)) return ["a hostlist such as n[1-3]"];
  if (["rank:", "ranks:"].includes(word)) return ["an idset such as 0-3,7"];
  return word === "properties:" ? ["a property name"] : ["a value"];
}

/** Splits a query into words: { kind, span, text, chunks, quoted, node }; node is a parsed term. */
class Lexer {
  words = [];
  tokens = [];
  problems = [];
  waiting = null; // the last word, if it ends with a colon and so needs an operand
  quote = ""; // the quotation mark left open at the end
  illegals = 0;
  termEnd = -1; // where the last term ended, its closing quote included

  constructor(text) {
    this.text = text;
    let position = 0;
    while (position < text.length) {
      const found = sticky(WORDS, text, position);
      position = found ? this.word(found, position) : this.illegal(position);
    }
    if (!this.waiting) return;
    this.waiting = this.read(this.waiting); // a term, but without an operand
    if (this.quote) return;
    const word = this.waiting.text;
    this.problems.push(queryProblem(`nothing follows ${shown(word)}`, this.waiting.span, operandOf(word)));
  }

  /** word : one of the alternatives of WORDS; returns where it ends. */
  word(found, position) {
    const group = found.findIndex((text, n) => n && text !== undefined);
    const kind = KINDS[Math.max(group, 0)];
    const end = position + found[0].length;
    if (kind === "end") return end;
    const word = found[group];
    const span = [end - word.length, end];
    if (kind === "term") this.term(span, span, false);
    else if (kind === "quote") return this.quoted(span[0]);
    else this.sign(kind, word, span);
    return end;
  }

  sign(kind, word, span) {
    this.words.push({ kind, span, text: word, chunks: [], node: null });
    this.tokens.push([kind === "open" || kind === "close" ? "punctuation" : "operator", span]);
    const rest = /^[a-z]/.test(word) ? sticky(TERM, this.text, span[1]) : null;
    if (!rest) return;
    // A keyword ends at the first character that is not a word character: not-ssd.
    const reads = shown(`${word} ${rest[0]}`);
    const message = `${shown(word + rest[0])} reads as ${reads}; put it in quotes for a property of that name`;
    this.problems.push(advice(message, [span[0], span[1] + rest[0].length]));
  }

  /** White space other than the six plain kinds is an error, but separates words. */
  illegal(position) {
    const start = position + sticky(/[ \t\r\n\f\v]*/y, this.text, position)[0].length;
    const span = [start, start + 1];
    const code = this.text.charCodeAt(start).toString(16).toUpperCase().padStart(4, "0");
    this.problems.push(queryProblem(`white space U+${code} is not allowed`, span, ["a plain space"]));
    this.tokens.push(["error", span]);
    this.illegals++;
    if (this.illegals < ENOUGH || span[1] === this.text.length) return span[1];
    const rest = [span[1], this.text.length];
    this.tokens.push(["error", rest]);
    this.problems.push(enough(rest));
    return rest[1];
  }

  /** '"' [^"]* '"' | "'" [^']* "'" ; an unclosed quotation extends to the end of the text. */
  quoted(position) {
    const mark = this.text[position];
    let end = this.text.indexOf(mark, position + 1);
    let after = end + 1;
    this.tokens.push(["punctuation", [position, position + 1]]);
    if (end < 0) {
      this.quote = mark;
      end = after = this.text.length;
      const message = `the quotation mark ${mark} is not closed`;
      this.problems.push(queryProblem(message, [position, position + 1], [`the closing ${mark}`]));
    } else this.tokens.push(["punctuation", [end, after]]);
    if (end > position + 1) this.term([position + 1, end], [position, after], true);
    else if (!this.quote) {
      this.problems.push(advice("empty quotes have no effect; leave them out", [position, after]));
    }
    return after;
  }

  /** A plain word or the inside of quotes, joined to the operator that waits for it, if any. */
  term(inner, outer, quoted) {
    const { text, waiting } = this;
    this.waiting = null;
    let word = { kind: "term", span: outer, text: text.slice(...inner), chunks: [inner], quoted, node: null };
    if (waiting) {
      const between = this.words.slice(-8).find((one) => one.span[0] >= waiting.span[1]);
      if (between) {
        const message =
          `write ${shown(waiting.text + text.slice(...outer))} without a gap; ` +
          `${shown(waiting.text)} takes its operand from beyond ${shown(between.text)}`;
        this.problems.push(advice(message, waiting.span));
      }
      word = {
        ...word,
        span: [waiting.span[0], outer[1]],
        text: waiting.text + word.text,
        chunks: [...waiting.chunks, inner],
        quoted: quoted || waiting.quoted,
      };
    } else if (word.text.endsWith(":")) {
      this.waiting = word;
      return;
    } else if (outer[0] && this.termEnd === outer[0]) {
      // Only a quotation mark separates two words: foo'bar'.
      const before = this.words[this.words.length - 1].span;
      const whole = [before[0], outer[1]];
      const reads = shown(`${text.slice(...before)} ${text.slice(...outer)}`);
      const message = `put all of it in quotes for one term; ${shown(text.slice(...whole))} reads as ${reads}`;
      this.problems.push(advice(message, whole));
    }
    this.termEnd = outer[1];
    this.words.push(this.read(word));
  }

  /** term : [name ':'] operand , properties split at commas; returns the word with its node. */
  read(word) {
    const { text, chunks } = word;
    const colon = text.indexOf(":");
    const name = colon < 0 ? null : text.slice(0, colon);
    const operand = text.slice(colon + 1);
    let start = colon + 1;
    const bad = name === null ? null : BAD_NAME.exec(name);
    if (bad) {
      const after = shown(`${name.slice(name.lastIndexOf(",") + 1)}:`);
      const hint = bad[0] === "," ? `write a space, not a comma, before ${after}; ` : "";
      const message = `${hint}operator name ${shown(name)} holds ${shown(bad[0])}`;
      const span = place(chunks, bad.index, bad.index + bad[0].length);
      this.problems.push(queryProblem(message, span, ["letters, digits and . + @ - _"]));
    }
    const isList = name === null || operatorOf(name) === "properties";
    const values = !operand ? [] : isList ? operand.split(",") : [operand];
    const spans = values.map((value) => {
      const span = place(chunks, start, start + value.length);
      start += value.length + 1;
      return span;
    });
    const nameSpan = name === null ? null : place(chunks, 0, colon + 1);
    const operator = name === null ? "properties" : operatorOf(name);
    const node = { kind: "term", name, operator, values, span: word.span, nameSpan, spans, chunks };
    this.problems.push(...oddities(node, word.quoted));
    this.tokens.push(...coloured(node));
    return { ...word, node };
  }
}

/** The tokens of a term: its operator and values, and for properties each ^ and comma. */
function coloured(node) {
  const tokens = node.nameSpan ? [["operator", node.nameSpan]] : [];
  const isList = node.operator === "properties";
  node.values.forEach((value, n) => {
    const span = node.spans[n];
    let start = span[0];
    if (isList && n) {
      // The comma after the previous value may be at the beginning of the next chunk.
      let end = node.spans[n - 1][1];
      if (node.chunks.some((chunk) => chunk[1] === end)) {
        end = (node.chunks.find((chunk) => chunk[0] > end) ?? [end])[0];
      }
      tokens.push(["punctuation", [end, end + 1]]);
    }
    if (isList && value.startsWith("^")) {
      tokens.push(["operator", [start, start + 1]]);
      start++;
    }
    for (const chunk of node.chunks) {
      const run = [Math.max(start, chunk[0]), Math.min(span[1], chunk[1])];
      if (run[1] > run[0]) tokens.push([isList ? "property" : "value", run]);
    }
  });
  return tokens;
}

/** Warnings about a term that apply to any cluster. */
function oddities(node, quoted) {
  const { operator, values, spans } = node;
  if (["hostlist", "ranks"].includes(operator) && values.length) {
    const found = NEXT_TERM.exec(values[0]);
    if (!found) return [];
    const start = spans[0][0] + found.index;
    const message =
      `write a space, not a comma, before ${shown(`${found[1]}${found[2]}:`)}; ` +
      `all of ${shown(values[0])} is one ${operator === "hostlist" ? "hostlist" : "idset"}`;
    return [advice(message, quoted ? node.span : [start, start + found[0].length])];
  }
  if (operator !== "properties") return [];
  if (values.length > 1 && !values.some(Boolean)) {
    const message =
      "leave this comma out, or the white space beside it; alone it names " +
      "empty properties, which no node can have";
    return [advice(message, [spans[0][0], spans[spans.length - 1][1]])];
  }
  const problems = [];
  values.forEach((value, n) => {
    const span = spans[n];
    if (!value) {
      const isOuter = n === 0 || n === values.length - 1; // then white space may be there
      const message =
        `leave this comma out${isOuter ? ", or the white space beside it" : ""}; nothing ` +
        `comes ${n ? "after" : "before"} it, which names an empty property that no node has`;
      const start = span[0] - (n > 0 ? 1 : 0);
      problems.push(advice(message, [start, start + 1]));
    } else if (value[0] === "!" && value.length > 1) {
      const without = shown(`-${value.slice(1)}`);
      const message = `write ${without} for nodes without it; ${shown(value)} is a property name here`;
      problems.push(advice(message, span));
    } else if (value[0] === "-" && value.length > 1 && n) {
      const message =
        `write a space, not a comma, before ${shown(value)} for nodes without it; ` +
        "here it is a property name";
      problems.push(advice(message, span));
    } else if (!quoted && KEYWORDS.includes(value.toLowerCase())) {
      const message = `${shown(value)} is a property name here; the operator is ${value.toLowerCase()}`;
      problems.push(advice(message, span));
    }
  });
  return problems;
}

/** Parses words into a tree; operands are { node, outer, height, grouped }. */
class Parser {
  index = 0;
  depth = 0;
  ended = false;
  errors = 0;
  opened = [];

  constructor(text, lexed) {
    const end = { kind: "end", span: [0, 0], text: "", node: null };
    this.text = text;
    this.words = [...lexed.words, ...(lexed.waiting ? [lexed.waiting] : []), end, end];
    this.last = this.words.length - 2;
    this.problems = [...lexed.problems];
  }

  get word() {
    return this.words[this.index];
  }

  /** query : expr , continuing after an unmatched closing parenthesis. */
  run() {
    const parts = [];
    if (!this.last) {
      if (!this.problems.some(isError)) {
        this.error("the query is empty", [0, this.text.length], TERM_STARTS);
      }
      return null;
    }
    while (this.index < this.last) {
      if (this.word.kind === "close") {
        this.error("')' closes nothing; no '(' is open", this.word.span);
        this.index++;
      } else {
        const part = this.expression(OPEN);
        if (part) parts.push(part);
      }
    }
    return parts.length ? this.join("and", parts, Array(parts.length - 1).fill(null)).node : null;
  }

  error(message, span, expected = []) {
    this.problems.push(queryProblem(message, span, expected));
    this.errors++;
    if (this.errors !== ENOUGH || this.ended) return;
    this.end();
    this.problems.push(enough([span[1], this.text.length]));
  }

  end() {
    this.ended = true;
    this.index = this.last;
    this.opened = [];
  }

  /** expr : operand ( ['|' | '&'] expr )* , while the words bind more strongly than the rule. */
  expression(rule) {
    this.depth++;
    let left = this.operand();
    while (!left && rule === OPEN && PULL[this.word.kind] > NONE) left = this.operand();
    let kind = "";
    let parts = left ? [left] : [];
    let joins = [];
    while (parts.length) {
      const pull = PULL[this.word.kind];
      if (pull < rule || (pull === rule && rule !== NOT)) break;
      const [joinedBy, level] = pull === OR ? ["or", OR] : ["and", AND];
      let written = null;
      if (pull === OR || pull === AND) {
        written = this.word.span;
        this.index++;
      }
      const right = this.expression(level);
      if (!right) continue;
      if (kind && kind !== joinedBy) {
        if (kind === "or" && !written) {
          const [start, last] = [parts[0].outer[0], parts[parts.length - 1].outer];
          this.problems.push(lateSpace(this.text, start, last, right.outer));
        }
        [parts, joins] = [[this.join(kind, parts, joins)], []];
      }
      kind = joinedBy;
      parts.push(right);
      joins.push(written);
      if (kind === "or" && !right.grouped && right.node.kind !== "term") {
        const early = earlySpace(this.text, parts[0].outer[0], right.outer, right.node);
        if (early) this.problems.push(early);
      }
    }
    this.depth--;
    return parts.length ? this.join(kind, parts, joins) : null;
  }

  join(kind, parts, joins) {
    if (parts.length === 1) return parts[0];
    const outer = [parts[0].outer[0], parts[parts.length - 1].outer[1]];
    const operands = parts.map((part) => part.node);
    const node = { kind: kind === "or" ? "or" : "and", operands, span: outer, joins };
    return this.higher(node, outer, Math.max(...parts.map((part) => part.height)));
  }

  higher(node, outer, height) {
    if (height >= QUERY_DEPTH) this.tooDeep(outer);
    return { node, outer, height: height + 1, grouped: false };
  }

  tooDeep(span) {
    if (!this.ended) this.error(`the query is nested deeper than ${QUERY_DEPTH} levels`, span);
    this.end();
  }

  /** operand : '-' term | 'not' expr | '(' expr ')' | term ; null if there is none. */
  operand() {
    let word = this.word;
    if (!STARTS.includes(word.kind)) {
      let before = this.index ? this.words[this.index - 1] : null;
      while (["and", "or"].includes((word = this.word).kind)) {
        this.error(`expected a term before ${shown(word.text)}`, word.span, TERM_STARTS);
        before = null; // no second problem for the same place
        this.index++;
      }
      if (!STARTS.includes(word.kind)) {
        if (before && !["open", "close", "term"].includes(before.kind)) {
          this.error(`nothing follows ${shown(before.text)}`, before.span, TERM_STARTS);
        }
        return null;
      }
    }
    if (this.depth > 2 * QUERY_DEPTH) { // with parentheses, each level of the tree counts twice
      this.tooDeep(word.span);
      return null;
    }
    this.index++;
    if (word.node) return { node: word.node, outer: word.span, height: 1, grouped: false };
    return word.kind === "open" ? this.group(word) : this.negation(word);
  }

  /** '-' term | 'not' expr */
  negation(sign) {
    const word = this.word;
    let inner;
    if (sign.kind === "negate" && word.node) {
      this.index++;
      inner = { node: word.node, outer: word.span, height: 1, grouped: false };
    } else {
      if (sign.kind === "negate" && ["open", "not", "negate"].includes(word.kind)) {
        const message = `'-' negates one term only; write not before ${shown(word.text)}`;
        this.error(message, sign.span, ["not"]);
      }
      inner = this.expression(NOT);
      if (!inner) return null;
    }
    const { node } = inner;
    const isBare = !inner.grouped && (sign.kind === "not" || node === word.node);
    const whole = [sign.span[0], inner.outer[1]];
    if (node.kind === "term" && node.values.length > 1 && isBare) {
      const found = negatedList(this.text, whole, node);
      if (found) this.problems.push(found);
    } else if (sign.kind === "not" && ["and", "or"].includes(node.kind) && !inner.grouped) {
      const meant = shown(`not (${this.text.slice(...inner.outer)})`);
      const reads = `${shown(this.text.slice(...whole))} reads as ${meant}`;
      this.problems.push(advice(`${reads}; use parentheses to show what not applies to`, whole));
    }
    const outer = [sign.span[0], Math.max(sign.span[1], inner.outer[1])];
    const made = { kind: "not", operands: [node], span: outer, operatorSpan: sign.span };
    return this.higher(made, outer, inner.height);
  }

  /** '(' expr ')' */
  group(opening) {
    this.opened.push(opening);
    const inner = this.expression(OPEN);
    let end = inner ? inner.outer[1] : opening.span[1];
    if (this.word.kind === "close") {
      end = this.word.span[1];
      this.index++;
      this.opened.pop();
      if (!inner && this.words[this.index - 2] === opening) {
        this.error("the parentheses are empty", [opening.span[0], end], TERM_STARTS);
      }
    } else if (this.opened.length) {
      this.error("the parenthesis '(' is not closed", opening.span, ["')'"]);
    }
    if (!inner) return null;
    const outer = [opening.span[0], Math.max(end, inner.outer[1])];
    return { node: inner.node, outer, height: inner.height, grouped: true };
  }
}

/** Warns that -a,b is not (a&b), which matches nodes with one of the two. */
function negatedList(text, whole, node) {
  const names = [...new Set(node.values)];
  const numbered = names.filter((name) => /[0-9]$/.test(name)).length;
  if (names.length < 2 || node.operator !== "properties" || numbered > 1) return null;
  if (!names.every(isPlainName)) return null;
  const single = names.map((name) => `-${name}`).join(" ");
  const neither = names.length === 2 ? "neither" : "none of them";
  const reads = `${shown(text.slice(...whole))} reads as ${shown(`not (${names.join("&")})`)}`;
  return advice(`write ${shown(single)} for nodes with ${neither}; ${reads}`, whole);
}

/** Warns that a|b c is (a|b) c; start is where a begins, last is b and right is c. */
function lateSpace(text, start, last, right) {
  const [any, beside] = [text.slice(start, last[1]), text.slice(...right)];
  const other = `${text.slice(start, last[0])}(${text.slice(...last)} ${beside})`;
  const reads = `${shown(text.slice(start, right[1]))} reads as ${shown(`(${any}) ${beside}`)}`;
  return advice(`${reads}; write ${shown(other)} if you mean that`, [start, right[1]]);
}

/** Warns that a|b -c is a|(b -c), unlike a|b c; right and node come after the last |. */
function earlySpace(text, start, right, node) {
  while (node.kind === "and" && node.joins[node.joins.length - 1] !== null) {
    const last = node.operands[node.operands.length - 1];
    if (last.span[1] !== node.span[1]) return null; // last is in parentheses
    node = last;
  }
  if (node.kind !== "and") return null;
  const split = node.operands[node.operands.length - 1].span[0];
  const head = text.slice(start, right[0]);
  const before = trimmedEnd(text.slice(start, split));
  const other = `(${before}) ${text.slice(split, right[1])}`;
  const reads = `${shown(text.slice(start, right[1]))} reads as ${shown(`${head}(${text.slice(...right)})`)}`;
  return advice(`${reads}; write ${shown(other)} if you mean that`, [start, right[1]]);
}

/** Parses a query: the tree so far, the tokens, and all problems with their spans. */
function parseQuery(text) {
  const refused = unreadable("query", text, QUERY_RULE);
  if (refused) return { tree: null, tokens: [["error", [0, text.length]]], problems: [refused] };
  const lexed = new Lexer(text);
  const parser = new Parser(text, lexed);
  const tree = parser.run();
  const problems = parser.problems.sort(inOrder);
  const tokens = lexed.tokens.sort((a, b) => a[1][0] - b[1][0] || a[1][1] - b[1][1]);
  return { tree, tokens, problems: capped(problems) };
}

/** The RFC 31 object that Flux makes of a query; adds the places of its parts by path. */
function toObject(tree, places) {
  return objectOf(partOf(tree), "", places);
}

/** The spans in a text of the characters start to end of its joined chunks. */
function runsOfText(chunks, start, end) {
  const found = [];
  for (const [from, to] of chunks) {
    const [first, last] = [from + Math.max(start, 0), from + Math.min(end, to - from)];
    if (first < last) found.push([first, last]);
    start -= to - from;
    end -= to - from;
  }
  return found;
}

/** A node of the tree as an RFC 31 part, merged and flattened as Flux does. */
function partOf(node) {
  if (node.kind === "term") {
    let start = node.name === null ? 0 : node.name.length + 1;
    const values = node.values.map((value, n) => {
      const chunks = runsOfText(node.chunks, start, start + value.length);
      start += value.length + 1;
      return { value, place: { span: node.spans[n], chunks } };
    });
    return { operator: node.operator, span: node.span, operatorSpan: node.nameSpan, values };
  }
  if (node.kind === "not") {
    const values = [partOf(node.operands[0])];
    return { operator: "not", span: node.span, operatorSpan: node.operatorSpan, values };
  }
  let part = partOf(node.operands[0]);
  for (const operand of node.operands.slice(1)) {
    const right = partOf(operand);
    const areBoth = part.operator === "properties" && right.operator === "properties";
    if (part.operator === node.kind) part.values.push(right);
    else if (node.kind === "and" && areBoth) part.values.push(...right.values);
    else {
      const span = [part.span[0], right.span[1]];
      part = { operator: node.kind, span, operatorSpan: null, values: [part, right] };
    }
  }
  if (part.operator === node.kind) part.span = node.span;
  return part;
}

function objectOf(part, path, places) {
  const inside = at(path, part.operator);
  places.set(path, { span: part.span, chunks: [] });
  places.set(inside, { span: part.operatorSpan ?? part.span, chunks: [] });
  const values = part.values.map((value, n) => {
    const here = at(inside, n);
    if (value.operator !== undefined) return objectOf(value, here, places);
    places.set(here, value.place);
    return value.value;
  });
  return new Map([[part.operator, values]]);
}
