// Rows that are made in the time between frames, before they are shown: what is left for the frame that shows them is their
// layout and painting.

import { whenIdle } from '../idle.js';
import { messageRow, updateMessageRow } from './message-row.js';

export class SpareRows {
  #rows = new Map();
  #next = null;

  /// The row of an entry: the one that was made for it, else a new one.
  take(entry) {
    const row = this.#rows.get(entry.id);
    this.#rows.delete(entry.id);
    return row ?? messageRow(entry);
  }

  /// Makes those of some entries as soon as there is time, and lets go of all others.
  prepare(entries, conversation) {
    const isAsked = this.#next !== null;
    this.#next = { entries, conversation };
    if (!isAsked) whenIdle(() => this.#make(), { timeout: 100 });
  }

  #make() {
    const { entries, conversation } = this.#next;
    this.#next = null;
    const rows = new Map(entries.map((entry) => [entry.id, this.take(entry)]));
    for (const entry of entries) updateMessageRow(rows.get(entry.id), entry, conversation);
    this.#rows = rows;
  }
}
