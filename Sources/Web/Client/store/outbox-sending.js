// Sending, by the leading tab: the rows of a conversation one after the other, each until the server has taken or refused it.

import { api } from '../transport/api.js';
import { Backoff } from '../transport/backoff.js';
import { tabs } from '../transport/leader.js';
import { takeAnswer } from './answers.js';
import { forgetRow, keepAnswer, keepJournal, keepRow, keptRows } from './cache.js';
import { keepRefusedEdit } from './drafts.js';
import { observe as observeJournal } from './journal.js';
import { drop, isBy, own, presentRow, rowsOf, settled, show } from './outbox-rows.js';
import { nextRow, verdict } from './outbox-rules.js';
import { uploadFiles } from './outbox-uploads.js';
import { store } from './store.js';

const running = new Map(); // conversation id → back-off of its loop
const refusals = new Set();
const keepAfter = 250;
const startAfter = 1_000;
let keeping = null;
let starting = null;

/// Calls back with changes and deletions that were refused: they have no bubble to say so.
export function onRefusal(callback) {
  refusals.add(callback);
  return () => refusals.delete(callback);
}

/// Sends what is there, if this tab is the one that sends. Called whenever it may have become possible.
export async function startOutbox() {
  clearTimeout(starting);
  starting = null;
  if (!tabs.isLeader) return;
  keepSoon();
  for (const row of await keptRows()) {
    if (rowsOf(row.conversationId).some((one) => one.number === row.number)) continue;
    own.add(row.number);
    show(row);
  }
  for (const backoff of running.values()) backoff.wake();
  for (const id of store.state.outbox.keys()) kick(id);
}

export function kick(conversationId) {
  if (!tabs.isLeader) return;
  keepSoon();
  if (running.has(conversationId) || !nextRow(rowsOf(conversationId))) return;
  const backoff = new Backoff();
  running.set(conversationId, backoff);
  loop(conversationId, backoff).catch(reportError).finally(() => running.delete(conversationId));
}

// What is not over within a moment is brought to the database, by the tab that knows what is over; what cannot go out now, at once:
// a browser that is killed as a whole loses what it has noted in local storage within the last seconds.
function keepSoon() {
  if (store.state.connection === 'online') keeping ??= setTimeout(keepNow, keepAfter);
  else keepNow();
}

function keepNow() {
  clearTimeout(keeping);
  keeping = null;
  keepJournal((row) => settled.has(row.number)).catch(reportError);
}

// Another tab has written something, and may be gone before it says so.
observeJournal(() => {
  if (tabs.isLeader) starting ??= setTimeout(() => startOutbox(), startAfter);
});

async function loop(conversationId, backoff) {
  for (let row = nextRow(rowsOf(conversationId)); row && tabs.isLeader && store.state.session === 'open'; row = nextRow(rowsOf(conversationId))) {
    try {
      await attempt(row);
      backoff.reset();
    } catch (problem) {
      if (!(await survive(row, problem, backoff))) return;
    }
  }
}

async function attempt(row) {
  await uploadFiles(row, { present: () => presentRow(row), isOver: () => settled.has(row.number) });
  // It may have been changed while its files went up, or withdrawn.
  const present = presentRow(row);
  if (!present) return;
  const frozen = { ...present, files: row.files, isFrozen: true, state: 'sending' };
  show(frozen);
  // The other tabs change and withdraw it by what the server may have.
  if (!present.isFrozen) tabs.tell({ type: 'row', user: row.userId, row: frozen });
  if (!present.isFrozen) await keepRow(frozen);
  keepSoon();
  const answer = await request(frozen);
  settled.add(frozen.number);
  own.delete(frozen.number);
  if (!isBy(frozen, store.state.me?.id)) return void forgetRow(frozen.number);
  for (const file of row.files) store.commit((state) => state.uploads.delete(file.id));
  if (answer.body) await keepAnswer(store.state, frozen, answer.body);
  else await forgetRow(frozen.number);
  takeAnswer(frozen, answer.body);
  tabs.tell({ type: 'accepted', user: row.userId, row: { ...frozen, files: [] }, message: answer.body });
}

function request({ kind, conversationId, messageId, payload }) {
  const path = `/v1/conversations/${conversationId}/messages/${messageId}`;
  if (kind === 'edit') return api.patch(path, payload);
  if (kind === 'delete') return api.delete(path);
  return api.put(path, payload);
}

// Whether to go on with this conversation.
async function survive(row, problem, backoff) {
  if (!('isRetryable' in problem)) throw problem;
  const present = presentRow(row);
  // It was withdrawn, or whoever wrote it has signed out: the next one of who is here now.
  if (!present) return true;
  switch (verdict(row, problem)) {
    case 'ended':
      return false;
    case 'retry':
      show({ ...present, state: 'queued' });
      await backoff.wait(problem);
      return true;
    case 'done':
      await drop(row);
      return true;
    default:
      return fail(present, problem);
  }
}

async function fail(row, problem) {
  if (row.kind !== 'send') {
    const { code, title, detail, status } = problem;
    tabs.tell({ type: 'refused', user: row.userId, row, problem: { code, title, detail, status } });
    await drop(row);
    refused(row, problem);
    return true;
  }
  const { code, title, detail, status } = problem;
  const failed = { ...row, state: 'failed', problem: { code, title, detail, status } };
  show(failed);
  // It was withdrawn meanwhile: the server does not have it, so that nothing is left to do.
  const isWithdrawn = rowsOf(row.conversationId).some((one) => one.kind === 'delete' && one.messageId === row.messageId);
  if (isWithdrawn) return dropAll(row);
  await keepRow(failed);
  keepSoon();
  tabs.tell({ type: 'row', user: row.userId, row: failed });
  return true;
}

function dropAll({ conversationId, messageId }) {
  for (const row of rowsOf(conversationId)) if (row.messageId === messageId) drop(row);
  return true;
}

/// It is said in the tab in which it was done.
export function refused(row, problem) {
  if (!own.delete(row.number)) return;
  if (row.kind === 'edit') keepRefusedEdit(row);
  for (const callback of refusals) callback(row, problem);
}

addEventListener('online', () => startOutbox());
