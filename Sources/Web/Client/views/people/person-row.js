// A person in a list.

import { store } from '../../store/store.js';
import { formatWhen, t } from '../../text/catalogue.js';
import { avatar } from '../components/avatar.js';
import { h } from '../element.js';

/// What a person is called, also without a name, and when erased.
export function nameOf(person) {
  if (person?.erased) return t('person.erased');
  return person?.displayName || t('people.noName');
}

/// What is known of somebody's presence, in words.
export function presenceWords(presence) {
  if (presence?.status === 'online') return t('presence.online');
  if (presence?.status === 'away') return t('presence.away');
  return presence?.lastSeen ? t('presence.lastSeen', { when: formatWhen(presence.lastSeen) }) : '';
}

/// The inside of a row: name or another title, a line below, and the picture, which stands before them to the eye: who listens hears
/// the name first, and the presence after it.
export function personContent(person, { detail, title = nameOf(person), size = 'medium' } = {}) {
  const presence = store.state.presence.get(person.id) ?? person.presence;
  const below = detail ?? (store.state.blocks.has(person.id) ? t('people.blocked') : presenceWords(presence));
  return [
    h(
      'span', { class: 'row__main' },
      h('bdi', { class: 'row__title clip' }, title),
      below ? h('span', { class: 'row__detail clip' }, below) : null),
    avatar({ id: person.id, name: person.displayName, photoURL: person.photoURL, size, presence: presence?.status }),
  ];
}

/// A row that does something with a person.
export function personRow(person, run) {
  return h('button', { type: 'button', class: 'row', on: { click: () => run(person) } }, personContent(person));
}
