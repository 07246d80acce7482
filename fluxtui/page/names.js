// Names in a constraint that the cluster does not have, and what may have been meant.
//
// Suggestions are close names, and other meanings of a word: a host, a rank, a list of them, or
// properties joined by signs other than &. The cluster has every name that is suggested.

// The maximum number of
const MAX_NAMED = 2000n; // hosts of a constraint that are looked up one by one
const MAX_RANGES = 500; // ranges of a set that is listed
const MAX_CLOSE = 5; // names for which close ones are searched
const MOST = 3; // names that are suggested
const MOST_ROWS = 20;
const MAX_RANK_RANGES = 5;
const MOST_PIECES = 200;
const POOL = 24; // names that are compared letter by letter
const LONGEST = 40; // letters of a name in which each letter is changed
const MOST_SIGNS = 8;
const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-_.@+";

const named = (text, nodes) => ({ text, nodes });
const isOk = (parsed) => !parsed.problems.some(isError);

/** Warnings about names that the cluster does not have, in order, with the paths of the values. */
function namesMissing(constraint, cluster) {
  return [...new NameFinder(cluster).walk(constraint, "", false)];
}

class NameFinder {
  left = MAX_CLOSE;

  constructor(cluster) {
    this.cluster = cluster;
  }

  /** isApart: the constraint is in a 'not' or 'or', where an 'and' needs parentheses. */
  *walk(constraint, path, isApart) {
    const { operator, values } = constraint;
    if (operator === "properties") yield* this.properties(values, path, isApart);
    else if (operator === "hostlist" || operator === "ranks") {
      const look = operator === "hostlist" ? this.hosts : this.ranks;
      for (const [n, value] of values.entries()) {
        const found = look.call(this, value, at(path, operator, n));
        if (found) yield found;
      }
    } else if (operator) {
      for (const [n, part] of values.entries()) {
        yield* this.walk(part, at(path, operator, n), isApart || operator !== "and");
      }
    }
  }

  /** Whether to search for close names, which is done for the first few names only. */
  mayLook() {
    this.left--;
    return this.left >= 0;
  }

  isUnknown(value) {
    const name = bare(value);
    return Boolean(name) && !this.cluster.property(name);
  }

  *properties(values, path, isApart) {
    const { cluster } = this;
    for (let n = 0; n < values.length; ) {
      let count = 1;
      if (this.isUnknown(values[n])) count = torn(values.slice(n, n + MOST_PIECES), cluster);
      const word = values.slice(n, n + count).join(",");
      const meant = count > 1 ? hostOrRank(word, cluster) ?? withZeroes(word, cluster) : null;
      if (meant) {
        const whole = count === values.length ? path : at(path, "properties", n);
        yield instead(meant, word, whole);
      } else {
        for (let each = n; each < n + count; each++) {
          if (!this.isUnknown(values[each])) continue;
          yield this.property(values[each], at(path, "properties", each), isApart);
        }
      }
      n += count;
    }
  }

  property(value, path, isApart) {
    const { cluster } = this;
    const name = bare(value);
    let meant = hostOrRank(name, cluster);
    if (!meant && this.mayLook()) {
      meant = negated(name, cluster) ?? joinedBySigns(name, cluster) ?? withZeroes(name, cluster);
    }
    if (meant) {
      let { near } = meant;
      const isExcluded = value !== name;
      // -^gpu is legal, -gpu -debug means something else, and ^^gpu is illegal.
      if ((isApart && /[& ]/.test(near.text)) || (isExcluded && meant.isQuery)) {
        near = named(`(${near.text})`, near.nodes);
      }
      return instead({ ...meant, near }, name, path);
    }
    const close = this.left >= 0 ? closeProperties(name, cluster) : [];
    if (this.left >= 0 && !close.length && value === name) {
      meant = nextHost(name, cluster);
      if (meant) return instead(meant, name, path);
    }
    return warning(`no node has property '${name}'${orMeant(close)}`, path, close);
  }

