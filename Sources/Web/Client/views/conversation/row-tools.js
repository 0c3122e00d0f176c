// The two buttons beside a message: giving a reaction, and its menu. They are dear to make while rows come by dozens, so a row
// has only their room until somebody comes to it. All others get theirs once the list rests, for those who read it by a screen
// reader or touch it.

import { t } from '../../text/catalogue.js';
import { iconButton } from '../components/page.js';
import { h } from '../element.js';
import { whenIdle } from '../idle.js';
import { openReactions } from './reactions.js';

/// The list rests when nobody has scrolled for this long, in milliseconds.
const restTime = 200;
/// So many rows get theirs at once, the last ones first.
const portion = 8;

/// The room for the tools of a row that is drawn, with them in it where the row has been given them before.
export function toolsOf(row) {
  const place = h('span', { class: 'message__tools' });
  if (row.hasTools) fill(place, row);
  return place;
}

function giveTools(row) {
  if (row.hasTools) return;
  row.hasTools = true;
  const place = row.querySelector('.message__tools');
  if (place) fill(place, row);
}

function fill(place, row) {
  const react = iconButton('emoji', t('conversation.react'), () => openReactions(react, row.entry.message));
  const more = iconButton('more', t('action.more'), () => row.openMenu(more));
  more.setAttribute('aria-haspopup', 'menu');
  for (const button of [react, more]) button.tabIndex = -1;
  const isSent = !row.entry.message.isUnsent;
  place.append(...(isSent ? [react, more] : [more]));
}

export class RowTools {
  #list;
  #timer = null;
  #isAsked = false;

  constructor(list) {
    this.#list = list;
    for (const type of ['pointerover', 'pointerdown', 'focusin']) list.addEventListener(type, ({ target }) => this.#reached(target.closest('.message')));
  }

  #reached(row) {
    if (row) giveTools(row);
  }

  /// Somebody scrolls: nothing is made before that rests.
  postpone() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#ask();
    }, restTime);
  }

  /// There are rows that may have none.
  request() {
    if (this.#timer === null && !this.#isAsked) this.postpone();
  }

  #ask() {
    if (this.#isAsked) return;
    this.#isAsked = true;
    whenIdle(() => this.#make(), { timeout: restTime });
  }

  #make() {
    this.#isAsked = false;
    if (this.#timer !== null) return;
    const places = [...this.#list.querySelectorAll('.message__tools:empty')].slice(-portion);
    for (const place of places) giveTools(place.closest('.message'));
    if (places.length === portion) this.#ask();
  }
}
