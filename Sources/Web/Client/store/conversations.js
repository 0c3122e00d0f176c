// The list of conversations: merging what comes of one, and the order in which the list shows them. Pure.

import { summaryOf } from './messages.js';

/// What is known of a conversation from both. Its own fields come from the higher revision; the newest message and the
/// number of the last one have an order of their own. What somebody has left is held as the server shows it to them: as it was.
export function mergeConversation(held, incoming) {
  const { users, warnings, ...conversation } = incoming;
  if (incoming.me.leftAt) conversation.isFormer = true;
  if (!held) return conversation;
  if (incoming.revision < held.revision) return held;
  if (held.isFormer) return incoming.revision === held.revision ? held : conversation;
  return withLater(conversation, held);
}

// What has come, and was read, since an answer that was on its way. Where something is unread again, an event tells it.
function withLater(conversation, held) {
  const isAhead = held.headSeq > conversation.headSeq;
  const hasRead = held.headSeq === conversation.headSeq && held.me.readSeq > conversation.me.readSeq;
  const isDeleted = held.lastMessage?.deletedAt && held.lastMessage.id === conversation.lastMessage?.id;
  return {
    ...conversation,
    ...(isAhead ? { headSeq: held.headSeq, updatedAt: held.updatedAt } : {}),
    ...(isAhead || isDeleted ? { lastMessage: held.lastMessage } : {}),
    ...(isAhead || hasRead ? countsOf(held) : {}),
    me: {
      ...conversation.me,
      deliveredSeq: Math.max(held.me.deliveredSeq, conversation.me.deliveredSeq),
      readSeq: Math.max(held.me.readSeq, conversation.me.readSeq),
    },
  };
}

function countsOf({ unreadCount, mentionCount, firstUnreadSeq }) {
  return { unreadCount, mentionCount, firstUnreadSeq };
}

/// A conversation after a new message: also back from the archive, unless that is muted, and in the list again.
export function withNewest(conversation, message) {
  if (message.seq <= conversation.headSeq && conversation.lastMessage) return conversation;
  const isMuted = conversation.me.mutedUntil != null && message.timestamp < conversation.me.mutedUntil;
  const archived = conversation.me.archived && isMuted;
  const isSame = archived === conversation.me.archived && !conversation.me.cleared;
  return {
    ...conversation,
    headSeq: message.seq,
    lastMessage: summaryOf(message),
    updatedAt: message.timestamp > conversation.updatedAt ? message.timestamp : conversation.updatedAt,
    me: isSame ? conversation.me : { ...conversation.me, archived, cleared: false },
  };
}

/// What decides a conversation's place in the list, as one text: equal means that the order has not changed.
export function listed({ isFormer, updatedAt, me }) {
  return `${isFormer || me.cleared ? 0 : 1} ${me.pinnedAt ?? ''} ${updatedAt}`;
}

/// The ids in the list's order: what is pinned, the latest pin first, then by the newest activity.
export function orderOf(conversations) {
  return [...conversations.values()].filter((one) => !one.isFormer && !one.me.cleared).sort(compare).map((one) => one.id);
}

function compare(one, other) {
  const pinned = Number(other.me.pinned) - Number(one.me.pinned);
  if (pinned !== 0) return pinned;
  if (one.me.pinned && one.me.pinnedAt !== other.me.pinnedAt) return one.me.pinnedAt > other.me.pinnedAt ? -1 : 1;
  if (one.updatedAt !== other.updatedAt) return one.updatedAt > other.updatedAt ? -1 : 1;
  return one.id < other.id ? 1 : -1;
}

/// The other person of a direct conversation.
export function partnerOf(conversation, meId) {
  if (conversation.type !== 'direct') return null;
  return conversation.participantIds?.find((id) => id !== meId) ?? conversation.participants?.find((one) => one.userId !== meId)?.userId ?? null;
}

/// Whether there is a list, as the server told it at some time.
export function isListKnown({ session, cursor }) {
  return session === 'open' && cursor !== null;
}

/// Whether a conversation makes no sound at a time, in ms.
export function isMuted(conversation, now) {
  return conversation.me.mutedUntil != null && Date.parse(conversation.me.mutedUntil) > now;
}
