// Who is there. Said of this browser by whether any of its tabs is seen; and the people whose presence the open screens want.

import { api } from '../transport/api.js';
import { Backoff } from '../transport/backoff.js';
import { tabs } from '../transport/leader.js';
import { store } from './store.js';

/// The server takes this many.
const mostWatched = 200;
const wishes = new Map(); // tab id → ids
const visible = new Set(); // tab ids
let said = null;
let isStarted = false;
let timer = null;
let subscribed = '';
let fresh = new Set();
const backoff = new Backoff();

/// Begins to say whether this person is there, and to hear what the other tabs want.
export function startPresence() {
  if (isStarted) return;
  isStarted = true;
  tabs.listen((message) => {
    if (message.type === 'wish' || message.type === 'visible') followTab(message.from);
    if (message.type === 'wish') wish(message.from, message.ids);
    else if (message.type === 'visible') see(message.from, message.isVisible);
    else if (message.type === 'who') tellMine();
  });
  document.addEventListener('visibilitychange', () => seeMyself());
  addEventListener('pagehide', () => {
    see(tabs.id, false);
    tell({ type: 'visible', isVisible: false });
  });
  seeMyself();
  if (!navigator.locks) return introduce();
  // Held for as long as the tab is there.
  navigator.locks.request(lockOf(tabs.id), () => {
    introduce();
    return new Promise(() => {});
  }).catch(introduce);
}

// Before the tab has its lock, the others would take it for one that is gone.
let isIntroduced = false;

function introduce() {
  isIntroduced = true;
  tell({ type: 'who' });
  tellMine();
}

function tell(message) {
  if (isIntroduced) tabs.tell(message);
}

const followed = new Set(); // tab ids
const lockOf = (tab) => `parley-tab-${tab}`;

// A tab that is closed or killed says nothing, but its lock is free then.
function followTab(tab) {
  if (!navigator.locks || followed.has(tab)) return;
  followed.add(tab);
  navigator.locks.request(lockOf(tab), () => {
    followed.delete(tab);
    wish(tab, []);
    see(tab, false);
  }).catch(() => {});
}

const mine = new Map(); // owner → ids

/// A screen wants to know of these people for as long as it is shown; an empty list ends that.
export function watchPresence(owner, ids) {
  if (ids.length > 0) mine.set(owner, ids);
  else mine.delete(owner);
  tellMine();
}

function tellMine() {
  const ids = [...new Set([...mine.values()].flat())].slice(0, mostWatched);
  wish(tabs.id, ids);
  tell({ type: 'wish', ids });
  tell({ type: 'visible', isVisible: document.visibilityState === 'visible' });
}

function wish(tab, ids) {
  if (ids.length > 0) wishes.set(tab, ids);
  else wishes.delete(tab);
  schedule();
}

function seeMyself() {
  const isVisible = document.visibilityState === 'visible';
  see(tabs.id, isVisible);
  tell({ type: 'visible', isVisible });
}

function see(tab, isVisible) {
  if (isVisible) visible.add(tab);
  else visible.delete(tab);
  schedule();
}

function schedule() {
  clearTimeout(timer);
  // Going from tab to tab is not going away.
  timer = setTimeout(say, visible.size > 0 ? 300 : 3_000);
}

async function say() {
  if (!tabs.isLeader || store.state.session !== 'open' || !store.state.isUpToDate) return;
  const status = visible.size > 0 ? 'online' : 'away';
  const ids = [...new Set([...wishes.values()].flat())].slice(0, mostWatched).sort();
  try {
    if (ids.join() !== subscribed) {
      subscribed = ids.join();
      const before = store.state.presence;
      const { body } = await api.put('/v1/presence/subscriptions', { userIds: ids });
      take(body.items, before);
    }
    if (status !== said) {
      said = status;
      await api.put('/v1/me/presence', { status });
    }
    backoff.reset();
  } catch (problem) {
    // Said again with the next connection; where this one goes on, in a while.
    said = null;
    subscribed = '';
    if (problem.isRetryable && store.state.connection === 'online') backoff.wait(problem).then(schedule);
  }
}

// What the stream has told of somebody meanwhile is later.
function take(items, before) {
  store.commit((state) => {
    const presence = new Map(state.presence);
    for (const { userId, presence: status } of items) if (presence.get(userId) === before.get(userId)) presence.set(userId, status);
    state.presence = presence;
  });
}

/// The connection is lost: who was there may have gone since, unseen. When somebody was there last is as true as before.
export function forgetWhoIsThere(state) {
  state.presence = new Map([...state.presence].filter(([, { status }]) => status === 'offline'));
}

/// A connection has caught up: who is not told of from now on is not there.
export function presenceIsFresh() {
  fresh = new Set(store.state.presence.keys());
  const before = new Map(store.state.presence);
  said = null;
  subscribed = '';
  schedule();
  setTimeout(() => {
    store.commit((state) => {
      const presence = new Map(state.presence);
      for (const id of fresh) {
        if (presence.get(id) === before.get(id) && presence.get(id)?.status !== 'offline') presence.set(id, { status: 'offline', lastSeen: null });
      }
      state.presence = presence;
    });
  }, 2_000);
}
