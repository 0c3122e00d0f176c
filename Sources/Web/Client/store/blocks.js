// Whom this person has blocked: what these say in groups shows nowhere.

import { api } from '../transport/api.js';
import { setBlocked } from './events.js';
import { store } from './store.js';

const pageSize = 200;

/// Asks the server for all of them: the set of their ids.
export async function askBlocks() {
  const blocks = new Set();
  let cursor = null;
  do {
    const { body } = await api.get('/v1/blocks', { query: { limit: pageSize, cursor } });
    for (const { userId } of body.items) blocks.add(userId);
    cursor = body.nextCursor;
  } while (cursor);
  return blocks;
}

/// Blocks somebody: neither can write to the other any more.
export async function block(userId) {
  await api.put(`/v1/blocks/${userId}`);
  store.commit((state) => setBlocked(state, userId, true));
}

export async function unblock(userId) {
  await api.delete(`/v1/blocks/${userId}`);
  store.commit((state) => setBlocked(state, userId, false));
}

/// Resolves when it is known who is blocked.
export function blocksKnown() {
  if (store.state.areBlocksKnown) return Promise.resolve();
  return new Promise((resolve) => {
    const end = store.subscribe((state) => state.areBlocksKnown, () => {
      end();
      resolve();
    });
  });
}
