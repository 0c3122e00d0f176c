// The voice note that was played last. It goes on where its row is drawn anew, and where its conversation is left; not where it
// was deleted, nor for the next person.

import { store } from '../../store/store.js';

let latest = null; // {messageId, conversationId, fileId, audio, node}

/// What shows a file of a message, where that was played last.
export function shownOf(messageId, fileId) {
  return latest?.messageId === messageId && latest.fileId === fileId ? latest.node : null;
}

/// Another one begins, and the one before it rests.
export function begin(note) {
  if (latest?.audio !== note.audio) latest?.audio.pause();
  latest = note;
}

export function isPlaying() {
  return latest !== null && !latest.audio.paused;
}

function end() {
  latest?.audio.pause();
  latest = null;
}

store.subscribe((state) => state.me?.id, end);
store.subscribe(
  ({ timelines }) => Boolean(latest && timelines.get(latest.conversationId)?.messages.get(latest.messageId)?.deletedAt),
  (isDeleted) => isDeleted && end());
