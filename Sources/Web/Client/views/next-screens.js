// Screens that are one press away are loaded before they are asked for, so that they show at once, also without a network. Only
// small ones: what a first visit loads has a budget.

import { isListKnown } from '../store/conversations.js';
import { store } from '../store/store.js';
import { whenIdle } from './idle.js';
import { loadScreens } from './router.js';

/// To be called once: loads them when there is a list, and the page has nothing else to do.
export function startLoadingNext() {
  const load = () => whenIdle(() => loadScreens('/people', '/group/new'), { timeout: 2_000 });
  store.subscribe(isListKnown, (isKnown) => isKnown && load());
  if (isListKnown(store.state)) load();
}
