// What somebody has begun to write: kept in this browser at once, and on the server a little later, so that other devices have
// it. What the server has not taken is brought to it again. That there is nothing any more is a draft, too: an empty one, which
// is later than what others still have.

import { api } from '../transport/api.js';
import { Backoff } from '../transport/backoff.js';
import { now } from '../transport/clock.js';
import { database } from './database.js';
import { drawn } from './drawn.js';
import { store } from './store.js';

const localTime = 250;
const remoteTime = 2_500;
const longestDraft = 10_000;
const nothing = { text: '', replyTo: null, mentions: [], editing: null, updatedAt: 0, isSynced: true, isShared: false };

const timers = new Map(); // conversation id → {local, remote}
const accepted = new Map(); // conversation id → the text that the server took last from here
const backoff = new Backoff();
let isWaiting = false;

/// The draft of a conversation: the later one of this browser's and that of the other devices. That those have ended one takes
/// nothing from here that they never had: see `followServer`. `isSynced` says that the server has taken it, `isShared` that it
/// has told it since. `editing` is the change of a message that somebody is at, as {message, text}; it stays in this browser.
export function draftOf(conversationId) {
  const local = store.state.drafts.get(conversationId);
  const me = store.state.conversations.get(conversationId)?.me;
  const isLater = me?.draft && (!local || Date.parse(me.draftUpdatedAt) > local.updatedAt);
  if (!isLater || me.draft === local?.text) return local ?? nothing;
  const updatedAt = Date.parse(me.draftUpdatedAt);
  return { ...nothing, text: me.draft, updatedAt, isShared: true, editing: local?.editing ?? null };
}

/// Whether a draft holds anything.
export function isWritten({ text, replyTo, editing }) {
  return text.trim() !== '' || Boolean(replyTo ?? editing);
}

/// Keeps a draft. Only another text is a later one: who just changes a message takes nothing from the other devices. It is later
/// than the one before it, and than the end of one, also where the clock was set back, as by an answer that was long on its way.
export function saveDraft(conversationId, { text, replyTo = null, mentions = [], editing = null }) {
  const known = draftOf(conversationId);
  const serverTime = Date.parse(store.state.conversations.get(conversationId)?.me.draftUpdatedAt ?? 0);
  const later = { updatedAt: Math.max(now(), known.updatedAt + 1, serverTime + 1), isSynced: false, isShared: false };
  const { updatedAt, isSynced, isShared } = text === known.text ? known : later;
  put({ conversationId, text, replyTo, mentions, editing, updatedAt, isSynced, isShared });
  clearTimeout(timers.get(conversationId)?.local);
  clearTimeout(timers.get(conversationId)?.remote);
  timers.set(conversationId, {
    local: setTimeout(() => keep(conversationId), localTime),
    remote: setTimeout(() => sync(conversationId), remoteTime),
  });
}

/// What was written has been sent: the draft is over, unless another device has gone on with something else.
export function endDraft(conversationId, sent) {
  if (!sent.includes(draftOf(conversationId).text.trim())) return;
  saveDraft(conversationId, { text: '' });
  // A page that is loaded anew right after it finds no draft, but the bubble is on the screen first.
  drawn().then(() => keep(conversationId));
}

/// What the server holds, as an event or an answer tells it. A draft that it held and holds no more was sent elsewhere, or given
/// up, and goes here, too.
export function followServer(state, conversationId, { draft, draftUpdatedAt }) {
  const local = state.drafts.get(conversationId);
  if (!local || local.text === '') return;
  // A server that says when a draft has ended may say so of one before this.
  if (draft === null && draftUpdatedAt && Date.parse(draftUpdatedAt) < local.updatedAt) return;
  if (draft !== null) {
    if (draft === toServer(local) && !local.isShared) replace(state, { ...local, isShared: true });
  } else if (local.isSynced && local.isShared) {
    replace(state, { ...nothing, conversationId, updatedAt: local.updatedAt, editing: local.editing });
  }
}

/// Whether a text, or one that it is a part of, was sent since it became the draft that it is or was.
export function wasSent(conversationId, text) {
  const { me, timelines, drafts } = store.state;
  const since = drafts.get(conversationId)?.updatedAt ?? 0;
  const messages = [...(timelines.get(conversationId)?.messages.values() ?? [])];
  return messages.some((message) => message.senderId === me?.id && Date.parse(message.timestamp) >= since && message.text?.includes(text.trim()));
}

