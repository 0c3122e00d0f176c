// Search over everything: conversations and people by name, messages by their words, with filters; or in one conversation.

import { observeDeletions } from '../../store/arrivals.js';
import { store } from '../../store/store.js';
import { t } from '../../text/catalogue.js';
import { api } from '../../transport/api.js';
import { searchField } from '../components/field.js';
import { empty, page, section } from '../components/page.js';
import { PagedList } from '../components/paged-list.js';
import { h, View } from '../element.js';
import { isInOverlay } from '../keyboard.js';
import { messageLink } from '../lists/message-link.js';
import { nameOfConversation, summaryWords } from '../names.js';
import { back, keepWithAddress, keptWithAddress } from '../router.js';
import { NamesFound } from './names-found.js';

export default class SearchScreen extends View {
  static pane = 'list';
  static keepsDetail = true;
  static title = () => t('search.title');
  // Not the field's name, by which the field is found.
  static regionName = () => t('search.results');

  render() {
    this.users = {};
    this.place = this.query.get('conversation');
    this.search = searchField({ placeholder: t(this.place ? 'search.hintHere' : 'search.hint'), onInput: () => this.runSearch() });
    const kept = keptSearch();
    this.search.input.value = kept?.words ?? this.query.get('q') ?? '';
    this.filters = ['search.filterMine', 'search.filterMentions', 'search.filterFiles'].map((key, index) =>
      filterChip(key, () => this.runSearch(), kept?.filters?.[index] === true));
    this.names = new NamesFound();
    this.messages = new PagedList({
      label: t('search.results'),
      load: (cursor) => this.load(cursor),
      keyOf: ({ message }) => message.id,
      make: ({ message, highlights }) => messageLink(message, { users: this.users, highlights }),
      nameOf: ({ message }) => summaryWords(message),
      empty: () => empty({ icon: 'search', title: t('search.none'), hint: t('search.noneHint') }),
    });
    this.found = h('div', {});
    const where = this.place ? h('p', { class: 'field__hint' }, t('search.inConversation', { name: nameOfConversation(store.state, this.place) })) : null;
    this.append(page({
      title: t('search.title'),
      up: this.up,
      tools: [this.search, where, h('div', { class: 'filters' }, this.filters)].filter(Boolean),
      body: [this.found],
    }));
  }

  connected() {
    this.listen(this, 'keydown', (event) => this.enterResults(event));
    this.listen(document, 'keydown', (event) => this.leave(event));
    // Before a link leads away.
    this.listen(this, 'click', () => this.keep(), { capture: true });
    this.untilDisconnected(() => clearTimeout(this.keeping));
    this.untilDisconnected(observeDeletions(({ message }) => this.messages.has(message.id) && this.messages.remove(message.id)));
    this.runSearch();
    this.search.input.focus();
  }

  get up() {
    return this.place ? `/conversations/${this.place}` : '/';
  }

  // Escape goes back to where the search was begun.
  leave(event) {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || isInOverlay(event.target)) return;
    event.preventDefault();
    back(this.up);
  }

  // Down from the words is to what was found.
  enterResults(event) {
    if (event.key !== 'ArrowDown' || event.target !== this.search.input || event.isComposing) return;
    const first = this.found.querySelector('a[href]');
    if (!first) return;
    event.preventDefault();
    first.focus();
  }

  // For who comes back to it: with the history's entry, as words of messages belong in no address. Browsers allow it so often.
  keepSoon() {
    clearTimeout(this.keeping);
    this.keeping = setTimeout(() => this.keep(), 200);
  }

  keep() {
    clearTimeout(this.keeping);
    keepWithAddress('search', { userId: store.state.me?.id, words: this.words(), filters: this.filters.map(isOn) });
  }

  runSearch() {
    this.keepSoon();
    if (!this.isAsking()) return this.found.replaceChildren(empty({ icon: 'search', title: t(this.place ? 'search.startHere' : 'search.start') }));
    this.found.replaceChildren(this.names.node, section({ title: t('search.messages'), children: [this.messages.node] }));
    this.messages.items = [];
    this.messages.show();
    this.messages.reload();
    if (!this.place) this.names.search(this.words());
  }

  /// Words, or a filter that is enough without them.
  isAsking() {
    return this.words() !== '' || this.filters.some(isOn);
  }

  words() {
    return this.search.input.value.trim();
  }

  async load(cursor) {
    const [mine, mentions, files] = this.filters.map(isOn);
    const { body } = await api.post('/v1/search', {
      query: this.words() || null,
      conversationId: this.place ?? null,
      senderId: mine ? store.state.me.id : null,
      mentionsMe: mentions || null,
      hasAttachment: files || null,
      cursor: cursor || null,
    });
    Object.assign(this.users, body.users);
    return body;
  }
}

// The history's entries outlive a session: what somebody else has looked for is not shown.
function keptSearch() {
  const kept = keptWithAddress('search');
  return kept?.userId === store.state.me?.id ? kept : null;
}

function filterChip(key, run, isPressed) {
  const press = (event) => {
    event.currentTarget.setAttribute('aria-pressed', String(!isOn(event.currentTarget)));
    run();
  };
  return h('button', { type: 'button', class: 'chip', 'aria-pressed': String(isPressed), on: { click: press } }, t(key));
}

function isOn(chip) {
  return chip.getAttribute('aria-pressed') === 'true';
}

customElements.define('parley-search', SearchScreen);
