// What is unsent, messages and changes of messages: kept before it is tried, sent by the leading tab in the order in which it was
// written, tried again for as long as the server does not refuse it. The ids are this client's, so that nothing is sent twice.

import { api } from '../transport/api.js';
import { Backoff } from '../transport/backoff.js';
import { now } from '../transport/clock.js';
import { newId } from '../transport/ids.js';
import { tabs } from '../transport/leader.js';
import { forgetRow, keepAnswer, keepJournal, keepRow, keptRows } from './cache.js';
import { database } from './database.js';
import { keepRefusedEdit } from './drafts.js';
import { drawn } from './drawn.js';
import { observe as observeJournal } from './journal.js';
import { takeAnswer } from './answers.js';
import { nextRow, verdict, withChange, withdrawalOf, withEdit, withRemoval, withRow } from './outbox-rules.js';
import { endUpload, uploadFiles } from './outbox-uploads.js';
import { store } from './store.js';

const running = new Map(); // conversation id → back-off of its loop
const refusals = new Set();
const own = new Set(); // numbers of the rows that this tab has made, or found without another tab's telling: it says what is refused
const settled = new Set(); // numbers of rows that are over: what was read from the database before that is old
let lastNumber = 0;
const keepAfter = 1_000;
let keeping = null;
let starting = null;

/// Sends a message: it is shown at once, and goes out when it can. Returns its id.
export function send(conversationId, { text = '', files = [], replyTo = null, mentions = [] }) {
  const messageId = newId();
  const payload = {
    ...(text === '' ? {} : { text }), clientTimestamp: new Date(now()).toISOString(),
    ...(replyTo ? { replyToId: replyTo.id } : {}), ...(mentions.length > 0 ? { mentions } : {}),
    ...(files.length > 0 ? { attachmentIds: files.map((file) => file.id) } : {}),
  };
  put({
    number: nextNumber(), conversationId, kind: 'send', messageId, payload, files, replyTo, createdAt: payload.clientTimestamp,
    state: 'queued', isFrozen: false, problem: null, userId: store.state.me.id,
  });
  return messageId;
}

/// Changes the text of a message, unsent or sent: it shows at once, and goes out when it can.
export function edit({ id: messageId, conversationId }, text) {
  const rows = rowsOf(conversationId);
  const number = nextNumber();
  const change = { number, conversationId, messageId, text, createdAt: new Date(now()).toISOString(), userId: store.state.me.id };
  replaceRows(conversationId, withEdit(rows, messageId, text, number) ?? withChange(rows, change));
}

/// Withdraws an unsent message.
export function removeUnsent(conversationId, messageId) {
  return replaceRows(conversationId, withRemoval(rowsOf(conversationId), messageId, nextNumber()));
}

/// Tries a refused message again.
export function retry(conversationId, messageId) {
  const row = rowsOf(conversationId).find((one) => one.messageId === messageId && one.state === 'failed');
  if (row) put({ ...row, state: 'queued', problem: null });
}

/// Calls back with changes and deletions that were refused: they have no bubble to say so.
export function onRefusal(callback) {
  refusals.add(callback);
  return () => refusals.delete(callback);
}

export function rowsOf(conversationId) {
  return store.state.outbox.get(conversationId) ?? [];
}

// Numbers grow even where the clock is set back.
function nextNumber() {
  const used = Math.max(lastNumber, ...[...store.state.outbox.values()].flat().map((row) => row.number));
  lastNumber = Math.max(used + 1, Date.now() * 1000);
  return lastNumber;
}

function replaceRows(conversationId, rows) {
  if (!rows) return false;
  const before = rowsOf(conversationId);
  for (const row of before) if (!rows.some((one) => one.number === row.number)) drop(row);
  for (const row of rows) if (!before.includes(row)) put(row);
  // What it held up may go now.
  kick(conversationId);
  return true;
}

// Shown and kept, then sent: what is sent is always kept. The frame that shows it comes before all that sending takes.
async function put(row) {
  own.add(row.number);
  show(row);
  await keepRow(row);
  await drawn();
  // The leading tab may have been done with it before it was kept.
  if (settled.has(row.number)) return void (forgetRow(row.number), changeSent(row));
  tabs.tell({ type: 'row', user: row.userId, row });
  kick(row.conversationId);
}

