// What the answer to a send changes: the message takes the place of its row, as soon as nothing can be missing before it.

import { newest, withMessage, withNewMessage } from './timeline.js';
import { mergeMessage } from './messages.js';
import { store } from './store.js';

/// Takes the answer to a row. Where the stream has not told yet what came before the message, the row stays, as accepted.
export function takeAnswer(row, message) {
  store.commit((state) => {
    const timeline = state.timelines.get(row.conversationId);
    const isKnown = timeline?.messages.has(row.messageId);
    const follows = message?.seq != null && timeline && !timeline.isStale && newest(timeline.segments)?.to === message.seq - 1;
    if (message && isKnown) state.timelines.set(row.conversationId, withMessage(timeline, message.id, (held) => mergeMessage(held, message)));
    else if (follows) state.timelines.set(row.conversationId, withNewMessage(timeline, message));
    const keeps = row.kind === 'send' && message && timeline && !isKnown && !follows;
    settle(state, row, keeps ? { ...row, state: 'accepted', message } : null);
  });
}

function settle(state, row, replacement) {
  const rows = (state.outbox.get(row.conversationId) ?? []).filter((one) => one.number !== row.number);
  if (replacement) rows.push(replacement);
  rows.sort((one, other) => one.number - other.number);
  if (rows.length > 0) state.outbox.set(row.conversationId, rows);
  else state.outbox.delete(row.conversationId);
}

/// The stream has told messages: their rows are no longer needed.
export function forgetAccepted(state, events) {
  for (const { event, data } of events) {
    if (event !== 'message.created' || data.message.senderId !== state.me?.id) continue;
    const rows = state.outbox.get(data.conversationId);
    const kept = rows?.filter((row) => row.messageId !== data.message.id || row.kind !== 'send' || row.state !== 'accepted');
    if (!kept || kept.length === rows.length) continue;
    if (kept.length > 0) state.outbox.set(data.conversationId, kept);
    else state.outbox.delete(data.conversationId);
  }
}
