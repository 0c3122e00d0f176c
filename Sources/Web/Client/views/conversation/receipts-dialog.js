// Who has received and read a message, and when: page by page, where it went to many.

import { api } from '../../transport/api.js';
import { store } from '../../store/store.js';
import { formatMoment, t } from '../../text/catalogue.js';
import { avatar } from '../components/avatar.js';
import { openDialog } from '../components/dialog.js';
import { problemWords } from '../components/field.js';
import { attempt } from '../components/tried.js';
import { h } from '../element.js';
import { loadMembers } from '../group/group-actions.js';
import { nameOf } from '../people/person-row.js';

const pageSize = 200;

export function showReceipts(message) {
  const receipts = new Receipts(message);
  openDialog({ title: t('conversation.info'), plain: true, body: receipts.node, actions: [{ label: t('action.close'), value: null }] });
  receipts.begin();
}

class Receipts {
  #items = [];
  #cursor = null;
  #people = new Map(); // members of whom this page knows nothing else

  constructor(message) {
    this.message = message;
    this.node = h('div', { class: 'receipts' }, h('div', { class: 'spinner' }));
  }

  async begin() {
    try {
      await this.#next();
    } catch (problem) {
      this.node.replaceChildren(h('p', { class: 'receipts__none' }, problemWords(problem)));
    }
  }

  async #next() {
    const { conversationId, id } = this.message;
    const query = { limit: pageSize, cursor: this.#cursor };
    const { body } = await api.get(`/v1/conversations/${conversationId}/messages/${id}/receipts`, { query, waitFor: store.state.cursor });
    await this.#meet(body.items);
    this.#items.push(...body.items);
    this.#cursor = body.nextCursor;
    this.#show();
  }

  // Of a large group a page knows those who have said something. The rest are asked for, until all of these have names.
  async #meet(items) {
    const strangers = items.filter(({ userId }) => !store.state.users.has(userId) && !this.#people.has(userId));
    if (strangers.length === 0) return;
    const areAllAmong = (members) => {
      const ids = new Set(members.map(({ userId }) => userId));
      return strangers.every(({ userId }) => ids.has(userId));
    };
    const members = await loadMembers(this.message.conversationId, areAllAmong).catch(() => []);
    for (const member of members) this.#people.set(member.userId, member);
  }

  #show() {
    const hadFocus = this.node.contains(document.activeElement);
    const more = h('button', { type: 'button', class: 'button button--quiet button--block', on: { click: attempt(() => this.#next()) } }, t('action.loadMore'));
    this.node.replaceChildren(...this.#sections(), ...(this.#cursor ? [more] : []));
    if (hadFocus) (this.#cursor ? more : this.node.closest('dialog').querySelector('.dialog__actions > button')).focus({ preventScroll: true });
  }

  #sections() {
    const items = this.#items;
    const read = items.filter(({ readAt }) => readAt);
    const delivered = items.filter(({ readAt, deliveredAt }) => !readAt && deliveredAt);
    const waiting = items.filter(({ deliveredAt }) => !deliveredAt);
    return [
      this.#part(this.#readWords(read.length), read, ({ readAt }) => formatMoment(readAt)),
      this.#part(t('state.delivered'), delivered, ({ deliveredAt }) => formatMoment(deliveredAt)),
      this.#part(t('state.sent'), waiting, () => ''),
    ].filter(Boolean);
  }

  // Of all to whom it went, also of those who are not here yet.
  #readWords(shown) {
    const { readCount, recipientCount } = this.message;
    const isWhole = this.#cursor === null;
    return t('conversation.readBy', { count: isWhole ? shown : Math.max(shown, readCount), total: isWhole ? this.#items.length : recipientCount });
  }

  #part(title, items, words) {
    if (items.length === 0) return null;
    return h('section', {}, h('h3', { class: 'section__title' }, title), h('ul', { 'aria-label': title }, items.map((item) => this.#row(item, words(item)))));
  }

  #row({ userId }, words) {
    const person = store.state.users.get(userId) ?? this.#people.get(userId);
    const name = nameOf(person);
    return h('li', { class: 'row row--short', 'aria-label': name }, avatar({ id: userId, name, photoURL: person?.photoURL, size: 'small' }),
      h('span', { class: 'row__main' }, h('bdi', { class: 'clip' }, name)), h('span', { class: 'row__meta' }, words));
  }
}
