// The beginning of the list, kept once more in local storage, which answers at once: IndexedDB does after the page could have
// been drawn. It is a copy for the eye alone: what IndexedDB has takes its place a moment later, and nothing is made of it.

import { database } from './database.js';
import { isSound } from './sound.js';
import { store } from './store.js';

const storageKey = 'parley.firstScreen';
/// As many conversations as fill a high window.
const mostRows = 40;
/// Of a last message as much as a row may show, in characters.
const longestText = 200;
/// In characters. What would take longer to read than IndexedDB is not kept.
const longestCopy = 150_000;
const keepAfter = 1_000;

let keeping = null;

/// What is kept, as fields of the state; null where that is nothing.
export function firstScreen() {
  try {
    const { conversations, users, blocks, ...fields } = JSON.parse(localStorage.getItem(storageKey));
    if (!fields.me?.id || !conversations.every((one) => isSound('conversations', one))) return null;
    const byId = new Map(conversations.map((one) => [one.id, one]));
    return { ...fields, conversations: byId, order: [...byId.keys()], users: new Map(users), blocks: new Set(blocks) };
  } catch {
    // There is none, storage is forbidden, or it holds something else.
    return null;
  }
}

export function forgetFirstScreen() {
  clearTimeout(keeping);
  keeping = null;
  try {
    localStorage.removeItem(storageKey);
  } catch {
    // Where storage is forbidden nothing is kept.
  }
}

/// From now on, what the list shows is kept whenever it has changed, and forgotten with the session.
export function startKeepingFirstScreen() {
  store.subscribe((state) => state.revision, () => (keeping ??= setTimeout(keep, keepAfter)));
  store.subscribe((state) => state.session, (session) => session === 'none' && forgetFirstScreen());
  addEventListener('pagehide', () => keeping !== null && keep());
}

function keep() {
  clearTimeout(keeping);
  keeping = null;
  // What is kept nowhere else must not be kept here.
  if (store.state.session !== 'open' || database.isMemory) return;
  const text = JSON.stringify(copyOf(store.state));
  if (text.length > longestCopy) return forgetFirstScreen();
  try {
    localStorage.setItem(storageKey, text);
  } catch {
    // Storage is full: an older copy would show what was long ago.
    forgetFirstScreen();
  }
  return undefined;
}

function copyOf(state) {
  const { me, blocks, areBlocksKnown, totalUnread, totalUnreadUnmuted, totalMentions, totalsAt } = state;
  // What is archived is not at the beginning: it would take the room of what is.
  const conversations = (state.order ?? []).map((id) => state.conversations.get(id)).filter((one) => one && !one.me.archived).slice(0, mostRows);
  const people = new Set(conversations.flatMap(({ type, participantIds, lastMessage }) => [...(type === 'direct' ? participantIds ?? [] : []), lastMessage?.senderId]));
  const users = [...people].filter((id) => state.users.has(id)).map((id) => [id, state.users.get(id)]);
  return { me, blocks: [...blocks], areBlocksKnown, totalUnread, totalUnreadUnmuted, totalMentions, totalsAt, conversations: conversations.map(rowOf), users };
}

// A group may have ten thousand members, and a message ten thousand characters: a row shows neither.
function rowOf({ participants, participantIds, lastMessage, ...conversation }) {
  return {
    ...conversation,
    ...(conversation.type === 'direct' ? { participantIds, participants } : {}),
    ...(lastMessage ? { lastMessage: { ...lastMessage, ...(lastMessage.text ? { text: lastMessage.text.slice(0, longestText) } : {}) } } : {}),
  };
}
