// RFC 31 constraints, read from a query (RFC 35) or from JSON (RFC 8259).
//
// A text that begins with '{' is JSON; every other text is a query. JSON objects become Maps, so
// that no key has a special meaning in JavaScript.

const CONSTRAINT_RULE = "RFC 31";
const JSON_RULE = "RFC 8259";
const MAX_LEVELS = 150;
const MAX_HINTS = 100;
const LONGEST_NUMBER = 4300; // the most digits that Python reads

// JSON with the place of each part

const PIECE_KINDS = ["", "space", "string", "number", "constant", "sign", "bad", "open", "error"];
const PIECE = new RegExp(
  [
    "([ \\t\\r\\n]+)",
    String.raw`("(?:[^"\\\x00-\x1f]|\\(?:["\\\/bfnrt]|u[0-9a-fA-F]{4}))*")`,
    String.raw`(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+\-]?[0-9]+)?(?![${WORD}.]))`,
    `((?:true|false|null)(?![${WORD}]))`,
    String.raw`([\]\[\{\}:,])`,
    String.raw`("(?:[^"\\\n]|\\[^\n])*")`,
    String.raw`("(?:[^"\\\n]|\\[^\n])*\\?)`,
    String.raw`([^${SPACE}"\{\}:,\[\]]+|.)`,
  ].join("|"),
  "gsu"
);
const A_STRING = "a string";
const A_VALUE = [A_STRING, "'{'", "'['", "a number", "true", "false", "null"];

class Wrong extends Error {
  constructor(message, span, expected) {
    super(message);
    this.problem = problem(message, span, { expected, rule: JSON_RULE });
  }
}

class JsonReader {
  pieces = [];
  keys = new Set();
  index = 0;
  places = new Map();
  problems = [];

  constructor(text) {
    this.text = text;
    PIECE.lastIndex = 0;
    for (let found; (found = PIECE.exec(text)); ) {
      const kind = PIECE_KINDS[found.findIndex((group, n) => n && group !== undefined)];
      const span = [found.index, found.index + found[0].length];
      if (kind !== "space") this.pieces.push({ kind, span, text: found[0] });
    }
  }

  /** The next sign, or the kind of the next piece; "" at the end. */
  peek() {
    const piece = this.pieces[this.index];
    return !piece ? "" : piece.kind === "sign" ? piece.text : piece.kind;
  }

  /** The exception for the next piece, where something else was expected. */
  wrong(expected, message = "") {
    const piece = this.pieces[this.index];
    if (!piece) {
      const end = trimmedEnd(this.text).length;
      return new Wrong(message || "the text is not finished", [end, end], expected);
    }
    const { kind, span, text } = piece;
    const before = this.index ? this.pieces[this.index - 1] : piece;
    if ("}]".includes(text) && before.text === "," && !message) {
      const what = expected === A_VALUE ? "value" : "key";
      return new Wrong(`a ${what} is missing after ','`, before.span, expected);
    }
    if (kind === "error" && !message && expected.includes(A_STRING)) {
      const lower = text.toLowerCase();
      const constant = { none: "null", nil: "null" }[lower] ?? lower;
      if (expected.includes(constant)) {
        message = `unknown constant '${text}'; did you mean ${constant}?`;
        expected = [constant];
      } else if (text[0] === "'") {
        [message, expected] = ["a string takes double quotes, not single ones", ['"']];
      } else if (/^\p{L}/u.test(text) && lengthOf(text) <= 40) {
        [message, expected] = [`'${text}' needs double quotes`, [`"${text}"`]];
      }
    }
    if (kind === "open") return new Wrong("the string is not closed", span, ["'\"'"]);
    if (kind === "bad") return new Wrong("the string has a bad escape or a control character", span, []);
    return new Wrong(message || `'${shortened(text)}' does not belong here`, span, expected);
  }

  take(...expected) {
    if (!expected.includes(this.peek())) throw this.wrong(expected.map((sign) => `'${sign}'`));
    return this.pieces[this.index++];
  }

