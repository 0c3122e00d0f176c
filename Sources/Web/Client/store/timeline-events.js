// What an event of the stream changes in a history. Pure; the same for what is on the screen and for what is cached.

import { mergeMessage, withReceipt, withoutContent, withoutContentOf, withoutRecipient } from './messages.js';
import { emptyTimeline, withAll, withMessage, withNewMessage } from './timeline.js';

/// The timeline after an event of its conversation. `conversation` is as it was before. `onUncounted(messageId)` is called
/// for a message with too many recipients to count them here.
export function timelineAfter(timeline, { event, data }, { conversation = null, meId = null, onUncounted = () => {} } = {}) {
  switch (event) {
    case 'message.created':
      return withNewMessage(timeline, data.message);
    case 'message.updated':
    case 'message.deleted':
      return withChangedMessage(timeline, data.message);
    case 'reaction.updated':
      return withMessage(timeline, data.messageId, (held) =>
        data.revision >= held.revision ? { ...held, reactions: data.reactions, revision: data.revision } : held);
    case 'receipt.updated':
      return withReceipts(timeline, data.receipts, conversation, meId, onUncounted);
    case 'participant.removed':
      return withoutMember(timeline, data.participant, conversation, meId);
    case 'conversation.created':
      return conversation && !conversation.isFormer ? timeline : emptyTimeline(timeline.conversationId);
    case 'conversation.updated':
      return showsOtherHistory(conversation, data.conversation) ? emptyTimeline(timeline.conversationId) : timeline;
    case 'user.updated':
      return data.user.erased ? withAll(timeline, (message) => withoutContentOf(data.user.id, message)) : timeline;
    default:
      return timeline;
  }
}

// What quotes the message shows the same from now on.
function withChangedMessage(timeline, message) {
  const changed = withMessage(timeline, message.id, (held) => mergeMessage(held, message));
  return withAll(changed, (held) => {
    if (held.replyTo?.id !== message.id) return held;
    if (message.deletedAt) return { ...held, replyTo: withoutContent(held.replyTo) };
    return held.replyTo.text === message.text ? held : { ...held, replyTo: { ...held.replyTo, text: message.text } };
  });
}

function withReceipts(timeline, receipts, conversation, meId, onUncounted) {
  let changed = timeline;
  for (const receipt of receipts) {
    if (receipt.userId === meId) continue;
    const joinedAt = conversation?.participants?.find((participant) => participant.userId === receipt.userId)?.joinedAt;
    changed = withAll(changed, (message) => {
      if (joinedAt && message.timestamp < joinedAt) return message;
      const counted = withReceipt(message, receipt);
      if (counted === null) onUncounted(message.id);
      return counted ?? message;
    });
  }
  return changed;
}

// Those are counted who are left, as a page may be from after that already. Where they are not named, the next page tells.
function withoutMember(timeline, { userId, revision }, conversation, meId) {
  const others = conversation?.participants?.filter((one) => one.userId !== meId && (one.userId !== userId || one.revision > revision));
  return others ? withAll(timeline, (message) => withoutRecipient(message, userId, others)) : timeline;
}

// Whether the caller may read another part of the history than before: then what is held of it is no good.
function showsOtherHistory(held, incoming) {
  return held != null && held.historyVisibility !== incoming.historyVisibility;
}