  hosts(value, path) {
    const { cluster } = this;
    const { index } = cluster;
    const wanted = parseHostlist(value).ranges;
    const total = hostCount(wanted);
    const lost = new HostBuilder();
    let missing = 0n;
    let message = "";
    if (total > MAX_NAMED) {
      missing = total - BigInt(bitCount(cluster.maskOfHosts(wanted)));
      message = `${grouped(missing)} of ${grouped(total)} hosts are not in the cluster`;
    } else {
      for (const range of wanted) {
        for (let n = range.first; n <= range.last; n++) {
          const name = hostName(range, n);
          if (index.places(name).length) continue;
          missing++;
          lost.name(name);
          if (missing === 1n) message = `host '${name}' is not in the cluster`;
        }
      }
      if (missing > 1n) {
        const names = hostlistText(lost.ranges, 5);
        message = `${grouped(missing)} hosts are not in the cluster: ${names}`;
      }
    }
    if (missing <= 0n) return null;
    if (missing === total) {
      const found = notAHost(value, cluster);
      if (found) return warning(sentence(found, value, "a host"), path, [found.near]);
    }
    const whole = missing === total;
    let close = [];
    if ((lost.ranges.length || !whole) && this.mayLook()) {
      const look = whole && lost.ranges.length === 1 ? closeHosts : sameHosts;
      const found = look(lost.ranges, cluster);
      close = namedHosts(found.length ? found : [[]], cluster, whole ? [] : wanted);
    }
    return warning(message + orMeant(close), path, close);
  }

  ranks(value, path) {
    const { cluster } = this;
    const wanted = parseIdset(value).ranges;
    const there = cluster.placesOfRanks(wanted);
    const missing = sizeOf(wanted) - BigInt(placesIn(there));
    if (!missing) return null;
    const close = this.mayLook() ? closeRanks(wanted, there, cluster) : [];
    if (cluster.ranks.length > MAX_RANGES) {
      const words = `${grouped(missing)} of ${grouped(sizeOf(wanted))} ranks are not in the cluster`;
      return warning(words + orMeant(close), path, close);
    }
    const text = idsetText(lessRanges(wanted, cluster.ranks), 5);
    const known = idsetText(cluster.ranks, 5) || "none";
    const verb = missing === 1n ? `rank ${text} is` : `ranks ${text} are`;
    let message = `${verb} not in the cluster, which has ${known}`;
    if (close.length && close[0].text !== known) message += orMeant(close);
    return warning(message, path, close);
  }
}

const bare = (value) => (value.startsWith("^") ? value.slice(1) : value);

function warning(message, path, near = []) {
  const expected = near.map((one) => one.text);
  return problem(shortened(message, LONGEST_MESSAGE), null, { path, expected, rule: CONSTRAINT_RULE, warning: true });
}

function orMeant(close) {
  if (!close.length) return "";
  const words = close.map((one) => `${one.text} (${counted(one.nodes, "node")})`);
  return `; did you mean ${listed(words, "or")}?`;
}

// Close names

/** The properties of the cluster that are most similar to a misspelt one, the closest first. */
function closeProperties(word, cluster) {
  const there = new Map([...cluster.texts].filter(([, text]) => text));
  let found = [...oneAway(word, there)];
  if (!found.length) found = similar(word, [...there.keys()]);
  return found.slice(0, MOST).map((name) => named(name, bitCount(cluster.property(name))));
}

/** The names one edit away: a letter omitted, inserted or replaced, or two letters exchanged. */
function oneAway(word, names) {
  const found = new Set();
  const letters = [...word];
  for (let n = 0; n <= letters.length && letters.length <= LONGEST; n++) {
    const [head, tail] = [letters.slice(0, n).join(""), letters.slice(n)];
    const rest = tail.slice(1).join("");
    const tries = [head + rest, head + tail.slice(1, 2).join("") + tail.slice(0, 1).join("") + tail.slice(2).join("")];
    for (const letter of LETTERS) tries.push(head + letter + tail.join(""), head + letter + rest);
    for (const text of tries) if (text !== word && names.has(text)) found.add(text);
  }
  return found;
}

