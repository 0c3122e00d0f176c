// A list that the server pages: the next page is asked for when its end comes near, and what failed can be tried again.

import { t } from '../../text/catalogue.js';
import { h, keyed } from '../element.js';
import { noteFocus } from '../focus.js';
import { problemWords } from './field.js';

export class PagedList {
  items = [];
  #options;
  #cursor = null;
  #turn = 0;
  #isLoading = false;

  /// `load(cursor, signal)` resolves with `{items, nextCursor}`; `make(item)` is a row, `nameOf(item)` what it is called;
  /// `empty()` what is shown where there is none.
  constructor({ label, load, make, nameOf, keyOf = (item) => item.id, empty, update }) {
    this.#options = { label, load, make, nameOf, keyOf, empty, update };
    this.list = h('ul', { 'aria-label': label });
    this.foot = h('div', { class: 'list-foot', role: 'status' });
    this.node = h('div', {}, this.list, this.foot);
    this.watcher = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && this.more(), { rootMargin: '400px' });
  }

  /// Begins anew; an answer to an earlier question is not shown any more.
  async reload() {
    this.#turn += 1;
    this.#cursor = null;
    this.#isLoading = false;
    await this.#next(true);
  }

  more() {
    if (this.#cursor && !this.#isLoading) this.#next(false);
  }

  has(key) {
    return this.items.some((item) => this.#options.keyOf(item) === key);
  }

  /// Takes one item out, as when it was deleted here. Who was at its button is at the next one's then; after the last, at the
  /// screen's title.
  remove(key) {
    const giveBack = this.list.contains(document.activeElement) ? noteFocus(this.list) : null;
    this.items = this.items.filter((item) => this.#options.keyOf(item) !== key);
    this.show();
    this.#end();
    giveBack?.();
    if (giveBack && document.activeElement === document.body) this.node.closest('.page')?.querySelector('.page__title').focus();
  }

  show() {
    const { make, nameOf, keyOf, update } = this.#options;
    keyed(this.list, this.items, keyOf, (item) => h('li', { 'aria-label': nameOf(item) }, make(item)), update);
  }

  async #next(isFirst) {
    const turn = this.#turn;
    const before = this.items.length;
    const hadFocus = this.foot.contains(document.activeElement);
    this.#isLoading = true;
    const waiting = setTimeout(() => turn === this.#turn && this.foot.replaceChildren(h('div', { class: 'spinner' })), 200);
    try {
      const { items, nextCursor } = await this.#options.load(isFirst ? null : this.#cursor);
      if (turn !== this.#turn) return;
      this.items = isFirst ? items : [...this.items, ...items];
      this.#cursor = nextCursor;
      this.show();
      this.#end();
      if (hadFocus) this.#focusRow(isFirst ? 0 : before);
    } catch (problem) {
      if (turn !== this.#turn) return;
      this.#fail(problem, isFirst);
      if (hadFocus) this.#focusFoot();
    } finally {
      clearTimeout(waiting);
      if (turn === this.#turn) this.#isLoading = false;
    }
  }

  // The button by which they came has gone; who has gone elsewhere meanwhile stays there.
  #focusRow(index) {
    const control = this.list.children[index]?.querySelector('a[href], button, input');
    if (document.activeElement === document.body) control?.focus();
    if (document.activeElement === document.body) this.#focusFoot();
  }

  #focusFoot() {
    if (document.activeElement === document.body) this.foot.querySelector('button')?.focus();
  }

  #end() {
    this.watcher.disconnect();
    if (this.#cursor) {
      const more = h('button', { type: 'button', class: 'button button--quiet button--block', on: { click: () => this.more() } }, t('action.loadMore'));
      this.foot.replaceChildren(more);
      this.watcher.observe(this.foot);
    } else {
      this.foot.replaceChildren(...(this.items.length === 0 ? [this.#options.empty()].flat() : []));
    }
  }

  #fail(problem, isFirst) {
    this.watcher.disconnect();
    const again = h('button', { type: 'button', class: 'button', on: { click: () => this.#next(isFirst) } }, t('action.retry'));
    this.foot.replaceChildren(h('div', { class: 'empty' }, h('p', {}, problemWords(problem)), again));
  }
}
