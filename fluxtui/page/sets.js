// Idsets (RFC 22), hostlists (RFC 29), and bit sets over the nodes of a cluster.
//
// Ranges are never expanded, so the cost of a million nodes is that of their text. Ids may have a
// hundred digits, so they are BigInts; the places of nodes, counted from 0, are numbers.

const SET_RULE = { ids: "RFC 22", hosts: "RFC 29" };
const MAX_DIGITS = 100;
const MAX_BEFORE_DIGITS = 512;
const MAX_WRITTEN_OUT = 1 << 14;

// Idsets

/** idset : '[' ids ']' | ids ; returns its ranges, ascending and disjoint, and its problems. */
function parseIdset(text) {
  const bracketed = text.length >= 2 && text.startsWith("[") && text.endsWith("]");
  const offset = bracketed ? 1 : 0;
  const inner = bracketed ? text.slice(1, -1) : text;
  if (!inner) return { ranges: [], problems: [] };
  const problems = [];
  const ranges = [];
  let end = -1n;
  let start = 0;
  while (start <= inner.length && problems.length < ENOUGH) {
    const comma = inner.indexOf(",", start + 32768); // stops where fluxtui does, after whole blocks
    const block = inner.slice(start, comma < 0 ? inner.length : comma);
    for (const part of block.split(",")) {
      const span = [offset + start, offset + start + part.length];
      const isEnd = start + part.length === inner.length;
      start += part.length + 1;
      const [range, wrong] = idsetPart(part, span, end, isEnd);
      if (wrong) problems.push(wrong);
      if (!range) continue;
      ranges.push(range);
      if (range[1] > end) end = range[1];
    }
  }
  return { ranges: union(ranges), problems: firstOf(problems, "idset", start < inner.length) };
}

/** ids : id | id '-' id ; returns its range and its problem; end is the largest id before it. */
function idsetPart(part, span, end, isEnd) {
  const wrong = (message, expected, first = 0, size = part.length) =>
    problem(message, [span[0] + first, span[0] + first + size], { expected, rule: SET_RULE.ids });
  if (!part) {
    const [side, first] = isEnd ? ["after", -1] : ["before", 0];
    return [null, wrong(`an id is missing ${side} ','`, ["an id"], first, 1)];
  }
  const odd = /[^0-9-]/u.exec(part);
  if (odd) {
    if (BLANK.test(odd[0])) {
      return [null, wrong("white space does not belong in an idset", ["','"], odd.index, 1)];
    }
    if ("[]".includes(odd[0])) {
      const message = "brackets go around all of an idset, or nowhere";
      return [null, wrong(message, ["[...] around all of it"], odd.index, 1)];
    }
    const message = `'${odd[0]}' does not belong in an idset`;
    return [null, wrong(message, ["a digit", "','", "'-'"], odd.index, odd[0].length)];
  }
  const found = /^([0-9]+)(?:-([0-9]+))?$/.exec(part);
  if (!found && part.split("-").length === 2) {
    const side = part[0] === "-" ? "first id is missing before" : "last id is missing after";
    return [null, wrong(`the ${side} '-'`, ["N-M"], part.indexOf("-"), 1)];
  }
  if (!found) return [null, wrong(`'${shortened(part)}' is not an id or a range`, ["an id", "N-M"])];
  const [, head, tail = ""] = found;
  if (Math.max(head.length, tail.length) > MAX_DIGITS) {
    return [null, wrong(`id of ${head.length + tail.length} digits is too large`, [])];
  }
  const first = BigInt(head);
  const last = tail ? BigInt(tail) : first;
  for (const digits of [head, tail]) {
    if (digits.length > 1 && digits[0] === "0") {
      const kept = [first, last > first ? last : first];
      return [kept, wrong(`id '${digits}' has leading zeroes`, [String(BigInt(digits))])];
    }
  }
  if (last < first) return [null, wrong(`range '${part}' runs backwards`, [`${last}-${first}`])];
  if (tail && last === first) {
    return [[first, last], wrong(`range '${part}' holds one id`, [String(first)])];
  }
  if (first > end) return [[first, last], null];
  let why = `'${part}' is out of order after ${end}`;
  if (first === last && last === end) why = `'${part}' is given twice`;
  else if (last > end) why = `'${part}' overlaps the ids before it, which go up to ${end}`;
  return [[first, last], wrong(why, ["ascending ids, each once"])];
}

