// Whether what this browser has kept is such as this page keeps: one of another version, or a damaged disk, may have left
// something else. Pure.

const checks = {
  account: ({ userId, me, blocks = [] }) => isObject(me) && me.id === userId && Array.isArray(blocks),
  conversations: ({ me, updatedAt, revision }) => isObject(me) && isText(updatedAt) && Number.isFinite(revision),
  users: () => true,
  timelines: ({ messages, segment }) => Array.isArray(messages) && messages.every(isMessage) && isSegment(segment),
  outbox: ({ conversationId, messageId, payload, files, createdAt }) =>
    [conversationId, messageId, createdAt].every(isText) && isObject(payload) && Array.isArray(files),
  drafts: ({ text, updatedAt }) => isText(text) && Number.isFinite(updatedAt),
  receipts: ({ readSeq }) => Number.isFinite(readSeq),
};

/// Of a record of one of the database's stores.
export function isSound(storeName, record) {
  return isObject(record) && checks[storeName](record);
}

export function isMessage(message) {
  return isObject(message) && isText(message.id) && isText(message.timestamp) && Number.isFinite(message.revision);
}

function isSegment(segment) {
  return isObject(segment) && Number.isFinite(segment.from) && Number.isFinite(segment.to);
}

export function isObject(value) {
  return typeof value === 'object' && value !== null;
}

export function isText(value) {
  return typeof value === 'string';
}
