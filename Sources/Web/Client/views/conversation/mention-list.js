// Completion of names after an @: arrows choose, Enter and Tab take, Escape closes.

import { store } from '../../store/store.js';
import { t } from '../../text/catalogue.js';
import { avatar } from '../components/avatar.js';
import { h } from '../element.js';
import { loadMembers } from '../group/group-actions.js';
import { personName } from '../names.js';
import { nameOf } from '../people/person-row.js';

const mostSuggestions = 6;

export class MentionList {
  conversationId = null;
  chosen = []; // [{id, words}]
  #members = null; // of a group so large that they are not told with it
  #found = [];
  #at = 0;

  constructor(text, onTake) {
    this.text = text;
    this.onTake = onTake;
    this.node = h('ul', { class: 'mentions', role: 'listbox', id: 'mentions', 'aria-label': t('conversation.mention'), hidden: true });
    text.setAttribute('aria-autocomplete', 'list');
    text.setAttribute('aria-controls', this.node.id);
    for (const type of ['keyup', 'click']) text.addEventListener(type, () => this.#leave());
    text.addEventListener('blur', () => this.close());
  }

  /// Follows the text: offers whom the name that is being written may mean.
  update() {
    const conversation = store.state.conversations.get(this.conversationId);
    const begun = this.#begun();
    this.#found = begun === null || conversation?.type !== 'group' ? [] : this.#candidates(conversation, begun);
    this.#at = 0;
    this.#show();
  }

  #begun() {
    const before = this.text.value.slice(0, this.text.selectionStart);
    const found = /(?:^|[\s(])@([^\s@]{0,30}(?: [^\s@]{0,30})?)$/u.exec(before);
    return found ? found[1] : null;
  }

  #candidates(conversation, begun) {
    const words = begun.toLocaleLowerCase();
    const mayAll = conversation.me.role === 'owner' || conversation.me.role === 'admin';
    const people = this.#people(conversation).filter(({ id }) => id !== store.state.me.id);
    const all = mayAll ? [{ id: '@all', name: 'all' }] : [];
    return [...all, ...people].filter(({ name }) => name.toLocaleLowerCase().split(/\s+/).some((_, index, parts) => parts.slice(index).join(' ').startsWith(words))).slice(0, mostSuggestions);
  }

  #people({ participants }) {
    const { users } = store.state;
    const person = ({ userId: id }) => ({ id, name: personName(store.state, id), photoURL: users.get(id)?.photoURL });
    if (participants) return participants.map(person);
    if (!this.#members) this.#ask();
    return this.#members.map((member) => ({ id: member.userId, name: nameOf(member), photoURL: member.photoURL }));
  }

  // Once, when the first name is begun. Whoever has gone elsewhere meanwhile is offered nobody.
  async #ask() {
    this.#members = [];
    try {
      this.#members = await loadMembers(this.conversationId);
      if (document.activeElement === this.text) this.update();
    } catch {
      this.#members = null;
    }
  }

  #show() {
    this.node.hidden = this.#found.length === 0;
    if (this.node.hidden) this.text.removeAttribute('aria-activedescendant');
    else this.text.setAttribute('aria-activedescendant', `mention-${this.#at}`);
    this.node.replaceChildren(...this.#found.map((person, index) => this.#option(person, index)));
  }

  #option(person, index) {
    const words = person.id === '@all' ? t('conversation.everyone') : person.name;
    const take = (event) => {
      event.preventDefault();
      this.#take(person);
    };
    return h('li', { id: `mention-${index}`, role: 'option', class: 'mentions__person', 'aria-selected': String(index === this.#at), on: { pointerdown: take } },
      avatar({ id: person.id, name: person.id === '@all' ? '' : person.name, photoURL: person.photoURL, size: 'small', isGroup: true }), h('bdi', { class: 'clip' }, words));
  }

  #take({ id, name }) {
    const end = this.text.selectionStart;
    const start = end - this.#begun().length - 1;
    this.text.setRangeText(`@${name} `, start, end, 'end');
    this.chosen = [...this.chosen.filter((one) => one.id !== id), { id, words: `@${name}` }];
    this.close();
    this.onTake();
  }

  close() {
    this.#found = [];
    this.#show();
  }

  // Whoever has gone elsewhere in the text writes no name there.
  #leave() {
    if (this.#found.length > 0 && this.#begun() === null) this.close();
  }

  /// True where the key was one for the list.
  onKey(event) {
    this.#leave();
    if (this.#found.length === 0) return false;
    const count = this.#found.length;
    if (event.key === 'ArrowDown') this.#at = (this.#at + 1) % count;
    else if (event.key === 'ArrowUp') this.#at = (this.#at - 1 + count) % count;
    else if (event.key === 'Escape') this.#found = [];
    else if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey) this.#take(this.#found[this.#at]);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    this.#show();
    return true;
  }

  /// The ids of those whose names are still in the text.
  used(text) {
    return this.chosen.filter(({ words }) => text.includes(words)).map(({ id }) => id);
  }
}
