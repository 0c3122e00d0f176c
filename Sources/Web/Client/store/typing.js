// Who is typing: said by this person while writing, and ended for others when nobody says it again.

import { api } from '../transport/api.js';
import { endTypingBefore } from './events.js';
import { store } from './store.js';

/// The server tells it at most once in this time, and it holds a little longer.
const repeatTime = 2_000;

let lastSaid = { conversationId: null, at: 0 };
let timer = null;

/// The person writes in a conversation.
export function sayTyping(conversationId) {
  const now = performance.now();
  if (lastSaid.conversationId === conversationId && now - lastSaid.at < repeatTime) return;
  lastSaid = { conversationId, at: now };
  // Nobody misses it.
  api.post(`/v1/conversations/${conversationId}/typing`, { typing: true }, { timeout: 3_000 }).catch(() => {});
}

/// The person has stopped: said only where it was said that there is something to stop. Sending needs none: a message ends it.
export function stopTyping(conversationId, { isSent = false } = {}) {
  if (lastSaid.conversationId !== conversationId) return;
  lastSaid = { conversationId: null, at: 0 };
  if (!isSent) api.post(`/v1/conversations/${conversationId}/typing`, { typing: false }, { timeout: 3_000 }).catch(() => {});
}

/// Ends what has run out, at the time when it does.
export function expireTyping() {
  clearTimeout(timer);
  const ends = [...store.state.typing.values()].flat().map((one) => one.until);
  if (ends.length === 0) return;
  timer = setTimeout(() => {
    store.commit((state) => endTypingBefore(state, performance.now()));
    expireTyping();
  }, Math.max(Math.min(...ends) - performance.now(), 0) + 5);
}
