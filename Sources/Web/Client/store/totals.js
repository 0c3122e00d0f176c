// How much is unread altogether, as the server has counted it. That a muting ends by its time, nothing tells.

import { now } from '../transport/clock.js';
import { store } from './store.js';

/// Counts what was muted when the totals were made, and is so no more.
export function countEndedMutings() {
  const time = now();
  const { conversations, totalsAt } = store.state;
  // Of older ones, as a browser may have kept, it is not known when they were made.
  const count = totalsAt > 0 ? unmutedBetween(conversations, totalsAt, time) : 0;
  if (count === 0) return;
  store.commit((state) => Object.assign(state, { totalUnreadUnmuted: state.totalUnreadUnmuted + count, totalsAt: time }));
}

function unmutedBetween(conversations, from, to) {
  let count = 0;
  for (const { me, unreadCount, isFormer } of conversations.values()) {
    if (me.mutedUntil == null || isFormer || me.cleared) continue;
    const end = Date.parse(me.mutedUntil);
    if (end > from && end <= to) count += unreadCount;
  }
  return count;
}
