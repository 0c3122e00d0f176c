// What becomes another with the time alone: "today" is over at midnight, and mutings end. Views learn of it as of all else, by a
// change of the store.

import { isMuted } from '../store/conversations.js';
import { store } from '../store/store.js';
import { countEndedMutings } from '../store/totals.js';
import { now } from '../transport/clock.js';

/// How often is looked, in milliseconds.
const interval = 20_000;

let day = { begin: 0, end: 0, name: '' };

/// Which day it is here. Every row asks for it, so that it is only worked out once a day.
export function dayNow() {
  const time = now();
  if (time >= day.begin && time < day.end) return day.name;
  const date = new Date(time);
  const midnight = (offset) => new Date(date.getFullYear(), date.getMonth(), date.getDate() + offset).getTime();
  day = { begin: midnight(0), end: midnight(1), name: date.toDateString() };
  return day.name;
}

/// Looks at the clock from now on. Returns the way to end it.
export function watchTime() {
  let before = timely();
  const check = () => {
    countEndedMutings();
    const present = timely();
    if (present !== before) store.commit(() => {});
    before = present;
  };
  const timer = setInterval(check, interval);
  // Nothing runs while the device sleeps.
  document.addEventListener('visibilitychange', check);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', check);
  };
}

function timely() {
  const time = now();
  let muted = 0;
  for (const conversation of store.state.conversations.values()) if (isMuted(conversation, time)) muted += 1;
  return `${dayNow()} ${muted}`;
}