/** The union of inclusive ranges in any order. */
function union(ranges) {
  const ordered = [...ranges].sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
  const found = [];
  const one = typeof (ordered[0] ?? [0])[0] === "bigint" ? 1n : 1;
  for (const [first, last] of ordered) {
    const before = found[found.length - 1];
    if (before && first <= before[1] + one) {
      if (last > before[1]) before[1] = last;
    } else found.push([first, last]);
  }
  return found;
}

const sizeOf = (ranges) => ranges.reduce((sum, [first, last]) => sum + last - first + 1n, 0n);

/** The text of ranges (RFC 22), cut after limit of them. */
function idsetText(ranges, limit = Infinity) {
  const parts = ranges.slice(0, limit).map(([a, b]) => (a === b ? `${a}` : `${a}-${b}`));
  return [...parts, ...(ranges.length > limit ? ["…"] : [])].join(",");
}

/** The ranges of an idset that is known to be valid, such as that of a cluster. */
function plainRanges(text, number) {
  if (!text) return [];
  return text.split(",").map((part) => {
    const dash = part.indexOf("-");
    if (dash < 0) return [number(part), number(part)];
    return [number(part.slice(0, dash)), number(part.slice(dash + 1))];
  });
}

// Hostlists: ranges { prefix, first, last, width, suffix }; with a width of 0 the prefix is a name

const hostName = (range, number) =>
  range.width ? range.prefix + String(number).padStart(range.width, "0") + range.suffix : range.prefix;

const padding = (digits) =>
  digits[0] === "0" && digits.length > 1 ? /^[0-9]*/.exec(digits)[0].length : 0;

function joinable(one, two, number) {
  if (one.prefix !== two.prefix || one.suffix !== two.suffix || !one.width || !two.width) return false;
  return one.width === two.width || String(number).length >= Math.max(one.width, two.width);
}

/** Collects hosts in order, and joins consecutive numbers into ranges. */
class HostBuilder {
  ranges = [];
  beforeDigits = 0;

  add(prefix, first, last, width, suffix) {
    const before = this.ranges[this.ranges.length - 1];
    const range = { prefix, first, last, width, suffix };
    if (before && first === before.last + 1n && joinable(before, range, first)) before.last = last;
    else this.ranges.push(range);
  }

  name(name) {
    if (!name) return;
    const digits = /[0-9]*$/.exec(name)[0];
    if (!digits || digits.length > MAX_DIGITS) {
      this.add(name, 0n, 0n, 0, "");
      return;
    }
    const [number, width] = [BigInt(digits), padding(digits) || 1];
    this.add(name.slice(0, name.length - digits.length), number, number, width, "");
  }

  /** Adds the names of prefix[body]suffix; returns the element that is wrong, or null. */
  idlist(prefix, body, suffix) {
    const lead = /[0-9]*$/.exec(prefix)[0];
    const isBefore = /^[0-9]/.test(suffix);
    for (const part of body.split(",")) {
      const read = idlistPart(part);
      if (!read) return part;
      const [first, last, width] = read;
      if (!lead && !isBefore) {
        this.add(prefix, first, last, width, suffix);
        continue;
      }
      // The number continues outside the brackets: foo1[8-12] is foo[18-19,110-112].
      if (lead.length + Math.max(width, String(last).length) > MAX_DIGITS) return part;
      if (isBefore) {
        this.beforeDigits += Number(last - first + 1n);
        if (this.beforeDigits > MAX_BEFORE_DIGITS) return part;
        const range = { prefix, width, suffix };
        for (let number = first; number <= last; number++) this.name(hostName(range, number));
        continue;
      }
      for (const one of oneLength({ prefix, first, last, width, suffix })) {
        const length = Math.max(width, String(one.first).length);
        const more = BigInt(lead) * 10n ** BigInt(length);
        const head = prefix.slice(0, prefix.length - lead.length);
        const wide = lead[0] === "0" ? lead.length + length : 1;
        this.add(head, more + one.first, more + one.last, wide, suffix);
      }
    }
    return null;
  }
}

