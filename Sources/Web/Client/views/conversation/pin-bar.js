// What is pinned in a conversation: the newest pin stands below the head, a tap goes there and then to the next one.

import { api } from '../../transport/api.js';
import { store } from '../../store/store.js';
import { t } from '../../text/catalogue.js';
import { icon } from '../components/icon.js';
import { h } from '../element.js';
import { summaryWords } from '../names.js';

export class PinBar {
  #pins = [];
  #at = 0;
  #timer;
  #seen = '';

  constructor(conversationId, show) {
    this.conversationId = conversationId;
    this.words = h('span', { class: 'pin-bar__words clip', dir: 'auto' });
    this.title = h('strong', { class: 'pin-bar__title' });
    this.node = h('button', { type: 'button', class: 'pin-bar', hidden: true, on: { click: () => this.#next(show) } }, icon('pin'), h('span', { class: 'pin-bar__main' }, this.title, this.words));
  }

  async load() {
    try {
      const { body } = await api.get(`/v1/conversations/${this.conversationId}/pins`, { query: { limit: 50 }, waitFor: store.state.cursor });
      this.#pins = body.items;
      this.#at = 0;
      this.#draw();
    } catch {
      // Without a connection the bar stays as it is.
    }
  }

  /// The history has changed: where that concerns pins, they are asked for anew.
  changed(timeline) {
    const pinned = [...(timeline?.messages.values() ?? [])].filter(({ pinnedAt }) => pinnedAt).map(({ id, editedAt }) => `${id} ${editedAt}`).sort().join();
    if (pinned === this.#seen) return;
    this.#seen = pinned;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.load(), 100);
  }

  #next(show) {
    const pin = this.#pins[this.#at];
    if (!pin) return;
    show(pin.id);
    this.#at = (this.#at + 1) % this.#pins.length;
    this.#draw();
  }

  #draw() {
    const pin = this.#pins[this.#at];
    this.node.hidden = !pin;
    if (!pin) return;
    this.title.textContent = this.#pins.length > 1 ? t('conversation.pinOf', { number: this.#at + 1, total: this.#pins.length }) : t('conversation.pinnedMessage');
    this.words.textContent = summaryWords(pin).slice(0, 200);
  }
}
