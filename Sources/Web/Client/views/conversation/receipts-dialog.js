// Who has received and read a message, and when.

import { api } from '../../transport/api.js';
import { store } from '../../store/store.js';
import { formatMoment, t } from '../../text/catalogue.js';
import { avatar } from '../components/avatar.js';
import { openDialog } from '../components/dialog.js';
import { problemWords } from '../components/field.js';
import { h } from '../element.js';
import { personName } from '../names.js';

const mostShown = 200;

export function showReceipts(message) {
  const place = h('div', { class: 'receipts' }, h('div', { class: 'spinner' }));
  openDialog({ title: t('conversation.info'), plain: true, body: place, actions: [{ label: t('action.close'), value: null }] });
  load(message).then((items) => place.replaceChildren(...sections(items)), (problem) => place.replaceChildren(h('p', { class: 'receipts__none' }, problemWords(problem))));
}

async function load(message) {
  const { body } = await api.get(`/v1/conversations/${message.conversationId}/messages/${message.id}/receipts`, { query: { limit: mostShown }, waitFor: store.state.cursor });
  return body.items;
}

function sections(items) {
  const read = items.filter(({ readAt }) => readAt);
  const delivered = items.filter(({ readAt, deliveredAt }) => !readAt && deliveredAt);
  const waiting = items.filter(({ deliveredAt }) => !deliveredAt);
  return [
    part(t('conversation.readBy', { count: read.length, total: items.length }), read, ({ readAt }) => formatMoment(readAt)),
    part(t('state.delivered'), delivered, ({ deliveredAt }) => formatMoment(deliveredAt)),
    part(t('state.sent'), waiting, () => ''),
  ].filter(Boolean);
}

function part(title, items, words) {
  if (items.length === 0) return null;
  return h('section', {}, h('h3', { class: 'section__title' }, title), h('ul', { 'aria-label': title }, items.map((item) => person(item, words(item)))));
}

function person({ userId }, words) {
  const name = personName(store.state, userId);
  return h('li', { class: 'row row--short', 'aria-label': name }, avatar({ id: userId, name, photoURL: store.state.users.get(userId)?.photoURL, size: 'small' }),
    h('span', { class: 'row__main' }, h('bdi', { class: 'clip' }, name)), h('span', { class: 'row__meta' }, words));
}