function idlistPart(part) {
  const found = /^([0-9]+)(?:-([0-9]+))?$/.exec(part);
  if (!found) return null;
  const [, head, tail = head] = found;
  if (Math.max(head.length, tail.length) > MAX_DIGITS) return null;
  const [first, last] = [BigInt(head), BigInt(tail)];
  return first <= last ? [first, last, padding(head) || 1] : null;
}

/** Splits a range into ranges whose numbers have equal length. */
function oneLength(range) {
  const found = [];
  let first = range.first;
  while (first <= range.last) {
    const length = Math.max(range.width, String(first).length);
    const most = 10n ** BigInt(length) - 1n;
    const last = range.last < most ? range.last : most;
    found.push({ ...range, first, last, length });
    first = last + 1n;
  }
  return found;
}

const EXPRESSION = /([!-+\--Z\\^-~]*)(?:\[([0-9,-]+)\]([!-+\--Z\\^-~]*))?/y;
const BROKEN = /[^\[\],]*(?:\[[^\]]*\]?[^\[\],]*|\])*/y;

/** hostlist : expression ( ',' expression )* ; returns its ranges and its problems. */
function parseHostlist(text) {
  const out = new HostBuilder();
  let problems = [];
  let start = 0;
  if (/^[!-Z\\^-~]*$/.test(text)) {
    text.split(",").forEach((name) => out.name(name));
    return { ranges: out.ranges, problems };
  }
  while (start < text.length && problems.length < ENOUGH) {
    EXPRESSION.lastIndex = start;
    const found = EXPRESSION.exec(text);
    let stop = start + found[0].length;
    if (stop === text.length || text[stop] === ",") {
      const [, prefix, body, suffix] = found;
      if (body === undefined) out.name(prefix);
      else {
        const wrong = out.idlist(prefix, body, suffix);
        const where = start + prefix.length + 1;
        if (wrong === null) problems = problems.concat(widthWarning(body, where));
        else problems.push(idlistProblem(prefix, wrong, elementSpan(body, wrong, where), where + body.length));
      }
    } else {
      BROKEN.lastIndex = start;
      stop = Math.max(start + BROKEN.exec(text)[0].length, stop);
      const broken = text.slice(start, stop);
      problems.push(expressionProblem(broken, start));
      if (!/[[\]]/.test(broken)) {
        broken.split(BLANKS).forEach((name) => out.name(name));
      }
    }
    start = stop + (/[\ud800-\udbff]/.test(text[stop] ?? "") ? 2 : 1);
  }
  return { ranges: out.ranges, problems: firstOf(problems, "hostlist", start < text.length) };
}

function elementSpan(body, element, offset) {
  const parts = body.split(",");
  const before = parts.slice(0, parts.indexOf(element));
  const start = before.reduce((sum, part) => sum + part.length + 1, offset);
  return [start, start + element.length];
}

function widthWarning(body, offset) {
  const pad = padding(body);
  for (const part of pad ? body.split(",") : []) {
    const head = part.split("-")[0];
    if (head.length >= pad) continue;
    const padded = head.padStart(pad, "0");
    const rule = `by RFC 29 the leading zeroes of the first number could make it '${padded}'`;
    const message = `'${head}' is read as written, as Flux reads it; ${rule}`;
    const expected = [padded, `'${head}' outside the brackets`];
    const span = elementSpan(body, part, offset);
    return [problem(message, span, { expected, rule: SET_RULE.hosts, warning: true })];
  }
  return [];
}

function idlistProblem(prefix, element, span, last) {
  const dash = element.indexOf("-");
  const head = dash < 0 ? element : element.slice(0, dash);
  const tail = dash < 0 ? "" : element.slice(dash + 1);
  let expected = ["N", "N-M"];
  let message = `'${shortened(element)}' is not a number or a range`;
  if (!element) {
    const isAfter = span[0] === last;
    span = isAfter ? [last - 1, last] : [span[0], span[0] + 1];
    message = `a number is missing ${isAfter ? "after" : "before"} ','`;
    expected = ["a number"];
  } else if (DIGITS_ONLY.test(element.replace("-", "")) && head && (tail || dash < 0)) {
    const longest = /[0-9]*$/.exec(prefix)[0].length + Math.max(head.length, tail.length);
    if (longest > MAX_DIGITS) {
      message = `a number of ${longest} digits is too large`;
      expected = [];
    } else if (dash >= 0 && BigInt(tail) < BigInt(head)) {
      message = `range '${shortened(element)}' runs backwards`;
      expected = [`${tail}-${head}`];
    } else {
      message = `a hostlist takes at most ${MAX_BEFORE_DIGITS} names with digits after ']'`;
      expected = ["fewer hosts"];
    }
  } else if (dash >= 0 && DIGITS_ONLY.test(head) && !tail) {
    span = [span[1] - 1, span[1]];
    message = "the last number is missing after '-'";
    expected = ["N-M"];
  }
  return problem(message, span, { expected, rule: SET_RULE.hosts });
}