/// A change that the server has refused is there again, to be mended, or copied.
export function keepRefusedEdit({ conversationId, messageId, payload }) {
  const draft = draftOf(conversationId);
  if (draft.editing) return;
  saveDraft(conversationId, { ...draft, editing: editingOf({ conversationId, messageId, payload }) });
}

/// The change that a row of the outbox is, as `editing` of a draft.
export function editingOf({ conversationId, messageId, payload }) {
  const message = store.state.timelines.get(conversationId)?.messages.get(messageId);
  return { message: { id: messageId, conversationId, senderId: store.state.me?.id, text: message?.text ?? null }, text: payload.text };
}

/// Drafts as they are taken up: without those that have become a message which is unsent, as a tab that was killed may have left
/// both, and without empty ones that nothing older is left of.
export function takenUp(drafts, outbox, conversations = new Map()) {
  const left = new Map(drafts);
  for (const { kind, conversationId, payload, createdAt } of [...outbox.values()].flat()) {
    const draft = left.get(conversationId);
    const sentAt = Date.parse(createdAt);
    if (kind !== 'send' || !draft?.text || draft.text.trim() !== payload.text || draft.updatedAt > sentAt) continue;
    const empty = { ...nothing, conversationId, updatedAt: sentAt, isSynced: false };
    left.set(conversationId, empty);
    database.put('drafts', empty);
  }
  for (const [conversationId, draft] of left) {
    if (isWritten(draft) || !draft.isSynced || conversations.get(conversationId)?.me.draft) continue;
    left.delete(conversationId);
    database.delete('drafts', conversationId);
  }
  return left;
}

/// Keeps what is waiting to be kept at once, as when a conversation is left or the page goes.
export function flushDrafts({ keepalive = false } = {}) {
  for (const [conversationId, { local, remote }] of [...timers]) {
    clearTimeout(local);
    clearTimeout(remote);
    keep(conversationId);
    sync(conversationId, { keepalive });
  }
}

function put(draft) {
  store.commit((state) => (state.drafts = new Map(state.drafts).set(draft.conversationId, draft)));
}

function replace(state, draft) {
  state.drafts = new Map(state.drafts).set(draft.conversationId, draft);
  database.put('drafts', draft);
}

// null where there is none.
function toServer({ text }) {
  return text.trim() === '' ? null : [...text].slice(0, longestDraft).join('');
}

function keep(conversationId) {
  const draft = store.state.drafts.get(conversationId);
  if (draft) database.put('drafts', draft);
}

// Brings a draft to the server, unless that has it.
async function sync(conversationId, { keepalive = false } = {}) {
  timers.delete(conversationId);
  const draft = store.state.drafts.get(conversationId);
  if (!draft || draft.isSynced || store.state.session !== 'open') return;
  const text = toServer(draft);
  const held = store.state.conversations.get(conversationId)?.me.draft ?? null;
  // What it took a moment ago it may not have told yet.
  const hasIt = held === text && accepted.has(conversationId) && accepted.get(conversationId) === text;
  try {
    const fields = { draft: text, draftUpdatedAt: new Date(draft.updatedAt).toISOString() };
    if (!hasIt) await api.patch(`/v1/conversations/${conversationId}/me`, fields, { keepalive });
    accepted.set(conversationId, text);
    backoff.reset();
  } catch (problem) {
    if (problem.isSessionOver) return;
    if (problem.isRetryable) return void syncLater(problem);
    // It is refused: no other device is to have it.
  }
  const present = store.state.drafts.get(conversationId);
  if (present?.updatedAt !== draft.updatedAt) return;
  put({ ...present, isSynced: true });
  keep(conversationId);
}

async function syncLater(problem) {
  if (isWaiting) return;
  isWaiting = true;
  await backoff.wait(problem);
  isWaiting = false;
  syncDrafts();
}

/// Brings all drafts to the server that it has not taken, one after the other. What is being written now has its own time.
export async function syncDrafts() {
  if (store.state.session !== 'open' || store.state.connection !== 'online') return;
  for (const { conversationId, isSynced } of [...store.state.drafts.values()]) {
    if (isSynced === false && !timers.has(conversationId) && !isWaiting) await sync(conversationId);
  }
}

store.subscribe((state) => state.session === 'open' && state.connection === 'online', (isReady) => {
  if (!isReady) return;
  backoff.wake();
  syncDrafts();
});
store.subscribe((state) => state.me?.id, () => accepted.clear());

// A phone ends a page that is hidden without a word.
const flushForGood = () => flushDrafts({ keepalive: true });
document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && flushForGood());
addEventListener('pagehide', flushForGood);
