// What of the state is kept, and how events reach it: the events and their cursor in one transaction, so that a tab that is
// killed at any point goes on where the kept state ends.

import { orderOf } from './conversations.js';
import { database, evictTimelines, request } from './database.js';
import { conversationIdOf } from './events.js';
import * as journal from './journal.js';
import { timelineAfter } from './timeline-events.js';
import { cachedPart, fromCache, withNewMessage, withPage } from './timeline.js';

/// What is kept of the list, as fields of the state.
export async function cachedList() {
  const [conversations, users, drafts, rows] = await Promise.all([...['conversations', 'users', 'drafts'].map((name) => database.all(name)), keptRows()]);
  const byId = new Map(conversations.map((one) => [one.id, one]));
  const outbox = new Map();
  for (const row of rows) outbox.set(row.conversationId, [...(outbox.get(row.conversationId) ?? []), row]);
  return {
    conversations: byId,
    order: orderOf(byId),
    users: new Map(users.map(({ id, ...user }) => [id, user])),
    drafts: new Map(drafts.map((draft) => [draft.conversationId, draft])),
    outbox,
  };
}

/// What is kept of the outbox, in order. The journal is read first, as rows go from there to the database, and is newer.
export async function keptRows() {
  const noted = journal.rows();
  const over = journal.over();
  const byNumber = new Map([...(await database.all('outbox')), ...noted].map((row) => [row.number, row]));
  for (const number of over) {
    byNumber.delete(number);
    database.delete('outbox', number).then(() => database.isMemory || journal.forgetOver(number));
  }
  return [...byNumber.values()].sort((one, other) => one.number - other.number);
}

/// Keeps a row of the outbox, without waiting where it has no files, and also where the database has gone.
export async function keepRow(row) {
  if (row.files.length === 0 && (!database.isResting || journal.has(row.number)) && journal.write(row)) return;
  await database.put('outbox', row);
  journal.remove(row.number);
}

/// Brings what the journal has to the database, but for what `isOver`.
export function keepJournal(isOver) {
  return journal.move(async (row) => {
    if (!isOver(row)) await database.put('outbox', row);
    return !database.isMemory && database.isKeeping;
  });
}

/// Forgets a row of the outbox.
export async function forgetRow(number) {
  journal.remove(number);
  await database.delete('outbox', number);
  if (database.isLost) journal.noteOver(number);
}

/// The kept part of a history, with all that this tab is still keeping, and the cursor that it is from. Where deletions may
/// have been missed since, it is stale: readable, and no part of what is known.
export async function cachedTimeline(conversationId) {
  await keeping;
  return database.run(['timelines', 'account'], 'readonly', async (tx) => {
    const kept = await database.timeline(tx.objectStore('timelines'), conversationId);
    if (!kept) return null;
    const account = await request(tx.objectStore('account').get('account'));
    return { timeline: fromCache(kept, kept.generation !== account?.generation), cursor: account?.cursor ?? null };
  });
}

let keeping = Promise.resolve();

/// Keeps what a batch of events has changed, with the cursor behind it, one batch after the other. `before` has the
/// conversation of each event, as it was until then.
export function keepEvents(state, events, cursor, before) {
  keeping = keeping.then(() => keepBatch(state, events, cursor, before)).catch(reportError);
}

function keepBatch(state, events, cursor, before) {
  const touched = new Set();
  const people = new Set();
  const byConversation = new Map();
  let isErasure = false;
  for (const [index, event] of events.entries()) {
    const id = conversationIdOf(event);
    if (event.data?.user) {
      people.add(event.data.user.id);
      isErasure ||= event.data.user.erased === true;
    }
    if (event.data?.message) people.add(event.data.message.senderId);
    for (const participant of event.data?.conversation?.participants ?? []) people.add(participant.userId);
    if (event.data?.participant) people.add(event.data.participant.userId);
    if (!id || volatile.has(event.event)) continue;
    touched.add(id);
    byConversation.set(id, [...(byConversation.get(id) ?? []), { event, conversation: before[index] }]);
  }
  return database.run(['account', 'conversations', 'users', 'timelines'], 'readwrite', async (tx) => {
    const account = tx.objectStore('account');
    const kept = await request(account.get('account'));
    if (!kept || kept.userId !== state.me?.id) return;
    account.put({ ...kept, me: state.me, cursor, cursorAt: Date.now(), blocks: [...state.blocks], ...totalsOf(state) }, 'account');
    for (const id of touched) keepConversation(tx.objectStore('conversations'), state, id);
    for (const id of people) if (state.users.has(id)) tx.objectStore('users').put({ id, ...state.users.get(id) });
    if (isErasure) tx.objectStore('timelines').clear();
    else for (const [id, changes] of byConversation) await keepTimeline(tx.objectStore('timelines'), id, changes, state.me.id);
  });
}

