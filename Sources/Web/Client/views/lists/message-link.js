// A message outside its conversation: who said it, where, what, when; a tap opens it in its place.

import { store } from '../../store/store.js';
import { formatWhen, t } from '../../text/catalogue.js';
import { avatar } from '../components/avatar.js';
import { named } from '../components/named.js';
import { h } from '../element.js';
import { nameOfConversation, summaryWords } from '../names.js';
import { nameOf } from '../people/person-row.js';

/// A link to a message in its conversation. `highlights` are ranges of Unicode scalars; `users` names the people.
export function messageLink(message, { users = {}, highlights = [] } = {}) {
  const sender = users[message.senderId] ?? store.state.users.get(message.senderId);
  const isMine = message.senderId === store.state.me?.id;
  const place = placeWords(message, isMine);
  return h(
    'a', { class: 'row', href: messageAddress(message) },
    avatar({ id: message.senderId, name: sender?.displayName, photoURL: sender?.photoURL }),
    h(
      'span', { class: 'row__main' },
      h(
        'span', { class: 'row__line' },
        h('bdi', { class: 'row__title clip' }, isMine ? t('people.you') : nameOf(sender)),
        place ? named(...place, 'row__detail') : null,
        h('time', { class: 'row__meta', datetime: message.timestamp }, formatWhen(message.timestamp))),
      h('span', { class: 'row__detail found__text', dir: 'auto' }, ...highlighted(summaryWords(message), highlights))));
}

// Where two talk, who has written says where it was; of an own message, to whom it went.
function placeWords({ conversationId }, isMine) {
  const isDirect = store.state.conversations.get(conversationId)?.type === 'direct';
  const name = nameOfConversation(store.state, conversationId);
  if (!name || (isDirect && !isMine)) return null;
  return [isDirect ? 'lists.to' : 'lists.in', name];
}

export function messageAddress({ conversationId, id }) {
  return `/conversations/${conversationId}?message=${id}`;
}

/// The text in pieces, with those marked that were looked for. Ranges that do not fit are left out.
function highlighted(text, ranges) {
  if (ranges.length === 0) return [text];
  const signs = Array.from(text);
  const pieces = [];
  let at = 0;
  for (const { start, length } of ranges) {
    if (start < at || start + length > signs.length) continue;
    pieces.push(signs.slice(at, start).join(''), h('mark', { class: 'highlight' }, signs.slice(start, start + length).join('')));
    at = start + length;
  }
  pieces.push(signs.slice(at).join(''));
  return pieces;
}
