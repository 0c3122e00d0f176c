// What is told to those who listen: a region apart from the lists, polite, and not more than one thing at a time.

import { h } from './element.js';

const pause = 1_000;
const mostAtOnce = 3;

let region = null;
let waiting = [];
let timer = null;

/// Has a short text read out when there is a pause. Where too much comes at once, the last of it is.
export function announce(words) {
  waiting = [...waiting.slice(-(mostAtOnce - 1)), words.slice(0, 300)];
  timer ??= setTimeout(tell, 50);
}

function tell() {
  timer = null;
  const [words, ...rest] = waiting;
  if (words === undefined) return;
  waiting = rest;
  if (!region?.isConnected) document.body.append((region = h('div', { class: 'visually-hidden', 'aria-live': 'polite', 'aria-atomic': 'true', id: 'announcer' })));
  region.textContent = words;
  if (waiting.length > 0) timer = setTimeout(tell, pause);
}