  /** value : object | array | string | number | 'true' | 'false' | 'null' */
  value(path, depth) {
    const kind = this.peek();
    if (depth > MAX_LEVELS) {
      throw this.wrong([], `the text is nested deeper than ${MAX_LEVELS} levels`);
    }
    if (kind === "{" || kind === "[") {
      const start = this.take(kind).span[0];
      const found = kind === "{" ? this.object(path, depth) : this.array(path, depth);
      const end = this.pieces[this.index - 1].span[1];
      this.places.set(`=${path}`, { span: [start, end], chunks: [] });
      return found;
    }
    if (!["string", "number", "constant"].includes(kind)) throw this.wrong(A_VALUE);
    const { span, text } = this.take(kind);
    const isPlain = kind === "string" && !text.includes("\\");
    this.places.set(`=${path}`, { span, chunks: isPlain ? [[span[0] + 1, span[1] - 1]] : [] });
    const isWhole = kind === "number" && !/[.eE]/.test(text);
    const isLong = isWhole && text.replace("-", "").length > LONGEST_NUMBER;
    if (isLong || (kind === "number" && !isWhole && !Number.isFinite(Number(text)))) {
      throw new Wrong("the number is too large", span, []);
    }
    return JSON.parse(text);
  }

  /** object : '{' [ string ':' value ( ',' string ':' value )* ] '}' */
  object(path, depth) {
    const found = new Map();
    if (this.peek() === "}") {
      this.take("}");
      return found;
    }
    for (;;) {
      if (this.peek() !== "string") throw this.wrong(found.size ? [A_STRING] : [A_STRING, "'}'"]);
      this.keys.add(this.index);
      const { span, text } = this.take("string");
      const key = JSON.parse(text);
      const here = at(path, key);
      if (found.has(key)) {
        const message = `duplicate key '${shortened(key)}'; the last one counts`;
        this.problems.push(problem(message, span, { path: here, rule: JSON_RULE, warning: true }));
      }
      this.places.set(here, { span, chunks: [] });
      this.take(":");
      found.set(key, this.value(here, depth + 1));
      if (this.take(",", "}").text === "}") return found;
    }
  }

  /** array : '[' [ value ( ',' value )* ] ']' */
  array(path, depth) {
    const found = [];
    if (this.peek() === "]") {
      this.take("]");
      return found;
    }
    for (;;) {
      found.push(this.value(at(path, found.length), depth + 1));
      if (this.take(",", "]").text === "]") return found;
    }
  }
}

/** Reads a JSON text: its value, tokens, places and problems; stops at the first error. */
function parseJson(text) {
  const reader = new JsonReader(text);
  let value;
  try {
    value = reader.value("", 1);
    if (reader.peek()) throw reader.wrong([], "nothing may follow the end of the document");
  } catch (wrong) {
    if (!(wrong instanceof Wrong)) throw wrong;
    reader.problems.push(wrong.problem);
  }
  const kinds = { sign: "punctuation", open: "error", bad: "error" };
  const tokens = reader.pieces.map(({ kind, span }, n) => [
    reader.keys.has(n) ? "key" : kinds[kind] ?? kind, span,
  ]);
  return { value, tokens, places: reader.places, problems: reader.problems };
}

// Constraints: { operator, values, path, span, spans }, with the hosts or ids of a list

