// Which of the rows that are known are in the page: a window over them. It stays on the rows that it has, and goes on at its
// ends.

import { firstRows, mostAtEnd, mostRows, stepRows, windowAround } from './row-limits.js';

export class RowWindow {
  entries = [];
  start = 0;
  end = 0;
  /// What is seen of the list, in pixels: to ask for that while rows change would lay the page out once more.
  height = 0;

  get shown() {
    return this.entries.slice(this.start, this.end);
  }

  /// Those that come next above.
  get next() {
    return this.entries.slice(Math.max(0, this.start - stepRows), this.start);
  }

  get middle() {
    return this.entries[Math.floor((this.start + this.end) / 2)];
  }

  /// Whether the last row that is known is in it.
  get hasLast() {
    return this.end >= this.entries.length;
  }

  /// Whether it has many more than are needed at the end.
  get isLong() {
    return this.end - this.start >= mostAtEnd(this.height) + stepRows;
  }

  /// Other entries are known: it stays on the rows that it had; at the end it goes along with what is new.
  slide(entries, { isAtEnd }) {
    const hadLast = this.hasLast;
    const first = this.entries[this.start]?.id;
    const at = first === undefined ? -1 : entries.findIndex((entry) => entry.id === first);
    const size = Math.max(this.end - this.start, firstRows);
    this.entries = entries;
    if (at < 0) {
      this.end = entries.length;
      this.start = Math.max(0, this.end - firstRows);
      return;
    }
    this.start = at;
    this.end = hadLast ? entries.length : Math.min(at + size, entries.length);
    // At the end they go once there is time for it, but for very many. Elsewhere no row goes that was there: it may be on the
    // screen.
    const most = mostRows(this.height);
    if (!hadLast || !isAtEnd) this.end = Math.min(this.end, this.start + Math.max(size, most));
    else if (this.end - this.start > 2 * most) this.start = this.end - most;
  }

  /// Where it is too long, rows go at the other end.
  growUp() {
    this.start = Math.max(0, this.start - stepRows);
    this.end = Math.min(this.end, this.start + mostRows(this.height));
  }

  growDown() {
    this.end = Math.min(this.entries.length, this.end + stepRows);
    this.start = Math.max(this.start, this.end - mostRows(this.height));
  }

  trimAtEnd() {
    this.start = this.end - mostAtEnd(this.height);
  }

  /// Goes to where one of them stands at a part of the height.
  moveTo(index, part) {
    [this.start, this.end] = windowAround(index, part, this.height || innerHeight, this.entries.length);
  }
}
