// The list of conversations: searched and filtered here, the newest first, as far down as somebody looks.

import { store } from '../../store/store.js';
import { t } from '../../text/catalogue.js';
import { searchField } from '../components/field.js';
import { openMenu } from '../components/menu.js';
import { empty, iconButton } from '../components/page.js';
import { h, keyed, View } from '../element.js';
import { onceAfterFrame } from '../idle.js';
import { conversationName } from '../names.js';
import { navigate, observeRoute } from '../router.js';
import { chatMenu } from './chat-menu.js';
import { chatRow, updateChatRow } from './chat-row.js';
import { moveFocus } from '../roving.js';

const filters = ['all', 'unread', 'groups', 'direct', 'archived'];
// What fills the window is drawn first, and the rest once that is on the screen. Of the whole window, as the browser would lay
// out the page to know the part inside.
const rowHeight = 68;
const firstRows = () => Math.ceil((outerHeight || innerHeight) / rowHeight);
const moreRows = 40;

export default class ChatsScreen extends View {
  static pane = 'list';
  static title = () => t('chats.title');
  #filter = 'all';
  #rows = firstRows();
  #isScheduled = false;
  #current = null;
  // Beside an open conversation, what has changed shows there first.
  #updateAfterFrame = onceAfterFrame(() => this.isConnected && this.update());

  render() {
    this.classList.add('page', 'chats');
    this.search = searchField({ placeholder: t('field.search'), onInput: () => this.#begin() });
    this.chips = filters.map((name) => h('button', { type: 'button', class: 'chip', on: { click: () => this.#choose(name) } }, t(`chats.filter.${name}`)));
    this.list = h('ul', { class: 'chats__rows', 'aria-label': t('chats.list') });
    this.foot = h('div', { class: 'chats__foot' });
    this.box = h('div', { class: 'chats__list' }, this.list, this.foot);
    const more = iconButton('more', t('action.more'), () => this.#openMenu(more));
    this.append(
      h('header', { class: 'page__header' }, h('h1', { class: 'page__title clip', tabindex: '-1' }, t('chats.title')),
        iconButton('group', t('people.newGroup'), () => navigate('/group/new')), more),
      h('div', { class: 'page__tools' }, this.search, h('div', { class: 'chats__filters', role: 'group', 'aria-label': t('chats.filters') }, this.chips)),
      this.box,
    );
    this.list.addEventListener('keydown', (event) => moveFocus(event, this.list, '.row'));
    this.list.addEventListener('contextmenu', (event) => this.#openRowMenu(event));
  }

  connected() {
    this.watch(store, (state) => state.revision, () => (this.#current === null ? this.#schedule() : this.#updateAfterFrame()));
    this.untilDisconnected(observeRoute(({ params }) => this.#follow(params.id ?? null)));
    this.observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && this.#showMore(), { root: this.box, rootMargin: '600px' });
    this.untilDisconnected(() => this.observer.disconnect());
    this.shown = 0;
  }

  update() {
    this.#isScheduled = false;
    const { state } = store;
    this.chips.forEach((chip, index) => chip.setAttribute('aria-pressed', String(filters[index] === this.#filter)));
    const ids = this.#ids(state);
    const hasChanged = ids.length !== this.shown || this.#rows !== this.drawn;
    this.shown = ids.length;
    this.drawn = this.#rows;
    const rows = ids.slice(0, this.#rows);
    const isFirst = this.#rows === firstRows();
    keyed(this.list, rows, (id) => id, (id) => chatRow(id, { isFirst }), (row, id) => updateChatRow(row, state, id, this.#current));
    this.#showFoot(state, ids.length);
    if (hasChanged && rows.length < ids.length) this.#askForMore();
    const focusable = this.list.querySelector('[aria-current]') ?? this.list.querySelector('.row');
    for (const row of this.list.querySelectorAll('.row')) {
      const index = row === focusable ? 0 : -1;
      if (row.getAttribute('tabindex') !== String(index)) row.tabIndex = index;
    }
  }

  #follow(id) {
    if (id === this.#current) return;
    this.#current = id;
    if (id === null) this.#schedule();
    else this.#updateAfterFrame();
  }

  // Many changes come at once, and one look is enough for them.
  #schedule() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => this.isConnected && this.update());
  }

  #ids(state) {
    const words = this.search.input.value.trim().toLocaleLowerCase();
    return (state.order ?? []).filter((id) => {
      const conversation = state.conversations.get(id);
      if (!conversation) return false;
      if (words !== '') return conversationName(state, conversation).toLocaleLowerCase().includes(words);
      return passes(this.#filter, conversation);
    });
  }

  #choose(name) {
    this.#filter = name;
    this.#begin();
  }

  #begin() {
    this.#rows = firstRows();
    this.box.scrollTop = 0;
    this.update();
  }

  // The observer tells of changes alone: asked anew, it tells whether the end is near once these rows are on the screen.
  #askForMore() {
    this.observer.unobserve(this.foot);
    this.observer.observe(this.foot);
  }

  #showMore() {
    if (this.#rows >= this.shown) return;
    this.#rows += moreRows;
    this.update();
  }

  #showFoot(state, count) {
    const isWaiting = count === 0 && !state.isUpToDate && state.conversations.size === 0;
    const key = count > 0 ? 'some' : isWaiting ? 'waiting' : this.search.input.value.trim() ? 'notFound' : this.#filter;
    if (this.foot.dataset.key === key) return;
    this.foot.dataset.key = key;
    this.foot.replaceChildren(...(key === 'some' ? [] : [key === 'waiting' ? h('div', { class: 'spinner', role: 'status', 'aria-label': t('connection.connecting') }) : this.#nothing(key)]));
  }

  #nothing(key) {
    if (key === 'notFound') {
      const query = encodeURIComponent(this.search.input.value.trim());
      return empty({ icon: 'search', title: t('chats.notFound'), action: h('a', { class: 'button button--quiet', href: `/search?q=${query}` }, t('chats.searchMessages')) });
    }
    const isAll = key === 'all';
    return empty({
      icon: 'chats', title: t(`chats.none.${key}`), hint: isAll ? t('chats.noneHint') : null,
      action: isAll ? h('a', { class: 'button button--primary', href: '/people' }, t('chats.find')) : null,
    });
  }

  #openMenu(anchor) {
    openMenu(anchor, [
      { label: t('chats.searchMessages'), icon: 'search', run: () => navigate('/search') },
      { label: t('starred.title'), icon: 'star', run: () => navigate('/starred') },
      { label: t('scheduled.title'), icon: 'clock', run: () => navigate('/scheduled') },
    ], { label: t('action.more') });
  }

  #openRowMenu(event) {
    const row = event.target.closest('.chat');
    if (!row) return;
    event.preventDefault();
    const isKey = event.clientX === 0 && event.clientY === 0;
    chatMenu(isKey ? row : { x: event.clientX, y: event.clientY }, row.dataset.id);
  }
}

function passes(filter, { type, unreadCount, me }) {
  if (filter === 'archived') return me.archived;
  if (me.archived) return false;
  if (filter === 'unread') return unreadCount > 0 || me.markedUnread;
  if (filter === 'groups') return type === 'group';
  return filter === 'direct' ? type === 'direct' : true;
}

customElements.define('parley-chats', ChatsScreen);
