// Two versions of one message. Pure.

const ranks = { sent: 0, delivered: 1, read: 2 };

/// What is known of a message from both: the content of the higher revision; of receipts the most, which only ever grow.
export function mergeMessage(held, incoming) {
  if (!held) return incoming;
  const newer = incoming.revision >= held.revision ? incoming : held;
  const merged = { ...newer };
  if (held.afterSeq != null) merged.afterSeq = held.afterSeq;
  return mergeReceipts(merged, held, incoming);
}

function mergeReceipts(merged, one, other) {
  if (one.status == null || other.status == null) {
    const known = one.status != null ? one : other;
    if (known.status == null) return merged;
    return Object.assign(merged, pick(known));
  }
  merged.recipientCount = Math.min(one.recipientCount, other.recipientCount);
  merged.deliveredTo = { ...one.deliveredTo, ...other.deliveredTo };
  merged.readBy = { ...one.readBy, ...other.readBy };
  merged.deliveredCount = Math.max(one.deliveredCount, other.deliveredCount);
  merged.readCount = Math.max(one.readCount, other.readCount);
  merged.status = ranks[one.status] >= ranks[other.status] ? one.status : other.status;
  return merged;
}

function pick({ status, recipientCount, deliveredCount, readCount, deliveredTo, readBy }) {
  return { status, recipientCount, deliveredCount, readCount, deliveredTo, readBy };
}

/// An own message after a receipt of one recipient. Where there are too many recipients to be named, only counts are known:
/// `null` says that they have to be asked for.
export function withReceipt(message, { userId, deliveredSeq, readSeq, at }) {
  if (message.status == null || message.seq == null || message.status === 'read') return message;
  const isDelivered = message.seq <= Math.max(deliveredSeq, readSeq) && !message.deliveredTo?.[userId];
  const isRead = message.seq <= readSeq && !message.readBy?.[userId];
  if (!isDelivered && !isRead) return message;
  if (message.recipientCount > 50) return null;
  const changed = { ...message };
  if (isDelivered) {
    changed.deliveredTo = { ...message.deliveredTo, [userId]: at };
    changed.deliveredCount = Math.min(message.deliveredCount + 1, message.recipientCount);
  }
  if (isRead) {
    changed.readBy = { ...message.readBy, [userId]: at };
    changed.readCount = Math.min(message.readCount + 1, message.recipientCount);
  }
  return withStatus(changed);
}

/// An own message after a recipient has left whom it had not reached. `others` are who is left.
export function withoutRecipient(message, userId, others) {
  if (message.status == null || message.deliveredTo?.[userId] || message.recipientCount === 0 || message.recipientCount > 50) return message;
  const left = others.filter(({ joinedAt }) => joinedAt <= message.timestamp).map((one) => one.userId);
  if (new Set([...left, ...Object.keys(message.deliveredTo ?? {})]).size >= message.recipientCount) return message;
  return withStatus({ ...message, recipientCount: message.recipientCount - 1 });
}

function withStatus(message) {
  const { recipientCount, deliveredCount, readCount } = message;
  const reached = recipientCount === 0 ? 'sent' : readCount >= recipientCount ? 'read' : deliveredCount >= recipientCount ? 'delivered' : 'sent';
  return ranks[reached] > ranks[message.status] ? { ...message, status: reached } : message;
}

/// What lists and quotes show of a message.
export function summaryOf(message) {
  return {
    id: message.id, seq: message.seq, senderId: message.senderId, text: message.text, kind: message.kind, timestamp: message.timestamp,
    ...(message.attachments?.length > 0 ? { attachments: message.attachments.map((file) => file.kind) } : {}),
    ...(message.deletedAt ? { deletedAt: message.deletedAt } : {}),
  };
}

/// A message, or what lists and quotes show of one, of which nothing is left to read or to see.
export function withoutContent(message) {
  return { ...message, text: null, attachments: [] };
}

/// A message without what somebody who is erased has said in it, also where it is quoted.
export function withoutContentOf(userId, message) {
  const isTheirs = message.senderId === userId && hasContent(message);
  const quotesThem = message.replyTo?.senderId === userId && hasContent(message.replyTo);
  if (!isTheirs && !quotesThem) return message;
  const changed = isTheirs ? withoutContent(message) : message;
  return quotesThem ? { ...changed, replyTo: withoutContent(message.replyTo) } : changed;
}

function hasContent({ text, attachments }) {
  return text != null || attachments?.length > 0;
}
