// Keeps the reader's place while rows come and go: the first row on the screen stays where it is. At the end it stays at the
// end. The browser's own anchoring is switched off, since it gives up exactly at the top, where older messages come.
//
// Where more rows are to come above, there is empty room above those that are there. It becomes smaller by what comes and larger
// by what goes, so that no row moves in what is scrolled: the browser would paint all of them anew. The reader cannot go there.

import { endDistance } from './row-limits.js';

/// The most room that is begun with, in pixels; it may grow to twice as much.
const mostRoom = 20_000;

export class ScrollAnchor {
  isAtEnd = true;
  /// About how high the rows are, in pixels, that are to come above; 0 where the first one is there.
  missing = 0;
  #space = 0;
  #row = null;
  #offset = 0;
  #top = 0;
  #isLeaving = false; // to the end, wherever the reader has scrolled since

  constructor(box, list, room) {
    this.box = box;
    this.list = list;
    this.room = room;
  }

  /// How far one can scroll up, in pixels.
  get above() {
    return this.box.scrollTop - this.#space;
  }

  /// And down.
  get below() {
    return this.box.scrollHeight - this.box.scrollTop - this.box.clientHeight;
  }

  /// The reader has scrolled.
  note() {
    if (this.above < 0) this.box.scrollTop = this.#space;
    this.#top = this.box.scrollTop;
    this.isAtEnd = this.below < endDistance;
    this.#find();
  }

  /// To be called before rows change. At the end there is no place to be kept, so nothing is measured.
  keep() {
    if (this.isAtEnd) return;
    if (this.box.scrollTop !== this.#top) this.note();
    else this.#find();
  }

  #find() {
    const top = this.box.getBoundingClientRect().top;
    this.#row = rowAt(this.list, top);
    if (this.#row) this.#offset = this.#row.getBoundingClientRect().top - top;
  }

  /// To be called after they have changed. The reader may have left the end in this frame, which is told later in it.
  restore() {
    if (this.isAtEnd && !this.#isLeaving && this.box.scrollTop !== this.#top) this.note();
    if (this.isAtEnd) return this.toEnd();
    if (!this.#row?.isConnected) return;
    const moved = this.#row.getBoundingClientRect().top - this.box.getBoundingClientRect().top - this.#offset;
    const rest = this.#makeRoom(this.#space - moved);
    if (Math.abs(rest) >= 1) this.box.scrollTop += rest;
    this.#top = this.box.scrollTop;
  }

  // Takes as much room as was asked for, where that can be; returns how much more it has become.
  #makeRoom(asked) {
    const space = this.missing > 0 && asked > 0 && asked <= 2 * mostRoom ? asked : Math.min(this.missing, mostRoom);
    if (space !== this.#space) {
      this.#space = space;
      this.room.style.blockSize = `${space}px`;
    }
    return space - asked;
  }

  /// The next change of rows leads to the end. Nothing is measured for that before.
  stickToEnd() {
    this.isAtEnd = true;
    this.#isLeaving = true;
  }

  unstick() {
    this.isAtEnd = false;
    this.#isLeaving = false;
    this.#row = null;
  }

  toEnd() {
    this.isAtEnd = true;
    this.#isLeaving = false;
    this.#makeRoom(this.#space);
    this.box.scrollTop = this.box.scrollHeight;
    this.#top = this.box.scrollTop;
  }

  /// Puts a row at a part of the height.
  toRow(row, part) {
    if (!row) return;
    this.#makeRoom(this.#space);
    const box = this.box.getBoundingClientRect();
    this.box.scrollTop += row.getBoundingClientRect().top - box.top - box.height * part;
    this.note();
  }
}

// The first row that reaches below the top.
function rowAt(list, top) {
  const rows = list.children;
  return rows[Math.min(firstIndex(rows, (row) => row.getBoundingClientRect().bottom > top), rows.length - 1)] ?? null;
}

/// The last row that begins above a height.
export function lastRowAbove(list, bottom) {
  const rows = list.children;
  return rows[firstIndex(rows, (row) => row.getBoundingClientRect().top > bottom) - 1] ?? null;
}

// Rows stand one below the other, so the first for which something holds is found by halving: each that is measured costs.
function firstIndex(rows, holds) {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(rows[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}