function expressionProblem(text, offset) {
  const wrong = (where, message, expected, size = 1) => {
    const span = [offset + where, offset + Math.min(where + size, Math.max(text.length, 1))];
    return problem(message, span, { expected, rule: SET_RULE.hosts });
  };
  const foreign = /[^!-~]/u.exec(text);
  if (foreign && BLANK.test(foreign[0])) {
    return wrong(foreign.index, "white space does not belong in a hostlist", ["','"]);
  }
  if (foreign) {
    const message = `'${foreign[0]}' does not belong in a host name`;
    return wrong(foreign.index, message, ["printable ASCII characters"], foreign[0].length);
  }
  const [opened, closed] = [text.indexOf("["), text.indexOf("]")];
  if (closed < 0) return wrong(opened, "the bracket '[' is not closed", ["']'"]);
  const isPair = opened >= 0 && opened < closed;
  const inner = text.slice(opened + 1, closed);
  if (isPair && !inner) {
    return wrong(opened, "there is no number between the brackets", ["a number", "N-M"]);
  }
  const odd = isPair ? /[^0-9,-]/.exec(inner) : null;
  if (odd) {
    const message = `'${odd[0]}' does not belong between brackets`;
    return wrong(opened + 1 + odd.index, message, ["a number", "','"]);
  }
  const second = isPair ? text.indexOf("[", closed) : -1;
  if (second >= 0) return wrong(second, "a host expression has one pair of brackets", ["','"]);
  const surplus = isPair ? text.indexOf("]", closed + 1) : closed;
  return wrong(surplus, "']' closes nothing; no '[' is open", []);
}

const hostCount = (ranges) =>
  ranges.reduce((sum, range) => sum + range.last - range.first + 1n, 0n);

/** The text of hosts (RFC 29) as Flux compresses it, cut after limit ranges. */
function hostlistText(ranges, limit = Infinity) {
  const found = endingInNumbers(ranges, limit);
  const out = [];
  let opened = false; // within brackets
  for (let n = 0; n < Math.min(found.length, limit); n++) {
    const { prefix, first, last, width, suffix } = found[n];
    const next = n + 1 < Math.min(found.length, limit) ? found[n + 1] : null;
    const goesOn = Boolean(next && width && next.width && next.prefix === prefix && next.suffix === suffix);
    let number = width ? String(first).padStart(width, "0") : "";
    if (first < last) number += `-${String(last).padStart(width, "0")}`;
    const bracketed = opened || goesOn || first < last;
    const head = opened ? "" : bracketed ? `${prefix}[` : prefix;
    const tail = goesOn ? "" : bracketed ? `]${suffix}` : suffix;
    out.push(head + number + tail);
    opened = goesOn;
  }
  return [...out, ...(found.length > limit ? ["…"] : [])].join(",");
}

/** The same names in ranges with the number at the end; only as many as limit ranges need. */
function endingInNumbers(ranges, limit) {
  if (!ranges.some((range) => range.suffix)) return ranges;
  const inside = ranges.filter((range) => range.width && range.suffix);
  const written = inside.reduce((sum, range) => sum + range.last - range.first, 0n);
  const isWhole = limit === Infinity && written > MAX_WRITTEN_OUT;
  const out = new HostBuilder();
  for (const range of ranges) {
    if (range.width && range.suffix && (range.first === range.last || !isWhole)) {
      for (let n = range.first; n <= range.last && out.ranges.length <= limit; n++) {
        out.name(hostName(range, n));
      }
    } else out.add(range.prefix, range.first, range.last, range.width, range.suffix);
    if (out.ranges.length > limit) break;
  }
  return out.ranges;
}

// The places of hosts in the list of a cluster

const MOST_RUNS = 64;
const SHORT_RANGE = 16n;

