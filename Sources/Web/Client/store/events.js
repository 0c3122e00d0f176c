// What an event of the stream changes in the state. Pure but for the state that it is given: no clock but the one that it is
// handed, no requests. Events carry state, not differences, so that applying one twice changes nothing.

import { summaryOf, withoutContent } from './messages.js';
import { listed, mergeConversation, withNewest } from './conversations.js';
import { timelineAfter } from './timeline-events.js';

const ofMessages = new Set(['message.created', 'message.updated', 'message.deleted', 'reaction.updated']);

/// Applies one event. Returns what is still to be done: `{fetch: conversation id}` where a message came in a conversation
/// that is not held, `{recount: {conversationId, messageId}}` where only the server can count. `reset` is for who holds the cursor.
export function applyEvent(state, event, now) {
  const apply = handlers[event.event];
  if (!apply) return [];
  const followUps = [];
  const id = conversationIdOf(event);
  const before = state.conversations.get(id);
  apply(state, event.data, now, followUps);
  if (ofMessages.has(event.event) && !isHeld(state.timelines.get(id), event)) {
    state.unheldChanges.set(id, (state.unheldChanges.get(id) ?? 0) + 1);
  }
  if (state.timelines.has(id)) changeTimeline(state, id, event, before, followUps);
  return followUps;
}

// Whether a history has what an event changes, also once a page that is on its way has joined it. A stale one gives way to that.
function isHeld(timeline, { event, data }) {
  if (!timeline || timeline.isStale) return false;
  return event === 'message.created' || timeline.messages.has(data.message?.id ?? data.messageId);
}

/// The conversation that an event tells of.
export function conversationIdOf({ data }) {
  return data?.conversationId ?? data?.conversation?.id;
}

const handlers = {
  'message.created': messageCreated,
  'message.updated': messageChanged,
  'message.deleted': messageChanged,
  'reaction.updated': () => {},
  'receipt.updated': receiptUpdated,
  'conversation.created': conversationChanged,
  'conversation.updated': conversationChanged,
  'conversation.removed': conversationRemoved,
  'participant.added': (state, data) => participantChanged(state, data, true),
  'participant.updated': (state, data) => participantChanged(state, data, true),
  'participant.removed': (state, data) => participantChanged(state, data, false),
  'member.updated': (state, data) => change(state, data.conversationId, (held) => ({ ...held, me: data.me })),
  'user.updated': userUpdated,
  'unread.updated': unreadUpdated,
  'typing.updated': typingUpdated,
  'presence.updated': (state, data) => (state.presence = new Map(state.presence).set(data.userId, data.presence)),
  'block.updated': (state, data) => setBlocked(state, data.userId, Boolean(data.blockedAt)),
};

function changeTimeline(state, id, event, conversation, followUps) {
  const timeline = state.timelines.get(id);
  const onUncounted = (messageId) => followUps.push({ recount: { conversationId: id, messageId } });
  const changed = timelineAfter(timeline, event, { conversation, meId: state.me?.id, onUncounted });
  if (changed !== timeline) state.timelines.set(id, changed);
}

function change(state, id, alter) {
  const held = state.conversations.get(id);
  if (!held) return;
  const changed = alter(held);
  if (changed === held) return;
  state.conversations.set(id, changed);
  if (listed(held) !== listed(changed)) state.order = null;
}

function messageCreated(state, { conversationId, message, sender }, now, followUps) {
  if (sender) learn(state, message.senderId, sender);
  endTyping(state, conversationId, message.senderId);
  const held = state.conversations.get(conversationId);
  if (!held || held.isFormer) {
    followUps.push({ fetch: conversationId });
    return;
  }
  if (message.seq != null) change(state, conversationId, (conversation) => withNewest(conversation, message));
}

function messageChanged(state, { conversationId, message }) {
  change(state, conversationId, (held) =>
    held.lastMessage?.id === message.id ? { ...held, lastMessage: summaryOf(message) } : held);
}

// What the person's other devices have read, this one has, too.
function receiptUpdated(state, { conversationId, receipts }) {
  const mine = receipts.find((receipt) => receipt.userId === state.me?.id);
  if (!mine) return;
  change(state, conversationId, (held) => {
    const readSeq = Math.max(held.me.readSeq, mine.readSeq);
    const deliveredSeq = Math.max(held.me.deliveredSeq, mine.deliveredSeq, readSeq);
    return { ...held, me: { ...held.me, readSeq, deliveredSeq, markedUnread: readSeq > held.me.readSeq ? false : held.me.markedUnread } };
  });
}