const CONSTRAINT_OPERATORS = ["properties", "hostlist", "ranks", "not", "and", "or"];
const JOINS = ["not", "and", "or"];
const SHORT_NAMES = { host: "hostlist", hosts: "hostlist", rank: "ranks", property: "properties" };
const ILLEGAL = "!&'\"^`|()";
const ILLEGAL_SIGN = /[!&'"^`|()]/;
const MEANT_NOT = /^![^!&'"^`|()]+$/;

// Blanks at which Flux splits hosts, and commas that it ignores.
const BLANKS_OUTSIDE = new RegExp(`[${SPACE}]+(?![^[]*\\])`, "g");
const SPARE_COMMAS = /^(\[?),+|,+(\]?)$|(,),+/g;

/** The kind of a JSON value, with its article. */
function kindOf(value) {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return "a string";
  return value instanceof Map ? "an object" : Array.isArray(value) ? "an array" : "a number";
}

class ConstraintReader {
  problems = [];

  constructor(places, valueMark, isQuery) {
    this.places = places;
    this.valueMark = valueMark;
    this.isQuery = isQuery;
    this.names = isQuery ? Object.keys(OPERATORS) : CONSTRAINT_OPERATORS;
  }

  /** The span in the text of a path, or of the characters inner of the string at that path. */
  locate(path, inner = null) {
    return locate(this.places, this.valueMark, path, inner);
  }

  error(message, path, expected = []) {
    this.add(problem(message, null, { expected, rule: CONSTRAINT_RULE }), path);
  }

  add(one, path) {
    this.problems.push({ ...one, span: this.locate(path, one.span), path: path || null });
  }

  read(obj, path, depth) {
    if (!(obj instanceof Map)) {
      this.error(`a constraint is an object, not ${kindOf(obj)}`, path, ['{"properties": [...]}']);
      return null;
    }
    if (depth > MAX_LEVELS) {
      this.error(`the constraint is nested deeper than ${MAX_LEVELS} levels`, path);
      return null;
    }
    if (!obj.size) return { operator: "", values: [], path, span: this.locate(path), spans: [] };
    if (obj.size > 1) {
      const names = [...obj.keys()].slice(0, 5).map((name) => shortened(name));
      if (obj.size > 5) names.push("...");
      const message = `a constraint has one operator, not ${obj.size} (${names.join(", ")})`;
      this.error(message, path, ['{"and": [...]} around one object for each']);
    }
    const found = [...obj].map(([name, values]) => this.operator(name, values, path, depth));
    return found.length === 1 ? found[0] : null;
  }

  /** One operator with its values; whole is the path of the object around them. */
  operator(name, values, whole, depth) {
    const path = at(whole, name);
    if (!CONSTRAINT_OPERATORS.includes(name)) {
      this.unknown(name, path);
      return null;
    }
    const isJoin = JOINS.includes(name);
    const what = isJoin ? "constraints" : "strings";
    if (!Array.isArray(values)) {
      const message = `the values of ${shown(name)} are an array of ${what}, not ${kindOf(values)}`;
      this.error(message, path, [`[...] with ${what} in it`]);
      return null;
    }
    if (isJoin) {
      const parts = values.map((value, n) => this.read(value, at(path, n), depth + 1));
      const kept = parts.filter((part) => part !== null);
      return { operator: name, values: kept, path: whole, span: this.locate(whole), spans: [] };
    }
    values.forEach((value, n) => {
      if (typeof value === "string") return;
      const message = `a value of ${shown(name)} is a string, not ${kindOf(value)}`;
      this.error(message, at(path, n), ["a string"]);
    });
    return values.every((value) => typeof value === "string") ? this.term(name, values, path, whole) : null;
  }

  term(operator, values, path, whole) {
    const paths = values.map((_, n) => at(path, n));
    let span = this.locate(whole);
    const spans = paths.map((one) => this.locate(one));
    if (operator === "properties") {
      values.forEach((value, n) => this.checkName(value, paths[n]));
      const [first, last] = [spans[0], spans[spans.length - 1]];
      // Flux merges properties, so the span is from the first to the last.
      if (span && first && last) span = [Math.min(span[0], first[0]), Math.max(span[1], last[1])];
      return { operator, values, path: whole, span, spans };
    }
    if (operator === "ranks") {
      let ids = [];
      values.forEach((value, n) => {
        const tidy = value.replace(SPARE_COMMAS, (_, a = "", b = "", c = "") => a + b + c);
        ids = ids.concat(this.operand(parseIdset, value, tidy, paths[n]).found.ranges);
      });
      return { operator, values, ids: union(ids), path: whole, span, spans };
    }
    const texts = values.map((value, n) => {
      const tidy = trimmed(value).replace(BLANKS_OUTSIDE, ",");
      return this.operand(parseHostlist, value, tidy, paths[n]).text;
    });
    const { ranges, problems } = parseHostlist(texts.join(","));
    // All of them together may be too many.
    problems.filter(isError).forEach((one) => this.add({ ...one, span: null }, path));
    return { operator, values, hosts: ranges, path: whole, span, spans };
  }

  unknown(name, path) {
    if (!name) {
      this.error("the operator has no name", path, this.names);
      return;
    }
    const short = (word) => (Object.hasOwn(SHORT_NAMES, word ?? "") ? SHORT_NAMES[word] : null);
    let near = short(name);
    if (near === null && this.problems.length < MAX_HINTS) {
      const names = [...this.names, ...Object.keys(SHORT_NAMES)];
      const word = nearest(name, names) || nearest(name.toLowerCase(), this.names);
      near = this.names.includes(word) ? word : short(word);
    }
    const message = `unknown operator ${shown(name)}${near ? `; did you mean ${near}?` : ""}`;
    this.error(message, path, near ? [near] : this.names);
  }

  /** Checks a property name (RFC 20), possibly after a ^ that excludes it. */
  checkName(value, path) {
    const halved = noCharacter(value, CONSTRAINT_RULE);
    if (halved) {
      this.add(halved, path);
      return;
    }
    const start = value.startsWith("^") ? 1 : 0;
    const found = ILLEGAL_SIGN.exec(value.slice(start));
    if (found) {
      const name = shown(value.slice(start));
      let message = `property name ${name} holds ${shown(found[0])}, which is not allowed`;
      if (!this.isQuery && MEANT_NOT.test(value)) {
        message = `write ${shown(`^${value.slice(1)}`)} for nodes without it; ${message}`;
      }
      const span = [start + found.index, start + found.index + 1];
      const expected = [`none of ${[...ILLEGAL].join(" ")}`];
      this.add(problem(message, span, { expected, rule: "RFC 20" }), path);
    } else if (value === "^" || (!value && !this.isQuery)) {
      const message = value
        ? "'^' names no property to exclude"
        : "leave the empty name out; no node can have a property without a name";
      this.add(problem(message, null, { rule: CONSTRAINT_RULE, warning: true }), path);
    }
  }

  /** Reads an idset or hostlist; its problems are warnings if Flux accepts it, read as tidy. */
  operand(parse, value, tidy, path) {
    const parsed = parse(value);
    const isOk = !parsed.problems.some(isError);
    const other = isOk ? parsed : parse(tidy);
    const isTolerated = !isOk && !other.problems.some(isError);
    let { problems } = parsed;
    const isWord = /^\p{L}/u.test(value) && this.isQuery && !isOk;
    if (parse === parseIdset && isWord && !parseHostlist(value).problems.some(isError)) {
      const message = `write ${shown(`host:${value}`)} for hosts; ${problems[0].message}`;
      problems = [{ ...problems[0], message }];
    }
    problems.forEach((one) => this.add(isTolerated ? { ...one, severity: "warning" } : one, path));
    return { text: isOk ? value : isTolerated ? tidy : "", found: other };
  }
}

function locate(places, valueMark, path, inner) {
  const found = (inner ? null : places.get(path)) ?? places.get(valueMark + path) ?? places.get(path);
  if (!found) return null;
  if (!inner || !found.chunks.length) return found.span;
  return place(found.chunks, ...inner);
}

/**
 * Reads the text of a constraint: { text, constraint, tokens, problems, isJson, places }.
 *
 * The constraint is null if there is an error or the text is blank. Spans are in UTF-16 units.
 */
function readConstraint(text) {
  const nothing = { text, constraint: null, tokens: [], problems: [], isJson: false, places: new Map() };
  const refused = unreadable("constraint", text, CONSTRAINT_RULE);
  if (refused) return { ...nothing, tokens: [["error", [0, text.length]]], problems: [refused] };
  if (!trimmed(text)) return nothing;
  if (!trimmedStart(text).startsWith("{")) return readQuery(text, nothing);
  const parsed = parseJson(text);
  let { problems } = parsed;
  let constraint = null;
  if (!problems.some(isError)) {
    const reader = new ConstraintReader(parsed.places, "=", false);
    constraint = reader.read(parsed.value, "", 1);
    const found = capped(reader.problems);
    if (found.some(isError)) constraint = null;
    problems = [...problems, ...found];
  }
  return { ...nothing, constraint, tokens: parsed.tokens, problems, isJson: true, places: parsed.places };
}

function readQuery(text, nothing) {
  const parsed = parseQuery(text);
  const { tokens } = parsed;
  if (!parsed.tree) return { ...nothing, tokens, problems: parsed.problems };
  const places = new Map();
  const obj = toObject(parsed.tree, places);
  const reader = new ConstraintReader(places, "", true);
  const constraint = reader.read(obj, "", 1);
  // Only the syntax error is reported at its characters.
  const errors = parsed.problems.filter((one) => isError(one) && one.span).map((one) => one.span);
  const further = reader.problems.filter(
    ({ span }) => !errors.some((error) => span && span[0] < error[1] && error[0] < span[1])
  );
  const problems = [...parsed.problems, ...further.map((one) => ({ ...one, path: null }))];
  problems.sort(inOrder);
  const isOk = !parsed.problems.some(isError) && !reader.problems.some(isError);
  return { ...nothing, constraint: isOk ? constraint : null, tokens, problems: capped(problems), places };
}

/** Adds the spans in the text to problems with a path in the constraint, such as hints. */
function located(reading, problems) {
  const mark = reading.isJson ? "=" : "";
  const placed = problems.map((one) => ({
    ...one,
    span: locate(reading.places, mark, one.path ?? "", null),
    path: reading.isJson ? one.path : null,
  }));
  return capped(placed);
}

/** The RFC 31 object of a constraint. */
function objectText(constraint) {
  const { operator, values } = constraint;
  if (!operator) return "{}";
  const parts = values.map((value) => (typeof value === "string" ? JSON.stringify(value) : objectText(value)));
  return `{${JSON.stringify(operator)}: [${parts.join(", ")}]}`;
}