/** The ways to split a name into a prefix, its number, and a suffix. */
function numbersIn(name) {
  const runs = [...name.matchAll(/[0-9]+/g)].filter((run) => run[0].length <= MAX_DIGITS);
  return runs.slice(-MOST_RUNS).map((run) => {
    const end = run.index + run[0].length;
    return [name.slice(0, run.index), run[0], name.slice(end)];
  });
}

/** Finds the places of hosts in a list; a name that occurs twice has two. */
class HostIndex {
  constructor(ranges) {
    this.ranges = ranges;
    this.starts = [];
    this.count = 0;
    for (const range of ranges) {
      this.starts.push(this.count);
      this.count += Number(range.last - range.first) + 1;
    }
  }

  /**
   * The hosts by name, built on first use: the places of names without a number, blocks by prefix
   * and suffix with rows by length of the number, and the blocks with digits in prefix or suffix.
   */
  get known() {
    if (!this.made) {
      this.made = { names: new Map(), blocks: new Map(), odd: [] };
      this.ranges.forEach((range, n) => this.put(range, this.starts[n]));
      for (const block of this.made.blocks.values()) {
        for (const rows of block.lengths.values()) sortRows(rows);
      }
    }
    return this.made;
  }

  put(range, place) {
    let one = range;
    if (!range.width) {
      const found = numbersIn(range.prefix).pop();
      if (!found) {
        const { names } = this.made;
        if (names.has(range.prefix)) names.get(range.prefix).push(place);
        else names.set(range.prefix, [place]);
        return;
      }
      const [prefix, digits, suffix] = found;
      const number = BigInt(digits);
      one = { prefix, first: number, last: number, width: padding(digits) || 1, suffix };
    }
    const block = this.block(one.prefix, one.suffix);
    for (const part of oneLength(one)) {
      if (!block.lengths.has(part.length)) block.lengths.set(part.length, []);
      const start = place + Number(part.first - one.first);
      block.lengths.get(part.length).push({ first: part.first, last: part.last, place: start });
    }
  }

  block(prefix, suffix) {
    const key = `${prefix}\n${suffix}`;
    let block = this.made.blocks.get(key);
    if (!block) {
      block = { prefix, suffix, lengths: new Map() };
      this.made.blocks.set(key, block);
      if (/[0-9]/.test(key)) this.made.odd.push(block);
    }
    return block;
  }

  rows(prefix, suffix, length) {
    return this.known.blocks.get(`${prefix}\n${suffix}`)?.lengths.get(length) ?? [];
  }

  /** The places of one name. */
  places(name) {
    const found = [...(this.known.names.get(name) ?? [])];
    for (const [prefix, digits, suffix] of numbersIn(name)) {
      const number = BigInt(digits);
      for (const [, , place] of within(this.rows(prefix, suffix, digits.length), number, number)) {
        found.push(place);
      }
    }
    return found;
  }

  /** Calls take with the first and last place of each run of hosts in some ranges. */
  eachRun(ranges, take) {
    for (const range of ranges) {
      if (range.last - range.first < SHORT_RANGE) {
        for (let number = range.first; number <= range.last; number++) {
          for (const place of this.places(hostName(range, number))) take(place, place);
        }
        continue;
      }
      for (const part of oneLength(range)) {
        for (const [first, last, place] of within(
          this.rows(range.prefix, range.suffix, part.length), part.first, part.last
        )) take(place, place + Number(last - first));
      }
      if (/[0-9]/.test(range.prefix + range.suffix)) this.elsewhere(range, take);
    }
  }

  /** Finds names listed by another of their numbers: n1-x1 is in n1-x[0-9] and in n[0-9]-x1. */
  elsewhere(range, take) {
    for (const block of this.known.odd) {
      if (block.prefix === range.prefix && block.suffix === range.suffix) continue;
      if (!block.prefix.startsWith(range.prefix) && !range.prefix.startsWith(block.prefix)) continue;
      for (const [length, rows] of block.lengths) {
        for (const row of rows) {
          for (let n = row.first; n <= row.last; n++) {
            const name = block.prefix + String(n).padStart(length, "0") + block.suffix;
            if (isIn(name, range)) {
              const place = row.place + Number(n - row.first);
              take(place, place);
            }
          }
        }
      }
    }
  }

