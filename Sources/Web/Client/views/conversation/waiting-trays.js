// Files that were chosen, and not sent when their conversation was left: they are there again for who comes back, as long as
// the page is. Those that were still being made ready are made ready meanwhile.

import { store } from '../../store/store.js';

/// Of so many conversations; of those beyond, the ones that were left first lose theirs.
const mostTrays = 3;

const waiting = new Map(); // conversation id → FileTray

export function keepTray(conversationId, tray) {
  waiting.delete(conversationId);
  // Nothing of who has signed out stays.
  if (!store.state.me) return void tray.forget();
  if (tray.files.length === 0 && !tray.isBusy) return;
  waiting.set(conversationId, tray);
  while (waiting.size > mostTrays) takeTray(waiting.keys().next().value).forget();
}

export function takeTray(conversationId) {
  const tray = waiting.get(conversationId) ?? null;
  waiting.delete(conversationId);
  return tray;
}

export function areTraysWaiting() {
  return waiting.size > 0;
}

store.subscribe((state) => state.me?.id, () => {
  for (const id of [...waiting.keys()]) takeTray(id).forget();
});