function conversationChanged(state, data) {
  const incoming = data.conversation;
  const held = state.conversations.get(incoming.id);
  const merged = mergeConversation(held, incoming);
  if (held === merged) return;
  for (const participant of incoming.participants ?? []) learn(state, participant.userId, participant);
  state.conversations.set(incoming.id, merged);
  state.order = null;
}

function conversationRemoved(state, { conversationId, revision }) {
  change(state, conversationId, (held) => (revision >= held.revision ? { ...held, isFormer: true, revision, unreadCount: 0, mentionCount: 0 } : held));
}

function participantChanged(state, { conversationId, participant }, isMember) {
  learn(state, participant.userId, participant);
  change(state, conversationId, (held) => {
    const known = held.participants?.find((one) => one.userId === participant.userId);
    if (known && known.revision > participant.revision) return held;
    const count = held.participantCount + (isMember ? (known || !held.participants ? 0 : 1) : (known || !held.participants ? -1 : 0));
    if (!held.participants) return { ...held, participantCount: Math.max(count, 0) };
    const others = held.participants.filter((one) => one.userId !== participant.userId);
    const participants = isMember ? [...others, participant].sort(byJoining) : others;
    return { ...held, participants, participantIds: participants.map((one) => one.userId), participantCount: participants.length };
  });
}

function byJoining(one, other) {
  return one.joinedAt < other.joinedAt ? -1 : one.joinedAt > other.joinedAt ? 1 : one.userId < other.userId ? -1 : 1;
}

function userUpdated(state, data) {
  const { user } = data;
  learn(state, user.id, user);
  if (user.id === state.me?.id) state.me = { ...state.me, displayName: user.displayName, photoURL: user.photoURL };
  if (!user.erased) return;
  for (const [id, timeline] of state.timelines) {
    const changed = timelineAfter(timeline, { event: 'user.updated', data });
    if (changed !== timeline) state.timelines.set(id, changed);
  }
  for (const [id, held] of state.conversations) {
    if (held.lastMessage?.senderId === user.id) state.conversations.set(id, { ...held, lastMessage: withoutContent(held.lastMessage) });
  }
}

/// Keeps a person's name and photo.
export function learn(state, id, { displayName, photoURL, erased }) {
  const held = state.users.get(id);
  if (held && held.displayName === displayName && held.photoURL === photoURL && held.erased === erased) return;
  state.users.set(id, { displayName, photoURL, ...(erased ? { erased } : {}) });
  state.usersRevision += 1;
}

function unreadUpdated(state, { conversationId, unreadCount, mentionCount, firstUnreadSeq, totalUnread, totalUnreadUnmuted, totalMentions }) {
  Object.assign(state, { totalUnread, totalUnreadUnmuted, totalMentions });
  change(state, conversationId, (held) => ({ ...held, unreadCount, mentionCount, firstUnreadSeq }));
}

function typingUpdated(state, { conversationId, userId, typing, expiresInMs }, now) {
  endTyping(state, conversationId, userId);
  if (!typing) return;
  const others = state.typing.get(conversationId) ?? [];
  state.typing.set(conversationId, [...others, { userId, until: now + Math.min(expiresInMs, 10_000) }]);
}

function endTyping(state, conversationId, userId) {
  const typing = state.typing.get(conversationId);
  if (typing?.some((one) => one.userId === userId)) state.typing.set(conversationId, typing.filter((one) => one.userId !== userId));
}

/// Ends what nobody has said again in time.
export function endTypingBefore(state, now) {
  for (const [id, typing] of state.typing) {
    const still = typing.filter((one) => one.until > now);
    if (still.length === typing.length) continue;
    if (still.length === 0) state.typing.delete(id);
    else state.typing.set(id, still);
  }
}

/// The set is made anew, so that whoever watches it sees the change.
export function setBlocked(state, userId, isBlocked) {
  const blocks = new Set(state.blocks);
  if (isBlocked) blocks.add(userId);
  else blocks.delete(userId);
  state.blocks = blocks;
}
