// What a tab takes over from the leading one.

import { orderOf } from './conversations.js';
import { store } from './store.js';

const fields = [
  'me', 'cursor', 'conversations', 'users', 'presence', 'blocks', 'areBlocksKnown', 'connection', 'isUpToDate', 'isListComplete',
  'totalUnread', 'totalUnreadUnmuted', 'totalMentions', 'totalsAt',
];

export function sharedState() {
  return Object.fromEntries(fields.map((name) => [name, store.state[name]]));
}

export function takeSharedState(shared, { isReset }) {
  // What was told before this tab listened is in none of its histories.
  const isBehind = isReset || shared.cursor !== store.state.cursor;
  store.commit((state) => {
    Object.assign(state, shared, { order: orderOf(shared.conversations), usersRevision: state.usersRevision + 1 });
    if (!isBehind) return;
    state.snapshots += 1;
    for (const [id, timeline] of state.timelines) state.timelines.set(id, { ...timeline, isStale: true });
  });
}
