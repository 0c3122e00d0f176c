// What of a history is known without a hole. A segment says what pages and the stream have covered; messages are never
// counted for that, and the beginning is only where the server said that nothing is older. Pure.
//
// {from, to} are numbers of messages; older/newer are the server's cursors at the ends (null: ask around the end's number);
// hasOlder/hasNewer say whether there is more beyond them. An empty stretch has from = to + 1.

/// Segments with one more in them. Those that overlap it become one with it, and so do those that it was read on from.
export function withSegment(segments, added, { joins = null } = {}) {
  let union = added;
  const rest = [];
  for (const segment of segments) {
    if (segment === joins || overlap(segment, union)) union = joined(segment, union);
    else rest.push(segment);
  }
  // What grew may reach what it did not reach before.
  if (rest.some((segment) => overlap(segment, union))) return withSegment(rest, union);
  return opened([...rest, union].sort((one, other) => one.from - other.from || one.to - other.to));
}

// What ended with the newest message until there is a segment behind it.
function opened(segments) {
  return segments.map((segment, index) => (index < segments.length - 1 && !segment.hasNewer ? { ...segment, newer: null, hasNewer: true } : segment));
}

// Side by side is not together: what has happened to a group stands between two messages, without a number. Two that end
// with the newest message, or begin with the oldest, are together even where one is empty.
function overlap(one, other) {
  if (!one.hasNewer && !other.hasNewer && one.to === other.to) return true;
  if (!one.hasOlder && !other.hasOlder && one.from === other.from) return true;
  return Math.max(one.from, other.from) <= Math.min(one.to, other.to);
}

function joined(one, other) {
  const lower = one.from < other.from || (one.from === other.from && !one.hasOlder) ? one : other;
  const upper = one.to > other.to || (one.to === other.to && !one.hasNewer) ? one : other;
  return {
    from: Math.min(one.from, other.from), older: lower.older, hasOlder: lower.hasOlder,
    to: Math.max(one.to, other.to), newer: upper.newer, hasNewer: upper.hasNewer,
  };
}

/// The segment that ends with the newest message, if it is known.
export function newest(segments) {
  const last = segments.at(-1);
  return last && !last.hasNewer ? last : null;
}

/// The segment in which a number lies.
export function containing(segments, seq) {
  return segments.find((segment) => segment.from <= seq && seq <= segment.to) ?? null;
}

/// Segments after a new message came by the stream, which tells everything in order. One that does not follow what is known
/// leaves a gap. A page may be ahead of the stream, as after an absence: what that tells of before the page is no news.
export function withNext(segments, seq) {
  const last = newest(segments);
  if (last && seq === last.to + 1) return [...segments.slice(0, -1), { ...last, to: seq }];
  if (seq <= segments.at(-1)?.to) return segments;
  return opened([...segments, { from: seq, to: seq, older: null, newer: null, hasOlder: seq > 1, hasNewer: false }]);
}

/// Segments cut to what lies between two numbers. The new ends have no cursors.
export function cut(segments, from, to) {
  const kept = [];
  for (const segment of segments) {
    if (segment.to < from || segment.from > to) continue;
    kept.push({
      ...segment,
      ...(segment.from < from ? { from, older: null, hasOlder: true } : {}),
      ...(segment.to > to ? { to, newer: null, hasNewer: true } : {}),
    });
  }
  return kept;
}
