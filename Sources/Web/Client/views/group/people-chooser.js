// Choosing several people: a search, those who were found, and those who are chosen, who stay while the search goes on.

import { t } from '../../text/catalogue.js';
import { searchField } from '../components/field.js';
import { icon } from '../components/icon.js';
import { empty } from '../components/page.js';
import { PagedList } from '../components/paged-list.js';
import { h, keyed } from '../element.js';
import { findPeople } from '../people/directory.js';
import { nameOf, personContent } from '../people/person-row.js';

export class PeopleChooser {
  /// Those who are chosen, by id, in the order of choosing.
  people = new Map();

  /// `isLeftOut(person)` is true of those who cannot be chosen, such as members.
  constructor({ onChange, isLeftOut = () => false }) {
    this.onChange = onChange;
    this.search = searchField({ placeholder: t('people.searchHint'), onInput: () => this.list.reload() });
    this.chosen = h('div', { class: 'chosen' });
    this.list = new PagedList({
      label: t('people.list'),
      load: async (cursor) => {
        const found = await findPeople(this.search.input.value.trim(), cursor);
        return { ...found, items: found.items.filter((person) => !isLeftOut(person)) };
      },
      make: (person) => this.row(person),
      nameOf,
      empty: () => empty({ icon: 'people', title: t('people.none'), hint: t('people.noneHint') }),
    });
    this.node = this.list.node;
  }

  reload() {
    return this.list.reload();
  }

  row(person) {
    const box = h('input', { type: 'checkbox', class: 'check-mark', checked: this.people.has(person.id), 'aria-label': nameOf(person), dataset: { person: person.id } });
    box.addEventListener('change', () => this.choose(person, box.checked));
    return h('label', { class: 'row' }, personContent(person), box);
  }

  choose(person, isChosen) {
    if (isChosen) this.people.set(person.id, person);
    else this.people.delete(person.id);
    for (const box of this.node.querySelectorAll('input')) if (box.dataset.person === person.id) box.checked = isChosen;
    keyed(this.chosen, [...this.people.values()], (each) => each.id, (each) => this.chip(each));
    this.onChange();
  }

  chip(person) {
    const name = nameOf(person);
    const leave = () => {
      this.choose(person, false);
      this.search.input.focus();
    };
    return h('button', { type: 'button', class: 'chip', 'aria-label': t('group.removeChosen', { name }), on: { click: leave } }, h('bdi', { class: 'clip' }, name), icon('close', { small: true }));
  }
}
