// What a constraint matches on the cluster of the page, part by part.
//
// The cluster is grouped data: ranks (an idset), hosts (a hostlist), and for each property and each
// kind of node the places of its nodes, counted from 0 in the order of ranks.

const NO_NAME = "''";
const MOST_PARTS = 200; // lines of an explanation
const MOST_BYTES = 400e6; // memory for the bit sets of an explanation
const RANGES = 60; // ranges in a list of hosts or ranks

class Cluster {
  constructor({ ranks, hosts, properties, kinds }) {
    this.ranks = plainRanges(ranks, BigInt);
    this.rankStarts = [];
    this.count = 0;
    for (const [first, last] of this.ranks) {
      this.rankStarts.push(this.count);
      this.count += Number(last - first) + 1;
    }
    this.index = new HostIndex(parseHostlist(hosts).ranges);
    this.everything = emptyBits(this.count);
    if (this.count) setRun(this.everything, 0, this.count - 1);
    this.texts = new Map(properties);
    this.kept = new Map(); // the bit sets of properties used so far
    this.kinds = kinds;
  }

  /** The nodes that have a property; null if none has. */
  property(name) {
    if (!this.kept.has(name)) {
      const text = this.texts.get(name);
      this.kept.set(name, text ? bitsOf(plainRanges(text, Number), this.count) : null);
    }
    return this.kept.get(name);
  }

  /** The places of the existing ones of some ranks, as runs. */
  placesOfRanks(ids) {
    const found = [];
    for (const [first, last] of ids) {
      let [low, high] = [0, this.ranks.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.ranks[middle][1] < first) low = middle + 1;
        else high = middle;
      }
      for (let n = low; n < this.ranks.length && this.ranks[n][0] <= last; n++) {
        const [begin, end] = this.ranks[n];
        const [from, to] = [begin > first ? begin : first, end < last ? end : last];
        const start = this.rankStarts[n] + Number(from - begin);
        found.push([start, start + Number(to - from)]);
      }
    }
    return found;
  }

  /** The ranks at runs of places, as ranges; stops once there are more than limit. */
  ranksAt(runs, limit = Infinity) {
    const found = [];
    for (const [first, last] of runs) {
      let n = lastAtMost(this.rankStarts, first);
      for (; n < this.ranks.length && this.rankStarts[n] <= last; n++) {
        const [begin, end] = this.ranks[n];
        const start = this.rankStarts[n];
        const from = begin + BigInt(Math.max(first - start, 0));
        const upTo = begin + BigInt(last - start);
        const to = upTo < end ? upTo : end;
        const before = found[found.length - 1];
        if (before && before[1] + 1n === from) before[1] = to;
        else found.push([from, to]);
        if (found.length > limit) return found;
      }
    }
    return found;
  }

  maskOfHosts(hosts) {
    const bits = emptyBits(this.count);
    this.index.eachRun(hosts, (first, last) => {
      if (first < this.count) setRun(bits, first, Math.min(last, this.count - 1));
    });
    return bits;
  }

  /** The nodes that satisfy a constraint without parts. */
  term({ operator, values, hosts, ids }) {
    if (operator === "hostlist") return this.maskOfHosts(hosts);
    if (operator === "ranks") return bitsOf(this.placesOfRanks(ids), this.count);
    if (operator === "not") return emptyBits(this.count);
    if (operator !== "properties" || !values.length) return this.everything;
    const isWithout = values[0].startsWith("^");
    const bits = this.property(values[0].slice(isWithout ? 1 : 0)) ?? emptyBits(this.count);
    return isWithout ? apart(this.everything, bits) : bits;
  }

  /** The total number of cores and gpus of some nodes. */
  total(bits) {
    this.planes ??= [this.planesOf(0), this.planesOf(1)];
    const [cores, gpus] = this.planes.map((planes) =>
      planes.reduce((sum, plane, digit) => sum + 2 ** digit * bitCount(both(bits, plane)), 0)
    );
    return { cores, gpus };
  }

  /** The core (0) or gpu (1) counts of all nodes, as a bit set for each binary digit. */
  planesOf(what) {
    const planes = [];
    for (const kind of this.kinds) {
      const runs = plainRanges(kind[2], Number);
      for (let [number, digit] = [kind[what], 0]; number; number >>>= 1, digit++) {
        planes[digit] ??= emptyBits(this.count);
        if (number & 1) for (const [first, last] of runs) setRun(planes[digit], first, last);
      }
    }
    return planes;
  }

  hostsText(bits, limit = RANGES) {
    return hostlistText(this.index.pick(firstOfRuns(bits, limit + 1), limit + 1), limit);
  }

  ranksText(bits, limit = Infinity) {
    return idsetText(this.ranksAt(firstOfRuns(bits, limit + 1), limit + 1), limit);
  }
}

