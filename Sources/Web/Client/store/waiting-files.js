// Files that were chosen, and not sent when their conversation was left: they are there again for who comes back, as long as
// the page is.

import { store } from './store.js';

/// As many conversations as have some; of those beyond, the ones that were left first lose theirs.
const most = 3;

const waiting = new Map(); // conversation id → files

export function keepWaitingFiles(conversationId, files) {
  waiting.delete(conversationId);
  if (files.length > 0) waiting.set(conversationId, files);
  while (waiting.size > most) waiting.delete(waiting.keys().next().value);
}

export function takeWaitingFiles(conversationId) {
  const files = waiting.get(conversationId) ?? [];
  waiting.delete(conversationId);
  return files;
}

export function areFilesWaiting() {
  return waiting.size > 0;
}

store.subscribe((state) => state.me?.id, () => waiting.clear());
