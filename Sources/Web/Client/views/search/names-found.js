// Above the messages that were found: the first few groups and people whose name has the words.

import { t } from '../../text/catalogue.js';
import { api } from '../../transport/api.js';
import { avatar } from '../components/avatar.js';
import { section } from '../components/page.js';
import { attempt } from '../components/tried.js';
import { h } from '../element.js';
import { findPeople, startDirect } from '../people/directory.js';
import { nameOf, personRow } from '../people/person-row.js';
import { navigate } from '../router.js';

const mostNames = 5;

export class NamesFound {
  node = h('div', {});
  #turn = 0;

  /// An answer to an earlier question is not shown any more; without words there is nothing.
  async search(query) {
    const turn = (this.#turn += 1);
    if (!query) return this.node.replaceChildren();
    const [groups, people] = await Promise.all([findGroups(query), findPeople(query).then(({ items }) => items.slice(0, mostNames), () => [])]);
    if (turn !== this.#turn) return;
    this.node.replaceChildren(...[
      named(t('search.conversations'), groups, ({ groupName }) => groupName ?? '', groupRow),
      named(t('people.title'), people, nameOf, (person) => personRow(person, attempt(talk))),
    ].filter(Boolean));
  }
}

async function findGroups(query) {
  try {
    return (await api.get('/v1/conversations', { query: { query, filter: 'groups', limit: mostNames } })).body.items;
  } catch {
    return [];
  }
}

async function talk(person) {
  navigate(`/conversations/${(await startDirect(person.id)).id}`);
}

function named(title, items, nameOfItem, row) {
  if (items.length === 0) return null;
  return section({ title, children: [h('ul', { 'aria-label': title }, items.map((item) => h('li', { 'aria-label': nameOfItem(item) }, row(item))))] });
}

function groupRow({ id, groupName, groupIcon, participantCount }) {
  return h(
    'a', { class: 'row', href: `/conversations/${id}` },
    avatar({ id, name: groupName, photoURL: groupIcon, isGroup: true }),
    h(
      'span', { class: 'row__main' },
      h('bdi', { class: 'row__title clip' }, groupName ?? ''),
      h('span', { class: 'row__detail' }, t('group.members', { count: participantCount }))));
}
