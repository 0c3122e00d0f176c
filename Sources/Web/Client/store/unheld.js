// Conversations that are not held and in which a message has come: no other event brings them, so they are asked for until
// there is an answer.

import { Backoff } from '../transport/backoff.js';
import { tabs } from '../transport/leader.js';
import { store } from './store.js';

const fetching = new Map(); // conversation id → whether more has come since it was asked for

/// Gets a conversation by `fetch(id)`, in the leading tab, which tells the others.
export async function fetchUnheld(id, fetch) {
  const isUnderWay = fetching.has(id);
  fetching.set(id, true);
  if (isUnderWay) return;
  const backoff = new Backoff();
  while (fetching.get(id) && tabs.isLeader && store.state.session === 'open') {
    fetching.set(id, false);
    try {
      await fetch(id);
    } catch (problem) {
      // What is refused is none of this person's any more.
      if (!problem.isRetryable) continue;
      fetching.set(id, true);
      await backoff.wait(problem);
    }
  }
  fetching.delete(id);
}
