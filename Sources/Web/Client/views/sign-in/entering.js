// From a session that has just begun to the first screen behind it.

import * as session from '../../store/session.js';
import { store } from '../../store/store.js';
import { navigate } from '../router.js';

const key = 'parley.next';

/// Takes up the session that `ask` has the server make, and goes where the person wanted to go.
export async function enter(ask) {
  await session.enter(ask);
  navigate(store.state.me?.needsOnboarding ? '/welcome' : takeNext(), { replace: true });
}

/// Remembers where to go once somebody is signed in. Only paths of this page.
export function rememberNext(path) {
  try {
    sessionStorage.setItem(key, path);
  } catch {
    // Storage is forbidden: then it is the list of conversations.
  }
}

/// Where that is; it stays remembered, for who has yet to come in.
export function nextPath() {
  try {
    const path = sessionStorage.getItem(key);
    if (path && /^\/(?![/\\])/.test(path)) return path;
  } catch {
    // As above.
  }
  return '/';
}

export function takeNext() {
  const path = nextPath();
  try {
    sessionStorage.removeItem(key);
  } catch {
    // As above.
  }
  return path;
}

/// What the list of devices calls this one: Chrome on Linux.
export function deviceName() {
  const agent = navigator.userAgent;
  const browser = /Edg\//.test(agent) ? 'Edge' : /OPR\//.test(agent) ? 'Opera' : /Firefox\//.test(agent) ? 'Firefox'
    : /Chrome\//.test(agent) ? 'Chrome' : /Safari\//.test(agent) ? 'Safari' : 'Browser';
  const system = /Android/.test(agent) ? 'Android' : /iPhone|iPad/.test(agent) ? 'iOS' : /Mac OS/.test(agent) ? 'macOS'
    : /Windows/.test(agent) ? 'Windows' : /CrOS/.test(agent) ? 'ChromeOS' : /Linux/.test(agent) ? 'Linux' : '';
  return system ? `${browser} · ${system}` : browser;
}
