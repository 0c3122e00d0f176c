// Which messages this person has starred. The server tells it only to who asks: it is asked when a conversation opens, and not
// again within a minute, so that a star that was given elsewhere shows, too.

import { api } from '../transport/api.js';
import { now } from '../transport/clock.js';
import { tabs } from '../transport/leader.js';
import { store } from './store.js';

const pageSize = 200;
/// The newest stars; an older one shows in the list of starred messages alone.
const mostPages = 5;
/// In milliseconds.
const freshFor = 60_000;

const never = Number.NEGATIVE_INFINITY;
let askedAt = never;
let changes = 0;

/// Learns which they are, unless that was learned just now.
export async function refreshStars() {
  const userId = store.state.me?.id;
  if (!userId || Math.abs(now() - askedAt) < freshFor) return;
  askedAt = now();
  const before = changes;
  try {
    const stars = await askStars();
    if (store.state.me?.id !== userId) return;
    // What was starred meanwhile may not be among them: then they are asked for once more, the next time.
    if (changes === before) store.commit((state) => (state.stars = stars));
    else askedAt = never;
  } catch {
    // They show the next time.
    askedAt = never;
  }
}

/// Stars a message, or takes the star back.
export async function setStar({ id, conversationId }, isStarred) {
  const userId = store.state.me?.id;
  const path = `/v1/conversations/${conversationId}/messages/${id}/star`;
  await (isStarred ? api.put(path) : api.delete(path));
  if (store.state.me?.id === userId) take(id, isStarred);
  tabs.tell({ type: 'star', user: userId, id, isStarred });
}

async function askStars() {
  const stars = new Set();
  let cursor = null;
  for (let page = 0; page === 0 || (cursor && page < mostPages); page += 1) {
    const { body } = await api.get('/v1/starred', { query: { limit: pageSize, cursor: cursor ?? undefined } });
    for (const { message } of body.items) stars.add(message.id);
    cursor = body.nextCursor;
  }
  return stars;
}

function take(id, isStarred) {
  changes += 1;
  store.commit((state) => {
    const others = [...state.stars].filter((one) => one !== id);
    state.stars = new Set(isStarred ? [...others, id] : others);
  });
}

store.subscribe((state) => state.me?.id, () => (askedAt = never));

tabs.listen((message) => {
  if (message.type === 'star' && message.user === store.state.me?.id) take(message.id, message.isStarred);
});
