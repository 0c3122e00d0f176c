// A photo over the whole screen, with the message's words below it: arrows go to the next one, + and - or a double tap enlarge, Escape closes.

import { formatMoment, t } from '../../text/catalogue.js';
import { store } from '../../store/store.js';
import { iconButton } from '../components/page.js';
import { h } from '../element.js';
import { personName } from '../names.js';
import { sourceOf } from './attachments.js';
import { textOf } from './text.js';

export function openViewer(images, index, message) {
  let at = index;
  let scale = 1;
  const before = document.activeElement;
  const picture = h('img', { class: 'viewer__picture', alt: '', draggable: 'false' });
  const place = h('div', { class: 'viewer__place' }, picture);
  const title = h('p', { class: 'viewer__title' }, h('bdi', {}, personName(store.state, message.senderId)), ` · ${formatMoment(message.timestamp)}`);
  const count = h('p', { class: 'viewer__count', role: 'status' });
  const download = h('a', { class: 'button button--icon', 'aria-label': t('conversation.download'), download: '' });
  download.append(iconOf('download'));
  const caption = message.text ? h('div', { class: 'viewer__caption', id: 'viewer-caption' }, textOf(message, store.state).node) : null;
  const dialog = h('dialog', { class: 'viewer', 'aria-label': t('kind.photo'), 'aria-describedby': caption?.id });
  const show = () => {
    const image = images[at];
    picture.src = sourceOf(image);
    picture.alt = image.name ?? t('kind.photo');
    download.href = sourceOf(image);
    download.download = image.name ?? 'photo.jpg';
    count.textContent = images.length > 1 ? t('conversation.photoOf', { number: at + 1, total: images.length }) : '';
    zoom(1);
  };
  const step = (by) => {
    at = (at + by + images.length) % images.length;
    show();
  };
  const zoom = (value) => {
    scale = Math.min(Math.max(value, 1), 5);
    picture.style.setProperty('--scale', String(scale));
    place.classList.toggle('viewer__place--large', scale > 1);
  };
  const several = images.length > 1;
  dialog.append(
    h('header', { class: 'viewer__bar' }, title, count, download, iconButton('close', t('action.close'), () => dialog.close())),
    place,
    ...(caption ? [caption] : []),
    ...(several ? [button('viewer__before', 'back', 'conversation.photoBefore', () => step(-1)), button('viewer__after', 'next', 'conversation.photoAfter', () => step(1))] : []),
  );
  dialog.addEventListener('keydown', (event) => {
    const isTurned = document.documentElement.dir === 'rtl';
    const actions = {
      ArrowLeft: () => step(isTurned ? 1 : -1), ArrowRight: () => step(isTurned ? -1 : 1), '+': () => zoom(scale * 1.5), '-': () => zoom(scale / 1.5), 0: () => zoom(1),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  });
  place.addEventListener('dblclick', () => zoom(scale > 1 ? 1 : 2.5));
  place.addEventListener('click', (event) => event.target === place && dialog.close());
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (before?.isConnected) before.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  show();
}

function button(className, name, key, run) {
  const made = iconButton(name, t(key), run);
  made.classList.add('viewer__step', className);
  return made;
}

function iconOf(name) {
  return iconButton(name, '', () => {}).firstElementChild;
}
