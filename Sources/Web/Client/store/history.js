// Pages of history: brought when a conversation is opened and when somebody scrolls, and put where they belong.

import { api } from '../transport/api.js';
import { forgetCovered } from './answers.js';
import { cachedTimeline, keepPage } from './cache.js';
import { learn } from './events.js';
import { mergeMessage } from './messages.js';
import { store } from './store.js';
import { emptyTimeline, placeOf, trimmed, withMessage, withPage } from './timeline.js';

const pageSize = 50;
/// Of those that go on from another one: each that comes is put among all that is held.
const nextPageSize = 100;

/// The most messages that are held of one conversation. Beyond them, what is far from the reader is let go.
const mostHeld = 1_500;

const loading = new Map();

/// Shows what is known of a history, from the cache where nothing is.
export async function openTimeline(id) {
  if (store.state.timelines.has(id)) return;
  const cached = await cachedTimeline(id);
  if (store.state.timelines.has(id)) return;
  store.commit((state) => state.timelines.set(id, cached ? upToDate(cached, state.cursor) : emptyTimeline(id)));
}

// What has come meanwhile, or what the leading tab has told and not kept yet, is not in it.
function upToDate({ timeline, cursor }, present) {
  return cursor === present ? timeline : { ...timeline, isStale: true };
}

/// Brings the newest page; always anew when a conversation is opened, since what is cached may be old.
export function loadNewest(id) {
  return load(id, 'newest', {}, { place: 'newest' });
}

/// Brings what is around a message id, a number, or `unread`. Resolves to the page.
export function loadAround(id, around) {
  return load(id, `around ${around}`, { around }, { place: 'around' });
}

/// Goes on from a segment's older or newer end.
export function loadOlder(id, segment) {
  if (!segment.hasOlder) return Promise.resolve(null);
  const query = segment.older ? { before: segment.older } : { around: String(Math.max(segment.from, 1)) };
  return load(id, `older ${segment.from}`, query, { place: segment.older ? 'before' : 'around', segment });
}

export function loadNewer(id, segment) {
  if (!segment.hasNewer) return Promise.resolve(null);
  const query = segment.newer ? { after: segment.newer } : { around: String(Math.max(segment.to, 1)) };
  return load(id, `newer ${segment.to}`, query, { place: segment.newer ? 'after' : 'around', segment });
}

// The same page is asked for once at a time.
function load(id, what, query, options) {
  const key = `${id} ${what}`;
  const present = loading.get(key);
  if (present) return present;
  const promise = bring(id, query, options);
  loading.set(key, promise);
  // Beside it, not before it: who has asked goes on as soon as the page is there, and draws it before the list does.
  promise.catch(() => {}).then(() => loading.delete(key));
  return promise;
}

async function bring(id, query, options) {
  const me = store.state.me?.id;
  const ask = () => api.get(`/v1/conversations/${id}/messages`, { query: { limit: options.segment ? nextPageSize : pageSize, ...query }, waitFor: store.state.cursor });
  const isHere = () => store.state.session === 'open' && store.state.me?.id === me;
  // No event tells what was deleted between a page and a snapshot that has come meanwhile.
  const read = async () => {
    const { snapshots } = store.state;
    const changes = store.state.unheldChanges.get(id);
    const { body: page } = await ask();
    return isHere() && store.state.snapshots !== snapshots ? read() : { page, changes };
  };
  const { page, changes } = await read();
  // Somebody else may be here by now.
  if (!isHere()) return page;
  takePage(id, page, options);
  keepNewest(id, page, options.place);
  // One of these messages may have changed after the server had read it, and before it was held here; or another one come.
  if (store.state.unheldChanges.get(id) !== changes) readAgain(id, read, isHere, options.place).catch(() => {});
  return page;
}

function takePage(id, page, options) {
  store.commit((state) => {
    for (const [userId, user] of Object.entries(page.users ?? {})) learn(state, userId, user);
    const headSeq = state.conversations.get(id)?.headSeq ?? 0;
    const timeline = state.timelines.get(id) ?? emptyTimeline(id);
    state.timelines.set(id, withPage(timeline, page, { ...options, segment: options.place === 'around' ? null : options.segment, headSeq }));
    forgetCovered(state, id);
  });
}

// What has come since the first answer is the stream's. What was kept of before gives way as well: it may have been deleted.
async function readAgain(id, read, isHere, place) {
  const { page } = await read();
  if (!isHere()) return;
  if (place === 'newest') takePage(id, page, { place });
  else for (const message of page.items) takeMessage(message);
  keepNewest(id, page, place);
}

function keepNewest(id, page, place) {
  if (place === 'newest') keepPage(id, page, { place, headSeq: store.state.conversations.get(id)?.headSeq ?? 0 });
}

/// Lets go of what is far from a number where too much is held.
export function trimAround(id, seq) {
  const timeline = store.state.timelines.get(id);
  if (!timeline || timeline.messages.size <= mostHeld) return;
  const places = [...timeline.messages.values()].map(placeOf).sort((one, other) => one - other);
  const at = places.findIndex((place) => place >= seq);
  const from = places[Math.max(0, at - mostHeld / 3)];
  const to = places[Math.min(places.length - 1, at + mostHeld / 3)];
  store.commit((state) => state.timelines.set(id, trimmed(state.timelines.get(id), from, to)));
}

/// Takes in a message that an answer has told.
export function takeMessage(message) {
  store.commit((state) => {
    const timeline = state.timelines.get(message.conversationId);
    if (timeline) state.timelines.set(message.conversationId, withMessage(timeline, message.id, (held) => mergeMessage(held, message)));
  });
}

const recounting = new Map();

/// Asks for the counts of a message that went to many; once in a while, however many receipts come.
export function recount({ conversationId, messageId }) {
  if (recounting.has(messageId) || recounting.size > 20) return;
  const ask = async () => {
    recounting.delete(messageId);
    const { body } = await api.get(`/v1/conversations/${conversationId}/messages/${messageId}`);
    takeMessage(body);
  };
  recounting.set(messageId, setTimeout(() => ask().catch(() => {}), 2_000));
}