  /** The blocks in natural order of prefix and suffix, in which x2 comes before x10. */
  get families() {
    if (!this.ordered) {
      const keyed = [...this.known.blocks.values()].map((block) => [natural(block.prefix), natural(block.suffix), block]);
      keyed.sort((a, b) => byNature(a[0], b[0]) || byNature(a[1], b[1]));
      this.ordered = keyed.map(([, , block]) => block);
    }
    return this.ordered;
  }

  /** The blocks with names that begin with typed, and the ranges of their numbers by length. */
  *blocksBeginning(typed) {
    for (const block of this.families) {
      const { prefix, suffix, lengths } = block;
      const known = [...lengths.keys()].sort((a, b) => a - b);
      if (prefix.startsWith(typed)) {
        yield [block, known.map((length) => [length, 0n, 10n ** BigInt(length) - 1n])];
      } else if (typed.startsWith(prefix)) {
        const found = numbersFrom(typed.slice(prefix.length), suffix, known);
        if (found.length) yield [block, found];
      }
    }
  }

  /**
   * What begins with a typed text: groups of hosts first, then single hosts; at most `most`.
   *
   * A group has all completions with one prefix and suffix, such as n[10-19] for n1.
   */
  beginningWith(typed, most) {
    const groups = [];
    const names = [];
    let looked = 0;
    for (const [{ prefix, suffix, lengths }, parts] of this.blocksBeginning(typed)) {
      if (looked++ === most) break;
      const some = [];
      const enough = Math.max(most, FEW_RANGES + 1 + parts.length);
      let nodes = 0;
      for (const [length, low, high] of parts) {
        const rows = [...within(lengths.get(length), low, high)].reverse();
        nodes += rows.reduce((sum, [first, last]) => sum + Number(last - first) + 1, 0);
        for (const [first, last] of union(rows)) {
          if (some.length < enough) some.push({ prefix, first, last, width: length, suffix });
        }
      }
      const whole = new HostBuilder();
      for (const one of some) whole.add(prefix, one.first, one.last, one.width, suffix);
      const size = whole.ranges.length;
      const isRange = size === 1 && whole.ranges[0].first !== whole.ranges[0].last;
      if (isRange || (size > 1 && size <= FEW_RANGES)) {
        groups.push({ text: hostlistText(whole.ranges), nodes });
      }
      for (const one of some) {
        for (let n = one.first; n <= one.last && names.length < most; n++) {
          const text = hostName(one, n);
          const count = [...within(lengths.get(one.width), n, n)].length;
          if (text !== typed) names.push({ text, nodes: count });
        }
      }
    }
    for (const text of [...this.known.names.keys()].sort(byText)) {
      if (text.startsWith(typed) && text !== typed) {
        names.push({ text, nodes: this.known.names.get(text).length });
      }
    }
    return [...groups, ...names].slice(0, most);
  }

  /** The hosts at ascending runs of places, as ranges; stops once there are more than limit. */
  pick(runs, limit = Infinity) {
    const out = new HostBuilder();
    for (const [first, last] of runs) {
      let place = first;
      let row = lastAtMost(this.starts, place);
      while (place <= last && row < this.ranges.length && row >= 0) {
        const range = this.ranges[row];
        const end = Math.min(last, this.starts[row] + Number(range.last - range.first));
        if (end < place) break; // there are fewer hosts than nodes
        const number = range.first + BigInt(place - this.starts[row]);
        out.add(range.prefix, number, number + BigInt(end - place), range.width, range.suffix);
        if (out.ranges.length > limit) return out.ranges;
        place = end + 1;
        row++;
      }
    }
    return out.ranges;
  }

  /** The host at a place; empty if there is none. */
  host(place) {
    return place < this.count ? hostlistText(this.pick([[place, place]])) : "";
  }
}

const FEW_RANGES = 3; // the maximum in a group of hosts

function numbersFrom(rest, suffix, lengths) {
  const digits = /^[0-9]*/.exec(rest)[0];
  const tail = rest.slice(digits.length);
  if (!digits || digits.length > MAX_DIGITS || !suffix.startsWith(tail)) return [];
  return lengths
    .filter((length) => length === digits.length || (length > digits.length && !tail))
    .map((length) => {
      const scale = 10n ** BigInt(length - digits.length);
      return [length, BigInt(digits) * scale, (BigInt(digits) + 1n) * scale - 1n];
    });
}

