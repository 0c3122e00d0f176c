// What is unsent, messages and changes of messages: kept before it is tried, sent by the leading tab in the order in which it was
// written, tried again for as long as the server does not refuse it. The ids are this client's, so that nothing is sent twice.

import { now } from '../transport/clock.js';
import { newId } from '../transport/ids.js';
import { tabs } from '../transport/leader.js';
import { takeAnswer } from './answers.js';
import { forgetRow, keepRow } from './cache.js';
import { drawn } from './drawn.js';
import { drop, hide, nextNumber, own, presentRow, rowsOf, settled, show } from './outbox-rows.js';
import { withChange, withdrawalOf, withEdit, withRemoval } from './outbox-rules.js';
import { kick, refused } from './outbox-sending.js';
import { store } from './store.js';

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
