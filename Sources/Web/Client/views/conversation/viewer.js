// A photo over the whole screen, with the message's words below it: arrows go to the next one, + and - or a double tap enlarge, Escape closes.

import { formatMoment, t } from '../../text/catalogue.js';
import { store } from '../../store/store.js';
import { icon } from '../components/icon.js';
import { iconButton } from '../components/page.js';
import { h } from '../element.js';
import { noteFocus } from '../focus.js';
import { personName } from '../names.js';
import { sourceOf } from './file-sources.js';
import { textOf } from './text.js';

/// Shows the photos of a message, one of them first.
export function openViewer(images, index, message) {
  new Viewer(images, index, message).open();
}

class Viewer {
  #at;
  #scale = 1;

  constructor(images, index, message) {
    this.images = images;
    this.#at = index;
    this.picture = h('img', { class: 'viewer__picture', alt: '', draggable: 'false' });
    this.place = h('div', { class: 'viewer__place' }, this.picture);
    this.count = h('p', { class: 'viewer__count', role: 'status' });
    this.download = h('a', { class: 'button button--icon', 'aria-label': t('conversation.download'), download: '' }, icon('download'));
    const title = h('p', { class: 'viewer__title' }, h('bdi', {}, personName(store.state, message.senderId)), ` · ${formatMoment(message.timestamp)}`);
    const caption = message.text ? h('div', { class: 'viewer__caption', id: 'viewer-caption' }, textOf(message, store.state).node) : null;
    this.dialog = h('dialog', { class: 'viewer', 'aria-label': t('kind.photo'), 'aria-describedby': caption?.id },
      h('header', { class: 'viewer__bar' }, title, this.count, this.download, iconButton('close', t('action.close'), () => this.dialog.close())),
      this.place, caption, ...this.#steps());
    this.dialog.addEventListener('keydown', (event) => this.#onKey(event));
    this.place.addEventListener('dblclick', () => this.#zoom(this.#scale > 1 ? 1 : 2.5));
    this.place.addEventListener('click', (event) => event.target === this.place && this.dialog.close());
  }

  open() {
    const giveBack = noteFocus();
    this.dialog.addEventListener('close', () => {
      this.dialog.remove();
      giveBack();
    });
    document.body.append(this.dialog);
    this.dialog.showModal();
    this.#show();
  }

  // Buttons to the photos before and after, where there are several.
  #steps() {
    if (this.images.length === 1) return [];
    return [
      stepButton('viewer__before', 'back', t('conversation.photoBefore'), () => this.#step(-1)),
      stepButton('viewer__after', 'next', t('conversation.photoAfter'), () => this.#step(1)),
    ];
  }

  #show() {
    const { length } = this.images;
    const image = this.images[this.#at];
    this.picture.src = sourceOf(image);
    this.picture.alt = image.name ?? t('kind.photo');
    this.download.href = sourceOf(image);
    this.download.download = image.name ?? 'photo.jpg';
    this.count.textContent = length > 1 ? t('conversation.photoOf', { number: this.#at + 1, total: length }) : '';
    this.#zoom(1);
  }

  #step(by) {
    this.#at = (this.#at + by + this.images.length) % this.images.length;
    this.#show();
  }

  #zoom(scale) {
    this.#scale = Math.min(Math.max(scale, 1), 5);
    this.picture.style.setProperty('--scale', String(this.#scale));
    this.place.classList.toggle('viewer__place--large', this.#scale > 1);
  }

  #onKey(event) {
    const forward = document.documentElement.dir === 'rtl' ? -1 : 1;
    const actions = {
      ArrowLeft: () => this.#step(-forward), ArrowRight: () => this.#step(forward),
      '+': () => this.#zoom(this.#scale * 1.5), '-': () => this.#zoom(this.#scale / 1.5), 0: () => this.#zoom(1),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }
}

function stepButton(className, name, words, run) {
  const button = iconButton(name, words, run);
  button.classList.add('viewer__step', className);
  return button;
}
