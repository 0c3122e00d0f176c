// Conversations that an answer has brought, one by one: taken in by this tab, kept, and told to the others.

import { api } from '../transport/api.js';
import { tabs } from '../transport/leader.js';
import { blocksKnown } from './blocks.js';
import { keepConversations } from './cache.js';
import { mergeConversation, orderOf } from './conversations.js';
import { followServer } from './drafts.js';
import { learn } from './events.js';
import { store } from './store.js';

/// Gets a conversation that is not held, such as one that a link leads to, and tells all tabs of it.
export async function fetchConversation(id) {
  const me = store.state.me?.id;
  const draft = store.state.drafts.get(id);
  const { body } = await api.get(`/v1/conversations/${id}`, { waitFor: store.state.cursor });
  // The list would show its last message, whoever has written that.
  await blocksKnown();
  if (store.state.me?.id !== me) throw new Error('somebody else is here by now');
  addConversation(body);
  // What was written since is later than the answer.
  if (store.state.drafts.get(id) === draft) store.commit((state) => followServer(state, id, body.me));
  return store.state.conversations.get(id);
}

/// Takes in a conversation that an answer has told.
export function addConversation(body) {
  const { users = {} } = body;
  takeConversation(body);
  keepConversations(store.state, [body.id], Object.keys(users));
  tabs.tell({ type: 'conversation', user: store.state.me?.id, body });
}

/// Takes in what this or another tab was answered.
export function takeConversation(body) {
  store.commit((state) => {
    for (const [userId, user] of Object.entries(body.users ?? {})) learn(state, userId, user);
    for (const participant of body.participants ?? []) learn(state, participant.userId, participant);
    state.conversations.set(body.id, mergeConversation(state.conversations.get(body.id), body));
    state.order = orderOf(state.conversations);
  });
}
