// What somebody has begun to write: kept in this browser at once, on the server a little later, so that other devices have it.

import { api } from '../transport/api.js';
import { now } from '../transport/clock.js';
import { database } from './database.js';
import { store } from './store.js';

const localTime = 250;
const remoteTime = 2_500;
const timers = new Map();

/// The draft of a conversation: the later one of this browser's and that of the other devices.
export function draftOf(conversationId) {
  const local = store.state.drafts.get(conversationId);
  const me = store.state.conversations.get(conversationId)?.me;
  const isLater = me?.draftUpdatedAt && (!local || Date.parse(me.draftUpdatedAt) > local.updatedAt);
  if (isLater && me.draft !== local?.text) return { text: me.draft ?? '', replyTo: null, mentions: [] };
  return local ?? { text: '', replyTo: null, mentions: [] };
}

/// Keeps a draft; an empty one is forgotten.
export function saveDraft(conversationId, { text, replyTo = null, mentions = [] }) {
  const isEmpty = text.trim() === '' && !replyTo;
  const draft = { conversationId, text, replyTo, mentions, updatedAt: now() };
  store.commit((state) => {
    const drafts = new Map(state.drafts);
    if (isEmpty) drafts.delete(conversationId);
    else drafts.set(conversationId, draft);
    state.drafts = drafts;
  });
  clearTimeout(timers.get(conversationId)?.local);
  clearTimeout(timers.get(conversationId)?.remote);
  timers.set(conversationId, {
    local: setTimeout(() => keep(conversationId, isEmpty, draft), localTime),
    remote: setTimeout(() => tell(conversationId, isEmpty ? null : text, draft.updatedAt), remoteTime),
  });
}

/// Drafts without those that have become a message which is unsent: a tab that was killed may have left both.
export function withoutSent(drafts, outbox) {
  const left = new Map(drafts);
  for (const { kind, conversationId, payload, createdAt } of [...outbox.values()].flat()) {
    const draft = drafts.get(conversationId);
    const sentAt = Date.parse(createdAt);
    if (kind !== 'send' || !draft?.text || draft.text.trim() !== payload.text || draft.updatedAt > sentAt) continue;
    // An empty one, as the server still has the other.
    left.set(conversationId, { conversationId, text: '', replyTo: null, mentions: [], updatedAt: sentAt });
    keep(conversationId, true);
    timers.set(conversationId, { local: null, remote: setTimeout(() => tell(conversationId, null, sentAt), remoteTime) });
  }
  return left;
}

function keep(conversationId, isEmpty, draft) {
  return isEmpty ? database.delete('drafts', conversationId) : database.put('drafts', draft);
}

/// Keeps what is waiting to be kept at once, as when a conversation is left or the page goes.
export function flushDrafts() {
  for (const [conversationId, { local, remote }] of timers) {
    clearTimeout(local);
    clearTimeout(remote);
    const draft = store.state.drafts.get(conversationId);
    const isEmpty = !draft?.text && !draft?.replyTo;
    keep(conversationId, isEmpty, draft);
    tell(conversationId, isEmpty ? null : draft.text, draft?.updatedAt ?? now());
  }
  timers.clear();
}

async function tell(conversationId, text, updatedAt) {
  timers.delete(conversationId);
  const held = store.state.conversations.get(conversationId)?.me.draft ?? null;
  if (store.state.session !== 'open' || held === text) return;
  const draft = text === null ? null : [...text].slice(0, 10_000).join('');
  await api.patch(`/v1/conversations/${conversationId}/me`, { draft, draftUpdatedAt: new Date(updatedAt).toISOString() }).catch(() => {});
}

addEventListener('pagehide', flushDrafts);
