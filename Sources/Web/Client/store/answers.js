// What the answer to a send changes: the message takes the place of its row, as soon as nothing can be missing before it.

import { newest, withMessage, withNewMessage } from './timeline.js';
import { mergeMessage } from './messages.js';
import { store } from './store.js';

/// Takes the answer to a row. Where the stream has not told yet what came before the message, the row stays, as accepted.
export function takeAnswer(row, message) {
  store.commit((state) => {
    const timeline = state.timelines.get(row.conversationId);
    const isKnown = timeline?.messages.has(row.messageId);
    const end = timeline && !timeline.isStale ? newest(timeline.segments)?.to : undefined;
    const follows = message?.seq != null && end === message.seq - 1;
    if (message && isKnown) state.timelines.set(row.conversationId, withMessage(timeline, message.id, (held) => mergeMessage(held, message)));
    else if (follows) state.timelines.set(row.conversationId, withNewMessage(timeline, message));
    // What stands further up than all that is known at the end comes with a page.
    const isAhead = !(end >= message?.seq);
    const keeps = row.kind === 'send' && message && timeline && !isKnown && !follows && isAhead;
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
    forget(state, data.conversationId, (row) => row.messageId === data.message.id);
  }
}

/// A page has told what the stream may never tell, as after a snapshot.
export function forgetCovered(state, conversationId) {
  const end = newest(state.timelines.get(conversationId).segments)?.to;
  forget(state, conversationId, ({ message }) => message.seq <= end);
}

function forget(state, conversationId, isOver) {
  const rows = state.outbox.get(conversationId);
  const kept = rows?.filter((row) => row.kind !== 'send' || row.state !== 'accepted' || !isOver(row));
  if (!kept || kept.length === rows.length) return;
  if (kept.length > 0) state.outbox.set(conversationId, kept);
  else state.outbox.delete(conversationId);
}
