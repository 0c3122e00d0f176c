// What stands above the first row and below the last, and whether more is on its way there. Above the first message stands that it
// is the first, or that older ones come; never the one in place of the other.

import { t } from '../../text/catalogue.js';
import { h } from '../element.js';

export class ListEnds {
  top = h('div', { class: 'messages__end' });
  bottom = h('div', { class: 'messages__end' });
  #busy = new Set();
  #failed = new Set();

  /// What is pressed where the newest page has not come.
  constructor(retry) {
    const again = h('button', { type: 'button', class: 'button button--quiet', on: { click: retry } }, t('action.retry'));
    this.lost = h('div', { role: 'status' });
    this.lost.words = [h('p', {}, t('conversation.notLoaded')), again];
    this.bottom.append(this.lost);
  }

  /// Whether more may be asked for at an end, `older` or `newer`: not while it comes, nor where it did not.
  isFree(end) {
    return !this.#busy.has(end) && !this.#failed.has(end);
  }

  /// Waits for more at an end, or for the `newest` page. Resolves to whether it has come.
  async bring(end, promise) {
    this.#busy.add(end);
    try {
      await promise;
      this.#failed.delete(end);
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

  /// `isEmpty` says that nothing is known, `needsNewest` that what is known may be old.
  show({ isBeginning, hasNewer, isEmpty, needsNewest }) {
    const isLost = needsNewest && this.#failed.has('newest');
    const hasFailed = this.#failed.has('older') || (isLost && isEmpty);
    const words = isBeginning ? t('conversation.beginning') : this.#failed.has('older') ? t('conversation.olderLater') : '';
    this.top.classList.toggle('messages__end--waiting', !isBeginning && !hasFailed);
    if (this.top.textContent !== words) this.top.textContent = words;
    this.bottom.classList.toggle('messages__end--waiting', hasNewer && !isLost);
    if (isLost !== this.lost.hasChildNodes()) this.lost.replaceChildren(...(isLost ? this.lost.words : []));
  }
}