/** The key for natural order, in which numbers within texts are compared as numbers. */
function natural(text) {
  const parts = text.split(/[0-9]+/);
  const numbers = (text.match(/[0-9]+/g) ?? []).map((number) => number.replace(/^0+/, ""));
  return parts.map((part, n) => [part, n < numbers.length ? numbers[n].length : -1, numbers[n] ?? ""]);
}

function byNature(one, other) {
  for (let n = 0; n < Math.min(one.length, other.length); n++) {
    const [a, b] = [one[n], other[n]];
    const found = byText(a[0], b[0]) || a[1] - b[1] || byText(a[2], b[2]);
    if (found) return found;
  }
  return one.length - other.length;
}

/** Whether a name is in a range, with its number written as there. */
function isIn(name, { prefix, first, last, width, suffix }) {
  if (name.length <= prefix.length + suffix.length) return false;
  if (!name.startsWith(prefix) || !name.endsWith(suffix)) return false;
  const digits = name.slice(prefix.length, name.length - suffix.length);
  if (!DIGITS_ONLY.test(digits) || digits.length > MAX_DIGITS) return false;
  const number = BigInt(digits);
  return number >= first && number <= last && String(number).padStart(width, "0") === digits;
}

/** Sorts rows by their first numbers; sets reach, the largest last number up to each row. */
function sortRows(rows) {
  rows.sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : a.place - b.place));
  let reach = -1n;
  for (const row of rows) row.reach = reach = row.last > reach ? row.last : reach;
}

/** The parts of rows with numbers from first to last, as [first, last, place]. */
function* within(rows, first, last) {
  let [low, high] = [0, rows.length]; // low becomes the first row after the wanted numbers
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle].first <= last) low = middle + 1;
    else high = middle;
  }
  for (let n = low - 1; n >= 0 && rows[n].reach >= first; n--) {
    const row = rows[n];
    if (row.last < first) continue;
    const from = row.first > first ? row.first : first;
    yield [from, row.last < last ? row.last : last, row.place + Number(from - row.first)];
  }
}

function lastAtMost(sorted, value) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

// Bit sets: a Uint32Array with bit i for place i

const emptyBits = (size) => new Uint32Array((size + 31) >> 5);

/** Sets the bits from first to last, inclusive. */
function setRun(bits, first, last) {
  const [low, high] = [first >> 5, last >> 5];
  const from = -1 << (first & 31);
  const to = -1 >>> (31 - (last & 31));
  if (low === high) {
    bits[low] |= from & to;
    return;
  }
  bits[low] |= from;
  bits.fill(0xffffffff, low + 1, high);
  bits[high] |= to;
}

function bitsOf(runs, size) {
  const bits = emptyBits(size);
  for (const [first, last] of runs) setRun(bits, first, last);
  return bits;
}

const hasBit = (bits, place) => (bits[place >> 5] >>> (place & 31)) & 1;

const both = (one, other) => one.map((word, n) => word & other[n]);
const either = (one, other) => one.map((word, n) => word | other[n]);
const apart = (one, other) => one.map((word, n) => word ^ other[n]);
const without = (one, other) => one.map((word, n) => word & ~other[n]);

function bitCount(bits) {
  let count = 0;
  for (let word of bits) {
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    count += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

/** How many bits are set from start up to, but not including, stop. */
function countBetween(bits, start, stop) {
  if (stop <= start) return 0;
  const part = bits.slice(start >> 5, ((stop - 1) >> 5) + 1);
  part[0] &= -1 << (start & 31);
  part[part.length - 1] &= -1 >>> (31 - ((stop - 1) & 31));
  return bitCount(part);
}

/** The runs of set bits, each as its first and last place. */
function* runsOf(bits) {
  let start = -1;
  for (let n = 0; n < bits.length; n++) {
    const word = bits[n];
    if ((word === 0 && start < 0) || (word === 0xffffffff && start >= 0)) continue;
    for (let bit = 0; bit < 32; bit++) {
      const isSet = (word >>> bit) & 1;
      if (isSet && start < 0) start = (n << 5) + bit;
      else if (!isSet && start >= 0) {
        yield [start, (n << 5) + bit - 1];
        start = -1;
      }
    }
  }
  if (start >= 0) yield [start, bits.length * 32 - 1];
}