function* firstOfRuns(bits, most) {
  let count = 0;
  for (const run of runsOf(bits)) {
    if (count++ >= most) return;
    yield run;
  }
}

/** The parts of a constraint: its operands, or each of several properties. */
function partsOf(constraint) {
  const { operator, values, path, span, spans } = constraint;
  if (JOINS.includes(operator)) return values;
  if (operator !== "properties" || values.length < 2) return [];
  const inside = at(path, "properties");
  return values.map((value, n) => ({
    operator, values: [value], path: at(inside, n), span: spans[n] ?? null, spans: [spans[n] ?? null],
  }));
}

/** A constraint as a tree, each part with the nodes that satisfy it alone. */
function matched(constraint, cluster) {
  const parts = partsOf(constraint).map((part) => matched(part, cluster));
  const { operator } = constraint;
  if (!parts.length) return { constraint, parts, kind: "term", mask: cluster.term(constraint) };
  const kind = operator === "or" ? "or" : operator === "not" ? "not" : "and";
  let mask = parts.map((part) => part.mask).reduce(kind === "or" ? either : both);
  if (kind === "not") mask = apart(cluster.everything, mask);
  return { constraint, parts, kind, mask };
}

/** The nodes that satisfy a constraint; unlike `matched`, without the masks of its parts. */
function match(constraint, cluster) {
  const parts = partsOf(constraint);
  if (!parts.length) return cluster.term(constraint);
  let mask = null;
  for (const part of parts) {
    const found = match(part, cluster);
    mask = mask === null ? found : constraint.operator === "or" ? either(mask, found) : both(mask, found);
  }
  return constraint.operator === "not" ? apart(cluster.everything, mask) : mask;
}

// Words

/** A constraint in words, such as gpu and not (host n[0-3]). */
function describe(constraint) {
  const { operator, values } = constraint;
  if (!operator) return "any node";
  if (operator === "properties") {
    const words = values.map((value) => {
      const isWithout = value.startsWith("^");
      return (isWithout ? "not " : "") + (value.slice(isWithout ? 1 : 0) || NO_NAME);
    });
    return words.join(" and ") || "any node";
  }
  if (operator === "hostlist" || operator === "ranks") {
    const name = operator === "hostlist" ? "host" : "rank";
    return values.length ? `${name} ${values.join(",") || NO_NAME}` : "no node";
  }
  if (operator === "not") {
    return values.length ? `not ${inParentheses({ operator: "and", values })}` : "no node";
  }
  return values.map(inParentheses).join(operator === "or" ? " or " : " and ") || "any node";
}

function inParentheses(constraint) {
  while (["and", "or"].includes(constraint.operator) && constraint.values.length === 1) {
    [constraint] = constraint.values;
  }
  const isMany = constraint.operator && constraint.values.length > 1;
  const isSimple = ["hostlist", "ranks"].includes(constraint.operator) || !isMany;
  return isSimple ? describe(constraint) : `(${describe(constraint)})`;
}

/** A constraint in words, with the middle cut if it is long. */
const brief = (constraint) => shown(describe(constraint)).slice(1, -1);

// The explanation: how many nodes each part matches alone, and how many are left after it

