// Which events this page understands. Of others, as a newer server may send, nothing is applied: half of an event would be
// worse than none, and one that cannot be applied must not hold up what comes behind it. Pure.

import { isMessage, isObject, isSound, isText } from './sound.js';

const shapes = {
  hello: isObject,
  ready: () => true,
  reset: () => true,
  'message.created': aboutMessage,
  'message.updated': aboutMessage,
  'message.deleted': aboutMessage,
  'reaction.updated': ({ conversationId, messageId, reactions, revision }) =>
    isText(conversationId) && isText(messageId) && Number.isFinite(revision) && Array.isArray(reactions),
  'receipt.updated': ({ conversationId, receipts }) =>
    isText(conversationId) && Array.isArray(receipts) && receipts.every(isObject),
  'conversation.created': ({ conversation }) => isConversation(conversation),
  'conversation.updated': ({ conversation }) => isConversation(conversation),
  'conversation.removed': ({ conversationId, revision }) => isText(conversationId) && Number.isFinite(revision),
  'participant.added': aboutParticipant,
  'participant.updated': aboutParticipant,
  'participant.removed': aboutParticipant,
  'member.updated': ({ conversationId, me }) => isText(conversationId) && isObject(me),
  'user.updated': ({ user }) => isObject(user) && isText(user.id),
  'unread.updated': ({ conversationId, unreadCount, totalUnread }) =>
    isText(conversationId) && Number.isFinite(unreadCount) && Number.isFinite(totalUnread),
  'typing.updated': ({ conversationId, userId, typing, expiresInMs }) =>
    isText(conversationId) && isText(userId) && (!typing || Number.isFinite(expiresInMs)),
  'presence.updated': ({ userId, presence }) => isText(userId) && isObject(presence),
  'block.updated': ({ userId }) => isText(userId),
};

export function isUnderstood({ event, data }) {
  return Object.hasOwn(shapes, event) && isObject(data) && shapes[event](data);
}

function aboutMessage({ conversationId, message }) {
  return isText(conversationId) && isMessage(message);
}

function aboutParticipant({ conversationId, participant }) {
  return isText(conversationId) && isObject(participant) && isText(participant.userId);
}

function isConversation(conversation) {
  return isSound('conversations', conversation) && isText(conversation.id);
}
