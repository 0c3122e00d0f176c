// The rules of what is unsent. Pure.
//
// A row is {number, conversationId, kind: 'send' | 'edit' | 'delete', messageId, payload, files, state, isFrozen, problem,
// createdAt, userId, isChanged}. Its state is 'queued', 'sending', 'accepted' (the server has it, the stream has not told it
// yet) or 'failed' (the server refused it). Rows of one conversation go out one after the other, by their numbers, never by a clock.

/// The row to send next, or null. A text that was refused holds up what was written after it, until it is sent again or
/// removed; a refused file does not. Changes of other messages go by.
export function nextRow(rows) {
  const refused = new Set();
  for (const row of rows) {
    if (row.state === 'accepted') continue;
    if (row.state !== 'failed') {
      if (refused.size === 0 || (row.kind !== 'send' && !refused.has(row.messageId))) return row;
    } else if (row.kind === 'send' && row.files.length === 0) {
      refused.add(row.messageId);
    }
  }
  return null;
}

/// What a problem means for a row: 'retry' later, 'ended' (wait for the person to sign in), 'done' (nothing is left to do), or
/// 'failed'.
export function verdict(row, problem) {
  if (problem.isSessionOver) return 'ended';
  if (problem.isRetryable) return 'retry';
  if (row.kind === 'delete' && problem.status === 404) return 'done';
  return 'failed';
}

/// Rows after the text of an unsent message was changed. What was tried once is frozen: the server may have it, and would
/// refuse another content under the same id. The change then goes out behind it.
export function withEdit(rows, messageId, text, number) {
  const row = rows.find((one) => one.messageId === messageId && one.kind === 'send');
  if (!row) return null;
  // What the server has refused it does not have.
  if (!row.isFrozen || row.state === 'failed') {
    const changed = { ...row, payload: { ...row.payload, text }, isFrozen: false, isChanged: true, ...fresh };
    return rows.map((one) => (one === row ? changed : one));
  }
  return withChange(rows, { number, conversationId: row.conversationId, messageId, text, createdAt: row.createdAt, userId: row.userId });
}

/// Rows with a change of a message. Of one that was not tried yet nothing stays.
export function withChange(rows, { text, ...change }) {
  const others = rows.filter((one) => !(one.kind === 'edit' && one.messageId === change.messageId && !one.isFrozen));
  return [...others, { ...change, kind: 'edit', payload: { text }, files: [], isFrozen: false, ...fresh }];
}

const fresh = { state: 'queued', problem: null };

/// Rows after an unsent message was withdrawn: it just goes, unless the server may have it.
export function withRemoval(rows, messageId, number) {
  const row = rows.find((one) => one.messageId === messageId && one.kind === 'send');
  if (!row) return null;
  if (!row.isFrozen || row.state === 'failed') return rows.filter((one) => one.messageId !== messageId);
  return [...rows, withdrawalOf(row, number)];
}

/// What takes back a message that the server may have.
export function withdrawalOf({ conversationId, messageId, createdAt, userId }, number) {
  const content = { payload: {}, files: [], isFrozen: false };
  return { number, conversationId, kind: 'delete', messageId, createdAt, userId, ...content, ...fresh };
}

/// Rows with one put in its place.
export function withRow(rows, row) {
  return [...rows.filter((one) => one.number !== row.number), row].sort((one, other) => one.number - other.number);
}
