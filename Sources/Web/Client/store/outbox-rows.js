// The rows of the outbox that this tab shows. What is over is over in all tabs.

import { tabs } from '../transport/leader.js';
import { forgetRow } from './cache.js';
import { withRow } from './outbox-rules.js';
import { endUpload } from './outbox-uploads.js';
import { store } from './store.js';

/// Numbers of the rows that this tab has made, or found without another tab's telling: it says what is refused.
export const own = new Set();

/// Numbers of rows that are over: what was read from the database before that is old.
export const settled = new Set();

let lastNumber = 0;

export function rowsOf(conversationId) {
  return store.state.outbox.get(conversationId) ?? [];
}

/// Numbers grow even where the clock is set back.
export function nextNumber() {
  const used = Math.max(lastNumber, ...[...store.state.outbox.values()].flat().map((row) => row.number));
  lastNumber = Math.max(used + 1, Date.now() * 1000);
  return lastNumber;
}

/// Of what was kept, by conversations, what is a person's and not over.
export function openRows(outbox, userId) {
  const open = [...outbox].map(([id, rows]) => [id, rows.filter((row) => isBy(row, userId) && !settled.has(row.number))]);
  return new Map(open.filter(([, rows]) => rows.length > 0));
}

/// Changes that were kept by a page of before do not say whose they are.
export function isBy(row, userId) {
  return (row.userId ?? userId) === userId;
}

/// What a person who has signed out had on its way is none of the next one's.
export function show(row) {
  if (!isBy(row, store.state.me?.id) || settled.has(row.number)) return;
  store.commit((state) => state.outbox.set(row.conversationId, withRow(state.outbox.get(row.conversationId) ?? [], row)));
}

export function drop(row) {
  settled.add(row.number);
  hide(row);
  tabs.tell({ type: 'rowGone', user: row.userId, row: { ...row, payload: {}, files: [] } });
  return forgetRow(row.number);
}

export function hide({ conversationId, number }) {
  endUpload(number);
  store.commit((state) => {
    const rows = (state.outbox.get(conversationId) ?? []).filter((one) => one.number !== number);
    if (rows.length > 0) state.outbox.set(conversationId, rows);
    else state.outbox.delete(conversationId);
  });
}

export function presentRow({ conversationId, number }) {
  return rowsOf(conversationId).find((one) => one.number === number);
}