const isRow = (part) => part.kind === "and" || (part.kind === "or" && part.parts.length === 1);

/** A part with its counts; seen are the nodes that earlier operands of an 'or' let pass. */
function explained(known, arriving, everything, seen, isStep, isInverted) {
  const passing = both(arriving, known.mask);
  const inverted = isInverted || known.kind === "not";
  const isAny = known.kind === "or";
  const isInnerStep = isAny ? isStep && isRow(known) : !inverted;
  let here = arriving;
  let before = isAny ? new Uint32Array(arriving.length) : null;
  const parts = known.parts.map((inner) => {
    const one = explained(inner, here, everything, before, isInnerStep, inverted);
    if (isAny) before = either(before, both(here, inner.mask));
    else here = both(here, inner.mask);
    return one;
  });
  const left = bitCount(passing);
  const empties = isStep && !left && !isRow(known) && bitCount(arriving) > 0;
  return {
    constraint: known.constraint,
    kind: known.kind,
    parts,
    alone: arriving === everything ? left : bitCount(known.mask),
    left,
    adds: seen ? bitCount(without(passing, seen)) : null,
    empties,
  };
}

/** The operator of a part with operands, or a whole term in words. */
function labelOf(part) {
  if (!part.parts.length) return brief(part.constraint);
  return part.kind === "not" && part.parts.length > 1 ? "not all of" : part.kind;
}

/** The parts as lines of a tree: { part, guide, words, note }, parents first. */
function* linesOf(part, lead = "", guide = "") {
  const isOne = part.kind === "not" && part.parts.length === 1 && !part.parts[0].parts.length;
  const words = isOne ? brief(part.constraint) : labelOf(part);
  const note = part.adds !== null ? `adds ${grouped(part.adds)}` : part.empties ? "nothing is left" : "";
  yield { part, guide: lead, words, note };
  const inner = isOne ? [] : part.parts;
  for (const [n, one] of inner.entries()) {
    const [branch, stem] = n + 1 === inner.length ? ["└ ", "  "] : ["├ ", "│ "];
    yield* linesOf(one, guide + branch, guide + stem);
  }
}

/** The steps of the funnel: the parts that must all hold, in order. */
const stepsOf = (part) => (isRow(part) ? part.parts.flatMap(stepsOf) : [part]);

/**
 * The answer to a text: its problems, the nodes that match, and how many each part leaves.
 *
 * { text, tokens, problems, constraint, mask, count, cores, gpus, lines, emptiedBy, more }; without a
 * constraint the mask is null if there is an error, and has all nodes if the text is blank.
 */
function answer(text, cluster) {
  const reading = readConstraint(text);
  const { constraint } = reading;
  const hints = constraint ? located(reading, namesMissing(constraint, cluster)) : [];
  const spoken = inCodePoints(text, [...reading.problems, ...hints], reading.tokens);
  const found = { text, constraint, ...spoken, lines: [], emptiedBy: null, more: 0, mask: null };
  if (!constraint) return trimmed(text) ? found : { ...found, mask: cluster.everything, ...counts(cluster.everything, cluster) };
  const size = countParts(constraint) * cluster.everything.byteLength;
  if (size > MOST_BYTES) {
    const mask = match(constraint, cluster);
    return { ...found, mask, ...counts(mask, cluster) };
  }
  const known = matched(constraint, cluster);
  const root = explained(known, cluster.everything, cluster.everything, null, true, false);
  const lines = [...linesOf(root)];
  const steps = stepsOf(root);
  return {
    ...found,
    mask: known.mask,
    ...counts(known.mask, cluster),
    lines: lines.slice(0, MOST_PARTS),
    more: Math.max(lines.length - MOST_PARTS, 0),
    emptiedBy: steps.length > 1 ? steps.find((step) => step.empties) ?? null : null,
  };
}

const counts = (mask, cluster) => ({ count: bitCount(mask), ...cluster.total(mask) });

const countParts = (constraint) =>
  partsOf(constraint).reduce((sum, part) => sum + countParts(part), 1);
