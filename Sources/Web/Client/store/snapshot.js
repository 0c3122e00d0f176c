// Beginning anew: a snapshot of the newest conversations, then the rest of the list. What is unsent stays.

import { api } from '../transport/api.js';
import { Backoff } from '../transport/backoff.js';
import { now } from '../transport/clock.js';
import { forgetCovered } from './answers.js';
import { askBlocks } from './blocks.js';
import { keepConversations, keepSnapshot } from './cache.js';
import { mergeConversation, orderOf } from './conversations.js';
import { drawn } from './drawn.js';
import { learn } from './events.js';
import { store } from './store.js';
import { emptyTimeline, withPage } from './timeline.js';

/// How long one that was asked for ahead is waited with: the stream brings what has happened since.
const longestAhead = 10_000;
/// How long the first screen waits for it, to be drawn once and not twice.
const longestWait = 500;

const query = { window: 50, timelineLimit: 20 };

let ahead = null;

/// Asks for a snapshot while the first screen is made.
export function askSnapshotAhead() {
  ahead = { answer: askNow(), at: performance.now() };
  ahead.answer.catch(() => {});
}

/// The snapshot that was asked for ahead, where it is this person's and there within a moment, else null.
export async function snapshotAhead(me) {
  if (!ahead || performance.now() - ahead.at > longestAhead) return null;
  const snapshot = await Promise.race([ahead.answer.catch(() => null), new Promise((resolve) => setTimeout(resolve, longestWait, null))]);
  if (snapshot?.body.me.id !== me.id) return null;
  ahead = null;
  return snapshot;
}

// With it, who is blocked: what these have said may not show for a moment.
async function askNow() {
  const [{ body }, blocks] = await Promise.all([api.get('/v1/sync', { query }), askBlocks()]);
  return { body, blocks };
}

function ask() {
  const early = ahead;
  ahead = null;
  if (!early || performance.now() - early.at > longestAhead) return askNow();
  // What was refused before anybody was signed in here is refused again, now that it counts: a session may have ended.
  return early.answer.then((answer) => (answer.body.me.id === store.state.me?.id ? answer : askNow()), () => askNow());
}

/// Takes a snapshot, however long that takes, and resolves when it is kept. The rest of the list follows by itself. Nothing in the
/// question can be wrong, so that a refusal, as of something on the way, is met by asking again, too.
export async function takeSnapshot() {
  const snapshot = await untilAnswered(ask);
  if (snapshot) await keep(await showSnapshot(snapshot));
}

/// Shows a snapshot, with other fields of the state that come at once with it. Returns what there is to keep.
export async function showSnapshot({ body, blocks }, fields = {}) {
  const known = new Map(store.state.conversations);
  const isFirst = known.size === 0;
  store.commit((state) => {
    Object.assign(state, fields, {
      me: withName(state.me, body.me), cursor: body.cursor, blocks, areBlocksKnown: true, totalsAt: now(),
      totalUnread: body.totalUnread, totalUnreadUnmuted: body.totalUnreadUnmuted, totalMentions: body.totalMentions,
    });
    state.snapshots += 1;
    for (const [id, timeline] of state.timelines) state.timelines.set(id, { ...timeline, isStale: true });
    for (const entry of body.conversations) take(state, known, entry);
    for (const [id, user] of Object.entries(body.users)) learn(state, id, user);
    state.order = orderOf(state.conversations);
    state.isListComplete = false;
  });
  // The first list comes to the screen before it is kept. Where there was one, the stream may bring more of it meanwhile: what
  // that changes has to be kept behind the snapshot.
  if (isFirst) await drawn();
  return { body, known };
}

/// Who is here, by an answer that may be from before this person had a name: nobody is asked for it twice.
export function withName(held, me) {
  return held?.id === me.id && !held.needsOnboarding ? { ...me, needsOnboarding: false } : me;
}

/// Keeps a snapshot that is shown, and gets the rest of the list.
export async function keep({ body, known }) {
  if (store.state.me?.id !== body.me.id) return;
  await keepSnapshot(store.state, body);
  loadRest(body.nextCursor, body.cursor, known).catch(reportError);
}

// A history that is stale begins anew with these messages.
function take(state, known, { conversation, timeline }) {
  known.delete(conversation.id);
  const held = state.timelines.get(conversation.id) ?? emptyTimeline(conversation.id);
  state.timelines.set(conversation.id, withPage(held, timeline, { place: 'newest', headSeq: conversation.headSeq }));
  forgetCovered(state, conversation.id);
  state.conversations.set(conversation.id, conversation);
  for (const participant of conversation.participants ?? []) learn(state, participant.userId, participant);
}

// The rest of the list, page by page; what never comes is not in it any more, but for what the stream has told of meanwhile: what
// came to the top is on none of the pages.
async function loadRest(first, waitFor, known) {
  for (let cursor = first; cursor; ) {
    const asked = cursor;
    const answer = await untilAnswered(() => api.get('/v1/conversations', { query: { limit: 200, cursor: asked }, waitFor }), { endsByRefusal: true });
    if (!answer) return;
    const { items, users, nextCursor } = answer.body;
    store.commit((state) => {
      for (const [id, user] of Object.entries(users)) learn(state, id, user);
      for (const conversation of items) takeOlder(state, known, conversation);
      state.order = orderOf(state.conversations);
    });
    keepConversations(store.state, items.map(({ id }) => id), Object.keys(users));
    cursor = nextCursor;
  }
  const gone = [...known].filter(([id, conversation]) => store.state.conversations.get(id) === conversation).map(([id]) => id);
  store.commit((state) => {
    for (const id of gone) state.conversations.delete(id);
    state.order = orderOf(state.conversations);
    state.isListComplete = true;
  });
  keepConversations(store.state, gone, []);
}

// What the stream has told since the snapshot may be later than this page. Of a conversation of whose marks and messages it has
// told nothing, they are held from before the snapshot.
function takeOlder(state, known, conversation) {
  const held = state.conversations.get(conversation.id);
  const before = known.get(conversation.id);
  known.delete(conversation.id);
  if (!held || held === before) return void state.conversations.set(conversation.id, conversation);
  const isTold = held.isFormer || ['me', 'headSeq', 'unreadCount'].some((name) => held[name] !== before?.[name]);
  const { me, unreadCount, mentionCount, firstUnreadSeq } = isTold ? mergeConversation(held, conversation) : conversation;
  return void state.conversations.set(conversation.id, { ...mergeConversation(held, conversation), me, unreadCount, mentionCount, firstUnreadSeq });
}

// Null where the person has gone meanwhile, or the session has ended: the answer is none of the next one's. A refusal counts for
// good only where it `endsByRefusal`: then it is thrown.
async function untilAnswered(ask, { endsByRefusal = false } = {}) {
  const backoff = new Backoff();
  const { me } = store.state;
  const isHere = () => store.state.session === 'open' && store.state.me?.id === me?.id;
  while (isHere()) {
    try {
      const answer = await ask();
      return isHere() ? answer : null;
    } catch (problem) {
      if (problem.isSessionOver) return null;
      if (endsByRefusal && !problem.isRetryable) throw problem;
      store.commit((state) => (state.connection = problem.isOffline ? 'offline' : 'connecting'));
      await backoff.wait(problem);
    }
  }
  return null;
}