/// Of what was kept, by conversations, what is a person's and not over.
export function openRows(outbox, userId) {
  const open = [...outbox].map(([id, rows]) => [id, rows.filter((row) => isBy(row, userId) && !settled.has(row.number))]);
  return new Map(open.filter(([, rows]) => rows.length > 0));
}

// Changes that were kept by a page of before do not say whose they are.
function isBy(row, userId) {
  return (row.userId ?? userId) === userId;
}

// What a person who has signed out had on its way is none of the next one's.
function show(row) {
  if (!isBy(row, store.state.me?.id) || settled.has(row.number)) return;
  store.commit((state) => state.outbox.set(row.conversationId, withRow(state.outbox.get(row.conversationId) ?? [], row)));
}

function drop(row) {
  settled.add(row.number);
  hide(row);
  tabs.tell({ type: 'rowGone', user: row.userId, row: { ...row, payload: {}, files: [] } });
  return forgetRow(row.number);
}

function hide({ conversationId, number }) {
  endUpload(number);
  store.commit((state) => {
    const rows = (state.outbox.get(conversationId) ?? []).filter((one) => one.number !== number);
    if (rows.length > 0) state.outbox.set(conversationId, rows);
    else state.outbox.delete(conversationId);
  });
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

function kick(conversationId) {
  if (!tabs.isLeader) return;
  keepSoon();
  if (running.has(conversationId) || !nextRow(rowsOf(conversationId))) return;
  const backoff = new Backoff();
  running.set(conversationId, backoff);
  loop(conversationId, backoff).catch(reportError).finally(() => running.delete(conversationId));
}

// What is not over within a moment is brought to the database, by the tab that knows what is over.
function keepSoon() {
  keeping ??= setTimeout(() => {
    keeping = null;
    keepJournal((row) => settled.has(row.number)).catch(reportError);
  }, keepAfter);
}

// Another tab has written something, and may be gone before it says so.
observeJournal(() => {
  if (tabs.isLeader) starting ??= setTimeout(() => startOutbox(), keepAfter);
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

function presentRow({ conversationId, number }) {
  return rowsOf(conversationId).find((one) => one.number === number);
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
  if (isWithdrawn) return removeUnsent(row.conversationId, row.messageId);
  await keepRow(failed);
  keepSoon();
  tabs.tell({ type: 'row', user: row.userId, row: failed });
  return true;
}

// It is said in the tab in which it was done.
function refused(row, problem) {
  if (!own.delete(row.number)) return;
  if (row.kind === 'edit') keepRefusedEdit(row);
  for (const callback of refusals) callback(row, problem);
}

// Whether the server has a message, or may have it. What one tab changes or withdraws at the moment in which another one begins
// to send it goes out behind it.
function isOut(row) {
  const present = presentRow(row);
  return row.kind === 'send' && (settled.has(row.number) || (present?.isFrozen === true && present.state !== 'failed'));
}

function changeSent(row) {
  const { conversationId, messageId, payload, isFrozen, isChanged } = row;
  const sent = presentRow(row)?.payload ?? store.state.timelines.get(conversationId)?.messages.get(messageId);
  if (!isChanged || isFrozen || !isOut(row) || sent?.text === payload.text) return false;
  edit({ id: messageId, conversationId }, payload.text);
  return true;
}

tabs.listen((message) => {
  if (message.user !== store.state.me?.id) return;
  if (message.type === 'row') {
    if (!tabs.isLeader || !changeSent(message.row)) show(message.row);
    kick(message.row.conversationId);
  } else if (message.type === 'refused') {
    refused(message.row, message.problem);
  } else if (message.type === 'rowGone') {
    if (tabs.isLeader && isOut(message.row)) put(withdrawalOf(message.row, nextNumber()));
    else settled.add(message.row.number) && hide(message.row);
    kick(message.row.conversationId);
  } else if (message.type === 'accepted') {
    settled.add(message.row.number);
    own.delete(message.row.number);
    takeAnswer(message.row, message.message);
  }
});

addEventListener('online', () => startOutbox());
