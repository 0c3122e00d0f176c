// Keeps the reader's place while rows come and go: the first row on the screen stays where it is. At the end it stays at the
// end. The browser's own anchoring is switched off, since it gives up exactly at the top, where older messages come.

/// As near as this is at the end.
const endDistance = 48;

export class ScrollAnchor {
  isAtEnd = true;
  #row = null;
  #offset = 0;
  #top = 0;
  #isLeaving = false; // to the end, wherever the reader has scrolled since

  constructor(box, list) {
    this.box = box;
    this.list = list;
  }

  /// The reader has scrolled.
  note() {
    const { scrollTop, scrollHeight, clientHeight } = this.box;
    this.#top = scrollTop;
    this.isAtEnd = scrollHeight - scrollTop - clientHeight < endDistance;
    this.#find();
  }

  /// To be called before rows change. The reader may have scrolled in this frame, which is told at its end.
  keep() {
    if (this.#isLeaving) return;
    if (this.box.scrollTop !== this.#top) this.note();
    else if (!this.isAtEnd) this.#find();
  }

  #find() {
    const top = this.box.getBoundingClientRect().top;
    this.#row = rowAt(this.list, top);
    if (this.#row) this.#offset = this.#row.getBoundingClientRect().top - top;
  }

  /// To be called after they have changed.
  restore() {
    if (this.isAtEnd) return this.toEnd();
    if (!this.#row?.isConnected) return;
    const moved = this.#row.getBoundingClientRect().top - this.box.getBoundingClientRect().top - this.#offset;
    if (Math.abs(moved) >= 1) this.box.scrollTop += moved;
    this.#top = this.box.scrollTop;
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
    this.box.scrollTop = this.box.scrollHeight;
    this.#top = this.box.scrollTop;
  }

  /// Puts a row at a part of the height.
  toRow(row, part) {
    if (!row) return;
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
