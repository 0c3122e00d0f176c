// The frame of all screens: navigation, one pane on phones and two on wide windows, and words for a connection that is lost or slow.

import { showTitle } from './attention.js';
import { h, View } from './element.js';
import { keepWithAddress, keptWithAddress, navigate, observeRoute, routeOf } from './router.js';
import { drawn } from '../store/drawn.js';
import { store } from '../store/store.js';
import { checkVersion } from '../store/version.js';
import { t, formatNumber } from '../text/catalogue.js';
import { icon } from './components/icon.js';
import { startKeys } from './keyboard.js';
import { watchTime } from './passing-time.js';

// `own` are the paths of the screens that belong to an entry alone.
const entries = [
  { path: '/', own: /^\/(conversations\/.*)?$/, key: 'chats', icon: 'chats' },
  { path: '/people', own: /^\/people/, key: 'people', icon: 'people' },
  { path: '/profile', own: /^\/profile/, key: 'profile', icon: 'person' },
];

class Shell extends View {
  #route = null;
  #turn = 0;
  #current = entries[0];

  render() {
    this.className = 'shell';
    this.links = entries.map((entry) => navigationLink(entry));
    this.nav = h('nav', { class: 'shell__nav', 'aria-label': t('shell.navigation') }, this.links);
    this.list = h('section', { class: 'shell__list' });
    this.detail = h('div', { class: 'shell__detail', id: 'detail', tabindex: '-1' });
    // One landmark around both: on phones either may be all that is shown.
    this.panes = h('main', { class: 'shell__panes' }, this.list, this.detail);
    this.notice = h('p', { class: 'shell__notice', role: 'status' });
    this.append(
      h('a', { class: 'skip-link', href: '#detail', on: { click: (event) => this.#skip(event) } }, t('shell.skip')),
      this.nav, this.panes, this.notice,
    );
  }

  connected() {
    this.untilDisconnected(observeRoute((route) => this.#follow(route)));
    this.watch(store, (state) => state.session, () => this.#follow(this.#route));
    this.watch(store, (state) => state.me?.needsOnboarding, () => this.#follow(this.#route));
    this.watch(store, (state) => `${state.connection} ${state.isSlow} ${state.session} ${state.newVersion}`);
    this.watch(store, (state) => state.totalUnreadUnmuted);
    this.watch(store, (state) => state.session === 'open' && state.isUpToDate && state.connection === 'online');
    startKeys(this);
    this.untilDisconnected(watchTime());
  }

  update() {
    const { session, connection, isUpToDate, totalUnreadUnmuted } = store.state;
    // All that has happened is shown, and what happens comes: for styles, and for tests to wait for.
    this.toggleAttribute('data-live', session === 'open' && isUpToDate && connection === 'online');
    const words = noticeWords(store.state);
    if (this.notice.textContent !== words) this.notice.textContent = words;
    this.notice.hidden = words === '';
    const badge = this.links[0].querySelector('.badge');
    badge.textContent = totalUnreadUnmuted === 0 ? '' : totalUnreadUnmuted > 99 ? '99+' : formatNumber(totalUnreadUnmuted);
    badge.hidden = totalUnreadUnmuted === 0;
    this.links[0].setAttribute('aria-description', totalUnreadUnmuted > 0 ? t('chats.unread', { count: totalUnreadUnmuted }) : '');
  }

  async #follow(route) {
    if (!route) return;
    this.#route = route;
    const turn = (this.#turn += 1);
    const Screen = route.Screen ?? (await loadScreen(route));
    if (turn !== this.#turn || !Screen) return;
    const { session, me } = store.state;
    const isStranger = session !== 'open';
    if (isStranger && !Screen.open) return this.#turnAway(session, route);
    if (!isStranger && Screen.forStrangers) return navigate('/', { replace: true });
    if (!isStranger && me?.needsOnboarding && !Screen.open && route.path !== '/welcome') return navigate('/welcome', { replace: true });
    this.#show(Screen, route, turn);
  }

  // Where it is not known yet who this is, nothing is shown for that moment.
  #turnAway(session, route) {
    if (session === 'unknown') return;
    const address = route.query.size > 0 ? `${route.path}?${route.query}` : route.path;
    const destination = address === '/' ? '' : `?to=${encodeURIComponent(address)}`;
    navigate(`/sign-in${destination}`, { replace: true });
  }

  async #show(Screen, route, turn) {
    const pane = Screen.pane ?? 'detail';
    let placed = null;
    this.dataset.pane = pane;
    showTitle(Screen.title ? `${Screen.title()} · Parley` : 'Parley');
    if (pane === 'alone') this.list.replaceChildren();
    else if (pane === 'list') placed = this.#place(this.list, Screen, route);
    else if (!this.list.firstElementChild || route.pattern === '/conversations/:id') await this.#showChats();
    // The person may have gone on while the list came.
    if (turn !== this.#turn) return;
    if (pane === 'list') this.#showBeside(Screen);
    else placed = this.#place(this.detail, Screen, route);
    if (pane !== 'alone') this.#markCurrent(route.path);
    if (placed) this.#focus(placed);
  }

  // Once it is drawn: before, the page's styles would be worked out twice. What has taken the focus meanwhile keeps it.
  async #focus(screen) {
    const before = document.activeElement;
    await drawn();
    // It may have another place for it, and takes it there now.
    if (screen.focusesItself) await drawn();
    const { activeElement } = document;
    const isFree = !activeElement || activeElement === document.body || activeElement === before;
    if (isFree && !screen.contains(activeElement)) screen.querySelector('h1')?.focus({ preventScroll: true });
  }

  async #showChats() {
    const chats = routeOf('/');
    const Chats = chats.Screen ?? (await loadScreen(chats));
    if (Chats && !(this.list.firstElementChild instanceof Chats)) this.#fill(this.list, screenOf(Chats, chats));
  }

  // The region of the list is called what it shows.
  #fill(pane, screen) {
    if (pane === this.list) pane.setAttribute('aria-label', (screen.constructor.regionName ?? screen.constructor.title)());
    pane.replaceChildren(screen);
  }

  // A screen that is there already is told of its new parameters, where it can take them. Returns one that is new and that
  // focus belongs to.
  #place(pane, Screen, route) {
    const present = pane.firstElementChild;
    const isSame = present instanceof Screen;
    // Only who this is has become known: what is being typed stays, and a token of the address is taken but once.
    if (isSame && present.route === route) return null;
    if (isSame && present.routeChanged?.(route.params, route.query)) return null;
    if (isSame && present.path === route.path && pane === this.list) return null;
    const screen = screenOf(Screen, route);
    const hadFocus = !document.activeElement || document.activeElement === document.body || pane.contains(document.activeElement) || present;
    this.#fill(pane, screen);
    return hadFocus ? screen : null;
  }

  // Who searches beside an open conversation has it before the eyes meanwhile. On a phone it would be open unseen.
  #showBeside(Screen) {
    const isOpen = this.detail.firstElementChild?.constructor.pane === 'detail';
    if (isOpen && Screen.keepsDetail && matchMedia('(min-width: 56rem)').matches) return;
    this.detail.replaceChildren(h('div', { class: 'shell__nothing' }, icon('chats'), h('p', {}, t('shell.choose'))));
  }

  // A screen that several entries lead to, such as a new group, leaves that one marked which it was opened from: also after
  // a reload, or on the way back to it.
  #markCurrent(path) {
    const owner = entries.find(({ own }) => own.test(path));
    this.#current = owner ?? entries.find(({ key }) => key === keptWithAddress('entry')) ?? this.#current;
    if (!owner) keepWithAddress('entry', this.#current.key);
    this.links.forEach((link, index) => {
      if (entries[index] === this.#current) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    });
  }

  #skip(event) {
    event.preventDefault();
    this.detail.focus();
  }
}

function noticeWords({ session, connection, isSlow, newVersion }) {
  if (session === 'open' && connection !== 'online') return t(`connection.${connection}`);
  if (isSlow) return t('connection.slow');
  return newVersion ? t('shell.outdated') : '';
}

async function loadScreen(route) {
  try {
    return await route.load();
  } catch (error) {
    // The server may have another page by now, or be gone: what is shown stays.
    reportError(error);
    checkVersion();
    return null;
  }
}

function screenOf(Screen, route) {
  const screen = new Screen();
  screen.route = route;
  screen.params = route.params;
  screen.query = route.query;
  screen.path = route.path;
  return screen;
}

function navigationLink({ path, key, icon: name }) {
  const badge = h('span', { class: 'badge', 'aria-hidden': 'true', hidden: true });
  return h('a', { href: path, class: 'shell__link', 'aria-label': t(`shell.${key}`) },
    h('span', { class: 'shell__icon' }, icon(name), badge), h('span', { class: 'shell__word', 'aria-hidden': 'true' }, t(`shell.${key}`)));
}

customElements.define('parley-shell', Shell);