/// Keeps who is blocked, with the account that is kept.
export function keepBlocks(state) {
  return database.run(['account'], 'readwrite', async (tx) => {
    const account = tx.objectStore('account');
    const kept = await request(account.get('account'));
    if (kept && kept.userId === state.me?.id) account.put({ ...kept, blocks: [...state.blocks] }, 'account');
  });
}

const volatile = new Set(['typing.updated', 'presence.updated']);

function totalsOf({ totalUnread, totalUnreadUnmuted, totalMentions, totalsAt }) {
  return { totalUnread, totalUnreadUnmuted, totalMentions, totalsAt };
}

function keepConversation(store, state, id) {
  const conversation = state.conversations.get(id);
  if (!conversation || conversation.isFormer) store.delete(id);
  else store.put(conversation);
}

async function keepTimeline(store, id, changes, meId) {
  const kept = await database.timeline(store, id);
  if (!kept) return;
  const timeline = changes.reduce((before, { event, conversation }) => timelineAfter(before, event, { conversation, meId }), fromCache(kept, false));
  putTimeline(store, timeline, kept);
}

function putTimeline(store, timeline, { generation, usedAt }) {
  const part = cachedPart(timeline);
  if (part) store.put({ ...part, generation, usedAt });
  else store.delete(timeline.conversationId);
}

/// Keeps a page of the newest messages, beside what is kept already.
export function keepPage(conversationId, page, options) {
  return database.run(['timelines', 'account'], 'readwrite', async (tx) => {
    const store = tx.objectStore('timelines');
    const kept = await database.timeline(store, conversationId);
    const { generation = 0 } = (await request(tx.objectStore('account').get('account'))) ?? {};
    const base = kept ? fromCache(kept, kept.generation !== generation) : fromCache({ conversationId, messages: [], segment: null }, true);
    putTimeline(store, withPage(base, page, { ...options, segment: null }), { generation, usedAt: Date.now() });
    await evictTimelines(store);
  });
}

/// Keeps the answer to a row in the transaction that drops the row, so that the message is in one of both at any time.
export async function keepAnswer(state, row, message) {
  journal.remove(row.number);
  await database.run(['outbox', 'timelines'], 'readwrite', async (tx) => {
    tx.objectStore('outbox').delete(row.number);
    const store = tx.objectStore('timelines');
    const kept = await database.timeline(store, row.conversationId);
    if (!kept) return;
    const timeline = fromCache(kept, false);
    const follows = message.seq === kept.segment.to + 1;
    if (follows) putTimeline(store, withNewMessage(timeline, message), kept);
  });
  if (database.isLost) journal.noteOver(row.number);
}

/// Keeps conversations that a page of the list, or one answer, has brought.
export function keepConversations(state, ids, userIds) {
  return database.run(['conversations', 'users'], 'readwrite', (tx) => {
    for (const id of ids) keepConversation(tx.objectStore('conversations'), state, id);
    for (const id of userIds) if (state.users.has(id)) tx.objectStore('users').put({ id, ...state.users.get(id) });
  });
}

/// Keeps a snapshot in place of everything but what is unsent, behind all events from before it: their cursor is an older one.
/// Histories from before it become stale.
export function keepSnapshot(state, snapshot) {
  const { id } = state.me;
  keeping = keeping.then(() => state.me?.id === id && putSnapshot(state, snapshot)).catch(reportError);
  return keeping;
}

function putSnapshot(state, snapshot) {
  const names = ['account', 'conversations', 'users', 'timelines'];
  return database.run(names, 'readwrite', async (tx) => {
    const account = tx.objectStore('account');
    const kept = await request(account.get('account'));
    const generation = (kept?.generation ?? 0) + 1;
    account.put({ ...kept, userId: state.me.id, me: state.me, cursor: snapshot.cursor, cursorAt: Date.now(), generation, blocks: [...state.blocks], ...totalsOf(state) }, 'account');
    tx.objectStore('conversations').clear();
    for (const { conversation, timeline } of snapshot.conversations) {
      keepConversation(tx.objectStore('conversations'), state, conversation.id);
      const fresh = withPage(fromCache({ conversationId: conversation.id, messages: [], segment: null }, true), timeline, { place: 'newest', headSeq: conversation.headSeq });
      putTimeline(tx.objectStore('timelines'), fresh, { generation, usedAt: Date.parse(conversation.updatedAt) });
    }
    for (const id of Object.keys(snapshot.users)) tx.objectStore('users').put({ id, ...state.users.get(id) });
    await evictTimelines(tx.objectStore('timelines'));
  });
}
