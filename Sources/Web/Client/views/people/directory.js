// People as the server finds them.

import { addConversation } from '../../store/one-conversation.js';
import { api } from '../../transport/api.js';

/// A page of people whose name begins with the words of the query, or whose email it is.
export async function findPeople(query, cursor) {
  const { body } = await api.get('/v1/users', { query: { query: query || undefined, cursor: cursor || undefined, limit: 50 } });
  return body;
}

/// Opens the conversation with somebody, which is made where there is none; resolves with it.
export async function startDirect(userId) {
  const { body } = await api.put(`/v1/conversations/direct/${userId}`);
  addConversation(body);
  return body;
}
