// What stands above the first row and below the last, and whether more is on its way there. Above the first message stands that it
// is the first, or that older ones come; never the one in place of the other.

import { t } from '../../text/catalogue.js';
import { h } from '../element.js';

export class ListEnds {
  top = h('div', { class: 'messages__end' });
  bottom = h('div', { class: 'messages__end' });
  #busy = new Set();
  #failed = new Set();

  /// Whether more may be asked for at an end, `older` or `newer`: not while it comes, nor where it did not.
  isFree(end) {
    return !this.#busy.has(end) && !this.#failed.has(end);
  }

  /// Waits for more at an end. Resolves to whether it has come.
  async bring(end, promise) {
    this.#busy.add(end);
    try {
      await promise;
      return true;
    } catch {
      this.#failed.add(end);
      return false;
    } finally {
      this.#busy.delete(end);
    }
  }

  retry() {
    this.#failed.clear();
  }

  show({ isBeginning, hasNewer }) {
    const hasFailed = this.#failed.has('older');
    const words = isBeginning ? t('conversation.beginning') : hasFailed ? t('conversation.olderLater') : '';
    this.top.classList.toggle('messages__end--waiting', !isBeginning && !hasFailed);
    if (this.top.textContent !== words) this.top.textContent = words;
    this.bottom.classList.toggle('messages__end--waiting', hasNewer);
  }
}
