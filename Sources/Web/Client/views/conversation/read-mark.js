// Read is what was seen: on a page that is visible, down to the last row that is on the screen.

import { read } from '../../store/receipts.js';
import { lastRowAbove } from './scroll-anchor.js';

/// So much of a row at the lower end may be hidden, in pixels.
const hiddenPart = 24;

export class ReadMark {
  #isReading = false;

  constructor(box, list) {
    this.box = box;
    this.list = list;
  }

  /// The rows stand where the reader is to begin. What was on the screen on the way there was not for reading.
  begin(conversationId) {
    this.#isReading = true;
    this.advance(conversationId);
  }

  /// Says what is on the screen.
  advance(conversationId) {
    if (!this.#isReading || document.visibilityState !== 'visible' || !this.list.isConnected) return;
    let row = lastRowAbove(this.list, this.box.getBoundingClientRect().bottom - hiddenPart);
    while (row && row.seq == null) row = row.previousElementSibling;
    if (row) read(conversationId, row.seq);
  }
}
