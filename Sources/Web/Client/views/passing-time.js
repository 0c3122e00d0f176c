// What becomes another with the time alone: "today" is over at midnight, and mutings end. Views learn of it as of all else, by a
// change of the store.

import { isMuted } from '../store/conversations.js';
import { store } from '../store/store.js';
import { now } from '../transport/clock.js';

/// How often is looked, in milliseconds.
const interval = 20_000;

/// Which day it is here.
export function dayNow() {
  return new Date(now()).toDateString();
}

/// Looks at the clock from now on. Returns the way to end it.
export function watchTime() {
  let before = timely();
  const look = () => {
    const present = timely();
    if (present !== before) store.commit(() => {});
    before = present;
  };
  const timer = setInterval(look, interval);
  // Nothing runs while the device sleeps.
  document.addEventListener('visibilitychange', look);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', look);
  };
}

function timely() {
  const time = now();
  let muted = 0;
  for (const conversation of store.state.conversations.values()) if (isMuted(conversation, time)) muted += 1;
  return `${dayNow()} ${muted}`;
}
