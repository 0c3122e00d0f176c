// The list of conversations: merging what comes of one, and the order in which the list shows them. Pure.

import { summaryOf } from './messages.js';

/// What is known of a conversation from both. Its own fields come from the higher revision; the newest message and the
/// number of the last one have an order of their own. Counts and the own view follow the stream: an answer may have been read
/// before what that has told since, unless it has a message that the stream has not told yet. What somebody has left is held as
/// the server shows it to them: as it was.
export function mergeConversation(held, incoming) {
  const { users, warnings, ...conversation } = incoming;
  if (incoming.me.leftAt) conversation.isFormer = true;
  if (!held) return conversation;
  if (incoming.revision < held.revision) return held;
  if (held.isFormer) return incoming.revision === held.revision ? held : conversation;
  if (conversation.isFormer || incoming.headSeq > held.headSeq) return conversation;
  const { headSeq, unreadCount, mentionCount, firstUnreadSeq } = held;
  const isAhead = held.headSeq > incoming.headSeq;
  // Of the same message the words may have changed meanwhile, which is no change of the conversation, or it was deleted.
  const isGone = held.lastMessage?.deletedAt && held.lastMessage.id === incoming.lastMessage?.id;
  const { lastMessage } = isAhead || isGone || incoming.revision === held.revision ? held : conversation;
  const { updatedAt } = isAhead ? held : conversation;
  return { ...conversation, headSeq, lastMessage, updatedAt, unreadCount, mentionCount, firstUnreadSeq, me: mergeView(held.me, incoming.me) };
}

// The role has the conversation's revision, and a draft, or its end, a time of its own. Nobody tells a device of either that was
// away.
function mergeView(held, incoming) {
  const isOlder = incoming.draftUpdatedAt !== null && held.draftUpdatedAt !== null && incoming.draftUpdatedAt < held.draftUpdatedAt;
  const { draft, draftUpdatedAt } = isOlder ? held : incoming;
  return { ...held, role: incoming.role, draft, draftUpdatedAt };
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