/** The names most similar to a word; among many names, only those with an obvious likeness. */
function similar(word, names) {
  const same = names.filter((name) => name.toLowerCase() === word.toLowerCase());
  if (same.length || word.length > MAX_DIGITS) return same;
  const ends = [word.slice(0, 3), word.slice(-3)];
  const isAlike = (name) =>
    ends.includes(name.slice(0, 3)) || ends.includes(name.slice(-3)) || name.includes(word);
  const pool = names.length <= POOL ? names : names.filter(isAlike);
  return closest(word, pool.slice(0, POOL), MOST);
}

/** The existing hosts of each of several meanings, together with those that matched. */
function namedHosts(found, cluster, matched = []) {
  const texts = new Map();
  for (const meaning of found) {
    const bits = cluster.maskOfHosts([...meaning, ...matched.slice(0, MAX_RANGES + 1)]);
    const count = bitCount(bits);
    let ranges = cluster.index.pick(runsOf(bits), MAX_RANGES);
    if (!count || ranges.length > MAX_RANGES) continue;
    if (hostCount(ranges) <= MAX_NAMED) {
      const names = new Set();
      for (const range of ranges) {
        for (let n = range.first; n <= range.last; n++) names.add(hostName(range, n));
      }
      if (BigInt(names.size) < hostCount(ranges)) { // several nodes share a name
        const once = new HostBuilder();
        names.forEach((name) => once.name(name));
        ranges = once.ranges;
      }
    }
    texts.set(hostlistText(ranges), count);
  }
  return [...texts].slice(0, MOST).map(([text, count]) => named(text, count));
}

/**
 * The hosts closest to one that does not exist, or to a range without any existing host.
 */
function closeHosts([wanted], cluster) {
  if (wanted.prefix.length > MAX_DIGITS) return [];
  const spelt = [wanted];
  const prefix = prefixMeant(wanted.prefix, cluster);
  if (prefix !== null) spelt.push({ ...wanted, prefix });
  for (const look of [(one) => sameHosts([one], cluster), (one) => nextHosts(one, cluster)]) {
    for (const one of spelt) {
      const found = look(one);
      if (found.length) return found;
    }
  }
  return beginningLike(wanted, cluster);
}

/** The existing hosts with the numbers of some ranges, with any number of leading zeroes. */
function sameHosts(ranges, cluster) {
  if (!ranges.length || ranges.length > MOST_ROWS) return [];
  const widths = ranges.some((one) => one.width) ? [1, 2, 3, 4, 5, 6, 7, 8] : [0];
  return widths
    .map((width) => ranges.map((one) => ({ ...one, width: one.width && width })))
    .filter((some) => areThere(some, cluster));
}

/** As many existing hosts as a range has, with the numbers closest to its own. */
function nextHosts(wanted, cluster) {
  const { ranges } = cluster.index;
  if (!wanted.width || ranges.length > MAX_RANGES) return [];
  const more = wanted.last - wanted.first;
  const found = [];
  for (const { prefix, first: low, last: high, width, suffix } of ranges) {
    if (!width || prefix !== wanted.prefix || suffix !== wanted.suffix) continue;
    let first = wanted.first < high - more ? wanted.first : high - more;
    first = first > low ? first : low;
    const last = first + more < high ? first + more : high;
    const away = first > wanted.first ? first - wanted.first : wanted.first - first;
    found.push([[away, first, last, BigInt(width)], { prefix, first, last, width, suffix }]);
  }
  const differ = ([one], [other]) => one.map((number, n) => number - other[n]).find((by) => by);
  found.sort((a, b) => Number(differ(a, b) ?? 0n));
  return found.slice(0, more ? 1 : 2).map(([, range]) => [range]);
}

