// A newer page of the server's is loaded by itself, in a moment in which nothing would be lost and nobody is at work.

import { database } from '../store/database.js';
import { isWritten as isDraftWritten } from '../store/drafts.js';
import { store } from '../store/store.js';
import { isPlaying } from './conversation/playing.js';
import { areTraysWaiting } from './conversation/waiting-trays.js';

const pause = 1_000;
/// Seconds without a key or a touch after which a page that is shown may be loaded anew, and one that is not shown.
const idleWhenShown = 5;
const idleWhenHidden = 1;
/// Where the versions are that this tab was loaded anew for: of several servers that are not of one version, each is tried once.
const triedKey = 'parley.renewedFor';
const mostTried = 8;

let lastInput = performance.now();
let timer = null;

/// To be called once, when the first screen is there.
export function startRenewal() {
  for (const type of ['keydown', 'pointerdown', 'wheel', 'touchmove', 'input']) addEventListener(type, () => (lastInput = performance.now()), { capture: true, passive: true });
  store.subscribe((state) => state.newVersion, follow);
  follow(store.state.newVersion);
}

function follow(version) {
  clearInterval(timer);
  timer = version === null ? null : setInterval(() => renew(version), pause);
}

function renew(version) {
  const idle = (performance.now() - lastInput) / 1000;
  if (idle < (document.hidden ? idleWhenHidden : idleWhenShown) || wouldLose() || triedVersions().includes(version)) return;
  clearInterval(timer);
  try {
    sessionStorage.setItem(triedKey, JSON.stringify([...triedVersions(), version].slice(-mostTried)));
  } catch {
    // Without a memory of it the page might be loaded again and again.
    return;
  }
  location.reload();
}

function triedVersions() {
  try {
    const tried = JSON.parse(sessionStorage.getItem(triedKey) ?? '[]');
    return Array.isArray(tried) ? tried : [];
  } catch {
    return [];
  }
}

// Drafts and what is unsent are kept by the browser; what stands in other fields, and what plays, is not.
function wouldLose() {
  if (database.isMemory && (store.state.outbox.size > 0 || [...store.state.drafts.values()].some(isDraftWritten))) return true;
  if (areTraysWaiting()) return true;
  if (document.querySelector('dialog[open]') || [...document.querySelectorAll('parley-composer')].some((composer) => composer.isUnsaved)) return true;
  if (isPlaying()) return true;
  return [...document.querySelectorAll('input, textarea')].some((input) => !input.closest('parley-composer') && isWritten(input));
}

function isWritten(input) {
  return !['checkbox', 'radio', 'button', 'submit', 'range'].includes(input.type) && input.value !== input.defaultValue;
}
