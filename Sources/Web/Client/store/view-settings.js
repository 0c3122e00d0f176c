// What this person has set for a conversation, for oneself alone.

import { api } from '../transport/api.js';
import { orderOf } from './conversations.js';
import { store } from './store.js';

/// Mutes, pins, archives, or sets the notifications: `{mutedUntil?, notificationLevel?, archived?, pinned?}`.
export function changeView(id, fields) {
  return change(id, async () => (await api.patch(`/v1/conversations/${id}/me`, fields)).body);
}

/// Marks everything from a message on as unread.
export function markUnread(id, fromSeq) {
  return change(id, async () => (await api.post(`/v1/conversations/${id}/unread`, { fromSeq })).body);
}

/// Takes a conversation from the list until its next message.
export function clearConversation(id) {
  return change(id, async () => {
    await api.delete(`/v1/conversations/${id}/me`);
    return { ...store.state.conversations.get(id)?.me, cleared: true, pinned: false, archived: false };
  });
}

// Where the stream has told of the view or of a message while the server answered, the answer may be from before that, and the
// stream tells what has become of the change, too.
async function change(id, ask) {
  const before = store.state.conversations.get(id);
  const me = await ask();
  store.commit((state) => {
    const held = state.conversations.get(id);
    if (!held || held.me !== before?.me || held.headSeq !== before.headSeq) return;
    state.conversations.set(id, { ...held, me });
    state.order = orderOf(state.conversations);
  });
}