/** The prefix of existing hosts that a misspelt prefix may mean; null if it is not misspelt. */
function prefixMeant(head, cluster) {
  const known = new Set();
  for (const typed of new Set([head.slice(0, 1), head.slice(0, 1).toLowerCase(), ""])) {
    for (const { text } of cluster.index.beginningWith(typed, POOL)) {
      known.add(text.split("[")[0].replace(/[0-9]+$/, ""));
    }
  }
  if (known.has(head)) return null;
  const names = [...known];
  return names.find((name) => name.toLowerCase() === head.toLowerCase()) || nearest(head, names);
}

/** The hosts with the longest beginning in common with a name, at least its whole prefix. */
function beginningLike(wanted, cluster) {
  const head = wanted.prefix.length;
  const typed = wanted.first === wanted.last ? hostName(wanted, wanted.first) : wanted.prefix;
  for (let end = typed.length - (typed.length > head ? 1 : 0); end >= Math.max(head, 1); end--) {
    const found = cluster.index.beginningWith(typed.slice(0, end), 1);
    if (found.length) return [parseHostlist(found[0].text).ranges];
  }
  return [];
}

const placesIn = (runs) => runs.reduce((sum, [first, last]) => sum + last - first + 1, 0);

/** The existing ones of some ranks; if there are none, as many ranks from the closest place on. */
function closeRanks(ids, there, cluster) {
  if (!cluster.count || !ids.length) return [];
  let places = union(there);
  if (!places.length) {
    const behind = placesIn(cluster.placesOfRanks([[0n, ids[0][0]]]));
    const wanted = sizeOf(ids);
    const count = wanted < BigInt(cluster.count) ? Number(wanted) : cluster.count;
    const first = Math.min(behind, cluster.count - count);
    places = [[first, first + count - 1]];
  }
  const found = cluster.ranksAt(places, MAX_RANK_RANGES + 1);
  if (found.length > MAX_RANK_RANGES) return [];
  return [named(idsetText(found), Number(sizeOf(found)))];
}

/** The ids of some ranges that others do not have. */
function lessRanges(ranges, others) {
  let left = ranges;
  for (const [begin, end] of others) {
    left = left.flatMap(([first, last]) => {
      if (end < first || begin > last) return [[first, last]];
      const kept = [];
      if (first < begin) kept.push([first, begin - 1n]);
      if (last > end) kept.push([end + 1n, last]);
      return kept;
    });
  }
  return left;
}

// Other meanings: { isA, near, isQuery }; isA says what a word is, "" if it is only close to that

function sentence(meant, word, wanted) {
  const isSeveral = /^a (list|set)/.test(meant.isA);
  const count = isSeveral ? ` (${counted(meant.near.nodes, "node")})` : "";
  return `${shown(word)} is ${meant.isA}, not ${wanted}; write ${meant.near.text}${count}`;
}

function instead(meant, word, path) {
  const message = meant.isA
    ? sentence(meant, word, "a property")
    : `no node has property '${word}'${orMeant([meant.near])}`;
  return warning(message, path, [meant.near]);
}

function meantQuery(isA, text, cluster) {
  const { constraint } = readConstraint(text);
  if (!constraint) return null;
  const isQuery = !["hostlist", "ranks"].includes(constraint.operator);
  return { isA, near: named(text, bitCount(match(constraint, cluster))), isQuery };
}

const areThere = (hosts, cluster) => bitCount(cluster.maskOfHosts(hosts)) > 0;

/** The meaning of a word for properties as a host or hostlist, or else as a rank or idset. */
function hostOrRank(word, cluster) {
  const parsed = parseHostlist(word);
  if (!isOk(parsed) || !areThere(parsed.ranges, cluster)) return aRank(word, cluster);
  const what = hostCount(parsed.ranges) === 1n ? "a host" : "a list of hosts";
  return meantQuery(what, `host:${word}`, cluster);
}

