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
  const actions = [{ label: t('action.close'), value: null }];
  openDialog({ title: t('conversation.info'), plain: true, body: receipts.node, actions });
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
    const path = `/v1/conversations/${conversationId}/messages/${id}/receipts`;
    const { body } = await api.get(path, { query, waitFor: store.state.cursor });
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
    const next = attempt(() => this.#next());
    const classes = 'button button--quiet button--block';
    const more = h('button', { type: 'button', class: classes, on: { click: next } }, t('action.loadMore'));
    this.node.replaceChildren(...this.#sections(), ...(this.#cursor ? [more] : []));
    const close = this.node.closest('dialog')?.querySelector('.dialog__actions > button');
    if (hadFocus) (this.#cursor ? more : close).focus({ preventScroll: true });
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
    if (this.#cursor === null) return t('conversation.readBy', { count: shown, total: this.#items.length });
    return t('conversation.readBy', { count: Math.max(shown, readCount), total: recipientCount });
  }

  #part(title, items, words) {
    if (items.length === 0) return null;
    const list = h('ul', { 'aria-label': title }, items.map((item) => this.#row(item, words(item))));
    return h('section', {}, h('h3', { class: 'section__title' }, title), list);
  }

  #row({ userId }, words) {
    const person = store.state.users.get(userId) ?? this.#people.get(userId);
    const name = nameOf(person);
    const picture = avatar({ id: userId, name, photoURL: person?.photoURL, size: 'small' });
    return h('li', { class: 'row row--short', 'aria-label': name }, picture,
      h('span', { class: 'row__main' }, h('bdi', { class: 'clip' }, name)), h('span', { class: 'row__meta' }, words));
  }
}
