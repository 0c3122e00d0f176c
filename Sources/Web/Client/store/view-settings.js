// What this person has set for a conversation, for oneself alone.

import { api } from '../transport/api.js';
import { orderOf } from './conversations.js';
import { store } from './store.js';

/// Mutes, pins, archives, or sets the notifications: `{mutedUntil?, notificationLevel?, archived?, pinned?}`.
export async function changeView(id, fields) {
  const { body: me } = await api.patch(`/v1/conversations/${id}/me`, fields);
  take(id, me);
}

/// Marks everything from a message on as unread.
export async function markUnread(id, fromSeq) {
  const { body: me } = await api.post(`/v1/conversations/${id}/unread`, { fromSeq });
  take(id, me);
}

/// Takes a conversation from the list until its next message.
export async function clearConversation(id) {
  await api.delete(`/v1/conversations/${id}/me`);
  const held = store.state.conversations.get(id);
  if (held) take(id, { ...held.me, cleared: true, pinned: false, archived: false });
}

function take(id, me) {
  store.commit((state) => {
    const held = state.conversations.get(id);
    if (!held) return;
    state.conversations.set(id, { ...held, me });
    state.order = orderOf(state.conversations);
  });
}
