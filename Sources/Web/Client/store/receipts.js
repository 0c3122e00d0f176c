// Marks: how far this person has received and read. They only move forward, so what is due is one pair of numbers per
// conversation; nothing else moves them on the server.

import { api } from '../transport/api.js';
import { Backoff } from '../transport/backoff.js';
import { tabs } from '../transport/leader.js';
import { database, request } from './database.js';
import { store } from './store.js';

/// How long receipts are gathered before they go out together.
const gatherTime = 40;
const mostAtOnce = 200;

const due = new Map();
const backoff = new Backoff();
let isSending = false;
let timer = null;

/// A message has come by the stream: that is delivery, for the tab that holds it.
export function delivered({ conversationId, message }) {
  if (!tabs.isLeader || message.seq == null || message.senderId === store.state.me?.id) return;
  advance(conversationId, { deliveredSeq: message.seq, readSeq: 0 });
}

/// What came while this browser was away, and what was read in it without a connection.
export async function deliverAll() {
  if (!tabs.isLeader) return;
  for (const { id, headSeq, me, isFormer } of store.state.conversations.values()) {
    if (!isFormer && me.deliveredSeq < headSeq) advance(id, { deliveredSeq: headSeq, readSeq: 0 });
  }
  const me = store.state.me?.id;
  const kept = await database.all('receipts');
  if (store.state.me?.id === me) for (const receipt of kept) advanceKept(receipt);
}

// A tab that was closed may have said it, and not seen the answer: what was marked as unread since stays so.
function advanceKept({ conversationId, readSeq, wasMarked }) {
  const isMarkedSince = store.state.conversations.get(conversationId)?.me.markedUnread && !wasMarked;
  if (isMarkedSince) database.delete('receipts', conversationId);
  else advance(conversationId, { deliveredSeq: readSeq, readSeq });
}

/// Messages up to this one were shown on a page that is visible.
export function read(conversationId, readSeq) {
  const conversation = store.state.conversations.get(conversationId);
  if (!conversation || conversation.isFormer) return;
  const isNews = readSeq > Math.max(conversation.me.readSeq, due.get(conversationId)?.readSeq ?? 0) || (conversation.me.markedUnread && readSeq >= conversation.headSeq);
  if (!isNews) return;
  keep({ conversationId, readSeq, wasMarked: conversation.me.markedUnread });
  advance(conversationId, { deliveredSeq: readSeq, readSeq });
}

// Another tab may have kept that more was read.
function keep(receipt) {
  return database.run(['receipts'], 'readwrite', async (tx) => {
    const receipts = tx.objectStore('receipts');
    const kept = await request(receipts.get(receipt.conversationId));
    if (!(kept?.readSeq >= receipt.readSeq)) receipts.put(receipt);
  });
}

function advance(conversationId, { deliveredSeq, readSeq }) {
  const held = due.get(conversationId) ?? { deliveredSeq: 0, readSeq: 0 };
  due.set(conversationId, { deliveredSeq: Math.max(held.deliveredSeq, deliveredSeq), readSeq: Math.max(held.readSeq, readSeq) });
  timer ??= setTimeout(send, gatherTime);
}

async function send() {
  timer = null;
  if (isSending || due.size === 0 || store.state.session !== 'open') return;
  isSending = true;
  const me = store.state.me?.id;
  const batch = [...due].slice(0, mostAtOnce);
  const before = new Map(batch.map(([id]) => [id, store.state.conversations.get(id)]));
  try {
    const { body } = await api.post('/v1/receipts', { receipts: receiptsOf(batch) });
    backoff.reset();
    if (store.state.me?.id !== me) return;
    for (const [conversationId, sent] of batch) settle(conversationId, sent);
    store.commit((state) => body.items.forEach((item) => takeMarks(state, item, before.get(item.conversationId))));
  } catch (problem) {
    if (problem.isRetryable) await backoff.wait(problem);
    // What the server refuses for good would be refused again. A session that has ended is begun anew by the same person.
    else if (problem.status !== 401 && store.state.me?.id === me) for (const [conversationId, sent] of batch) settle(conversationId, sent);
  } finally {
    isSending = false;
    if (due.size > 0) timer ??= setTimeout(send, gatherTime);
  }
}

function receiptsOf(batch) {
  return batch.map(([conversationId, { deliveredSeq, readSeq }]) => ({ conversationId, deliveredSeq, ...(readSeq > 0 ? { readSeq } : {}) }));
}

// It may have grown while it was on its way.
function settle(conversationId, sent) {
  const held = due.get(conversationId);
  if (held && (held.deliveredSeq > sent.deliveredSeq || held.readSeq > sent.readSeq)) return;
  due.delete(conversationId);
  if (sent.readSeq > 0) database.delete('receipts', conversationId);
}

// The count is of before a message that has come since it was asked for, or of before something was read elsewhere: the stream
// tells the one with that. It is taken where it is the first to tell that something was read. What was marked as unread since stays
// so.
function takeMarks(state, { conversationId, deliveredSeq, readSeq, unreadCount, code }, before) {
  const held = state.conversations.get(conversationId);
  if (!held || code || (held.me.markedUnread && !before?.me.markedUnread)) return;
  const hasMoved = readSeq > held.me.readSeq;
  const me = {
    ...held.me, deliveredSeq: Math.max(held.me.deliveredSeq, deliveredSeq), readSeq: Math.max(held.me.readSeq, readSeq),
    markedUnread: hasMoved ? false : held.me.markedUnread,
  };
  const count = hasMoved && held.headSeq === before?.headSeq ? { unreadCount, ...(unreadCount === 0 ? { mentionCount: 0, firstUnreadSeq: null } : {}) } : {};
  state.conversations.set(conversationId, { ...held, me, ...count });
}

// What one person has read is none of the next one's.
store.subscribe((state) => state.me?.id, () => due.clear());

// The page goes: what is due goes out all the same, also what is on its way, which may end with the page. Said twice it changes
// nothing.
addEventListener('pagehide', () => {
  if (due.size === 0 || store.state.session !== 'open') return;
  const receipts = receiptsOf([...due].slice(0, mostAtOnce));
  api.post('/v1/receipts', { receipts }, { keepalive: true }).catch(() => {});
});

addEventListener('online', () => backoff.wake());