function aRank(word, cluster) {
  const ids = parseIdset(word);
  if (!isOk(ids) || !/^\[?[0-9][0-9,-]*\]?$/.test(word)) return null;
  if (!cluster.placesOfRanks(ids.ranges).length) return null;
  const what = sizeOf(ids.ranges) === 1n ? "a rank" : "a set of ranks";
  return meantQuery(what, `rank:${word}`, cluster);
}

/** The meaning of a word for hosts as properties of the cluster, or else as its ranks. */
function notAHost(word, cluster) {
  const pieces = word.split(",");
  const names = pieces.slice(0, MOST_SIGNS);
  if (pieces.length > MOST_SIGNS) names.push(pieces.slice(MOST_SIGNS).join(","));
  if (!names.every((name) => cluster.property(name) && isPlainName(name))) return aRank(word, cluster);
  return meantQuery(names.length === 1 ? "a property" : "a list of properties", word, cluster);
}

/** How many of the first words are pieces of one idset or hostlist split at commas; at least 1. */
function torn(words, cluster) {
  if (words[0].includes("[") && !words[0].includes("]")) {
    const closed = words.findIndex((word) => word.includes("]"));
    return closed < 0 ? 1 : closed + 1;
  }
  const isIds = (word) => /^\[?[0-9]+(?:-[0-9]+)?\]?$/.test(word);
  const isHost = (word) => {
    const parsed = parseHostlist(word);
    return isOk(parsed) && areThere(parsed.ranges, cluster);
  };
  const isPiece = isIds(words[0]) ? isIds : isHost;
  const end = words.findIndex((word) => !isPiece(word) || cluster.property(word));
  return (end < 0 ? words.length : end) || 1;
}

/** The hosts of a word; none if it is not a hostlist, or could be a number. */
function hostsOfWord(word) {
  const parsed = parseHostlist(word);
  const isList = isOk(parsed) && /[^0-9]/.test(word);
  return isList ? parsed.ranges.slice(0, MOST_ROWS + 1) : [];
}

/** The meaning of a word for properties as hosts, but with other leading zeroes. */
function withZeroes(word, cluster) {
  const found = namedHosts(sameHosts(hostsOfWord(word), cluster), cluster);
  return found.length ? meantQuery("", `host:${found[0].text}`, cluster) : null;
}

/** The meaning of a word for properties as hosts, but with other numbers. */
function nextHost(word, cluster) {
  const ranges = hostsOfWord(word);
  const found = ranges.length === 1 ? namedHosts(nextHosts(ranges[0], cluster), cluster) : [];
  return found.length ? meantQuery("", `host:${found[0].text}`, cluster) : null;
}

/** The meaning of a property negated by a sign of another language: ^gpu for ~gpu. */
function negated(word, cluster) {
  const name = word.slice(1);
  const isMeant = /^[~-]/.test(word) && cluster.property(name) && isPlainName(name);
  return isMeant ? meantQuery("", `^${name}`, cluster) : null;
}

/** The query meant by properties joined by signs other than &, such as gpu;batch. */
function joinedBySigns(word, cluster) {
  const signs = [...word.matchAll(/([-;+/])\1?/g)];
  if (!signs.length || signs.length > MOST_SIGNS) return null;
  const ends = [[word.length, word.length, ""]];
  for (const sign of signs.reverse()) ends.push([sign.index, sign.index + sign[0].length, sign[1]]);
  let [text, start, sign] = ["", 0, ""];
  while (start < word.length) {
    const end = ends.find((one) => {
      const name = word.slice(start, Math.max(one[0], start));
      return cluster.property(name) && isPlainName(name);
    });
    if (!end) return null;
    const name = word.slice(start, end[0]);
    text += sign === "-" ? ` -${name}` : sign ? `&${name}` : name;
    [, start, sign] = end;
  }
  return text !== word && !sign ? meantQuery("", text, cluster) : null;
}
