// The known part of one conversation's history. Pure: every change gives a new timeline; the messages in it are replaced,
// never changed.

import { mergeMessage } from './messages.js';
import { containing, cut, newest, withNext, withSegment } from './segments.js';

/// What is cached of a conversation, beyond what is on the screen.
const cachedMessages = 60;

export function emptyTimeline(conversationId) {
  return { conversationId, messages: new Map(), segments: [], isStale: false };
}

/// Where a message stands: system messages have no number, and stand behind the message before them.
export function compareMessages(one, other) {
  const difference = placeOf(one) - placeOf(other);
  if (difference !== 0) return difference;
  const isSystem = (message) => (message.seq == null ? 1 : 0);
  return isSystem(one) - isSystem(other) || one.revision - other.revision;
}

export function placeOf(message) {
  return message.seq ?? message.afterSeq ?? 0;
}

const lists = new WeakMap();

/// All messages in their order. Gaps are for `segments` to tell.
export function listOf(timeline) {
  let list = lists.get(timeline);
  if (!list) lists.set(timeline, (list = [...timeline.messages.values()].sort(compareMessages)));
  return list;
}

/// The messages of one segment.
export function listOfSegment(timeline, segment) {
  return listOf(timeline).filter((message) => isIn(segment, message));
}

// A system message at the lower end stands behind a message that the segment does not have.
function isIn(segment, message) {
  const place = placeOf(message);
  return message.seq == null ? place >= segment.from - 1 && place <= segment.to : place >= segment.from && place <= segment.to;
}

/// A timeline with a page of history in it. `place` says how it was asked for: 'newest', 'around', or 'before' / 'after' the
/// end of `segment`. What is stale is replaced by the first page that is not.
export function withPage(timeline, page, { place, segment = null, headSeq = 0 }) {
  const base = timeline.isStale ? emptyTimeline(timeline.conversationId) : timeline;
  const joins = base === timeline && segment ? sameEnd(base.segments, segment, place) : null;
  const numbers = page.items.filter((item) => item.seq != null).map((item) => item.seq);
  const covered = coverage(numbers, place, joins, headSeq);
  const added = {
    ...covered, older: page.page.olderCursor, newer: page.page.newerCursor, hasOlder: page.page.hasOlder, hasNewer: page.page.hasNewer,
  };
  const segments = withSegment(base.segments, edgeOf(added, place, joins), { joins });
  const messages = new Map(base.messages);
  for (const item of placed(page.items, covered.from)) messages.set(item.id, mergeMessage(messages.get(item.id), item));
  return { ...base, messages, segments, isStale: false };
}

// The segment may have grown at its other end since the page was asked for.
function sameEnd(segments, segment, place) {
  const isSame = place === 'before' ? (one) => one.from === segment.from && one.older === segment.older : (one) => one.to === segment.to && one.newer === segment.newer;
  return segments.find(isSame) ?? null;
}

// A page without numbered messages covers an empty stretch at the end that it was read on from.
function coverage(numbers, place, joins, headSeq) {
  if (numbers.length > 0) return { from: numbers[0], to: numbers.at(-1) };
  if (place === 'before' && joins) return { from: joins.from, to: joins.from - 1 };
  const end = place === 'after' && joins ? joins.to : headSeq;
  return { from: end + 1, to: end };
}

// Where a page was read on from a segment, its near end tells nothing: the segment goes on there.
function edgeOf(added, place, joins) {
  if (!joins) return added;
  if (place === 'before') return { ...added, to: joins.to, newer: joins.newer, hasNewer: joins.hasNewer, from: Math.min(added.from, joins.from) };
  return { ...added, from: joins.from, older: joins.older, hasOlder: joins.hasOlder, to: Math.max(added.to, joins.to) };
}

function placed(items, from) {
  let before = from - 1;
  return items.map((item) => {
    if (item.seq == null) return { ...item, afterSeq: before };
    before = item.seq;
    return item;
  });
}

/// A timeline with a message that the stream has told.
export function withNewMessage(timeline, message) {
  if (message.seq == null) return withSystemMessage(timeline, message);
  const segments = withNext(timeline.segments, message.seq);
  if (!containing(segments, message.seq)) return timeline;
  const messages = new Map(timeline.messages).set(message.id, mergeMessage(timeline.messages.get(message.id), message));
  return { ...timeline, messages, segments };
}

// An answer or a page may be ahead of the stream. A system message has no number to tell its place by, and stands by its time.
function withSystemMessage(timeline, message) {
  const last = newest(timeline.segments);
  if (!last || timeline.messages.has(message.id)) return timeline;
  const numbered = listOfSegment(timeline, last).filter((one) => one.seq != null);
  const earlier = numbered.filter((one) => one.timestamp <= message.timestamp);
  // It is from before all of them: it comes with the page of that.
  if (last.hasOlder && numbered.length > 0 && earlier.length === 0) return timeline;
  const afterSeq = earlier.at(-1)?.seq ?? last.from - 1;
  return { ...timeline, messages: new Map(timeline.messages).set(message.id, { ...message, afterSeq }) };
}

/// A timeline with a message changed, if it has it.
export function withMessage(timeline, id, change) {
  const held = timeline.messages.get(id);
  if (!held) return timeline;
  const changed = change(held);
  return changed === held ? timeline : { ...timeline, messages: new Map(timeline.messages).set(id, changed) };
}

/// A timeline with every message put through `change`.
export function withAll(timeline, change) {
  let messages = null;
  for (const [id, message] of timeline.messages) {
    const changed = change(message);
    if (changed !== message) (messages ??= new Map(timeline.messages)).set(id, changed);
  }
  return messages ? { ...timeline, messages } : timeline;
}

/// Only what lies between two numbers, so that a long way through a history does not keep all of it.
export function trimmed(timeline, from, to) {
  const segments = cut(timeline.segments, from, to);
  const messages = new Map([...timeline.messages].filter(([, message]) => placeOf(message) >= from && placeOf(message) <= to));
  return { ...timeline, messages, segments };
}

/// What goes into the cache: the newest messages, as long as nothing is missing among them.
export function cachedPart(timeline) {
  const last = newest(timeline.segments);
  if (!last) return null;
  const all = listOfSegment(timeline, last);
  const list = all.slice(-cachedMessages);
  const first = list.find((message) => message.seq != null);
  const isWhole = list.length === all.length;
  if (!isWhole && !first) return null;
  const segment = isWhole ? last : { ...last, from: first.seq, older: null, hasOlder: true };
  return { conversationId: timeline.conversationId, messages: list.slice(isWhole ? 0 : list.indexOf(first)), segment };
}

export function fromCache({ conversationId, messages, segment }, isStale) {
  return { conversationId, messages: new Map(messages.map((message) => [message.id, message])), segments: [segment], isStale };
}

export { containing, newest };
