// Everybody who is here: searched by name or email, and a tap away from a conversation.

import { t } from '../../text/catalogue.js';
import { problemWords, searchField } from '../components/field.js';
import { icon } from '../components/icon.js';
import { empty, page } from '../components/page.js';
import { PagedList } from '../components/paged-list.js';
import { toast } from '../components/toast.js';
import { h, View } from '../element.js';
import { navigate } from '../router.js';
import { findPeople, startDirect } from './directory.js';
import { nameOf, personRow } from './person-row.js';

export default class PeopleScreen extends View {
  static pane = 'list';
  static title = () => t('people.title');

  render() {
    this.search = searchField({ placeholder: t('people.searchHint'), onInput: () => this.list.reload() });
    this.list = new PagedList({
      label: t('people.list'),
      load: (cursor) => findPeople(this.search.input.value.trim(), cursor),
      make: (person) => personRow(person, () => this.talk(person)),
      nameOf,
      empty: () => this.nobody(),
    });
    const newGroup = h('button', { type: 'button', class: 'button button--quiet', on: { click: () => navigate('/group/new') } }, icon('group'), t('people.newGroup'));
    this.append(page({ title: t('people.title'), actions: [newGroup], tools: [this.search], body: [this.list.node] }));
  }

  connected() {
    this.list.reload();
  }

  nobody() {
    const isSearch = this.search.input.value.trim() !== '';
    return empty({
      icon: 'people',
      title: t(isSearch ? 'people.none' : 'people.alone'),
      hint: t(isSearch ? 'people.noneHint' : 'people.aloneHint'),
    });
  }

  async talk(person) {
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      const conversation = await startDirect(person.id);
      navigate(`/conversations/${conversation.id}`);
    } catch (problem) {
      toast(problemWords(problem), { kind: 'error' });
    } finally {
      this.isBusy = false;
    }
  }
}

customElements.define('parley-people', PeopleScreen);
