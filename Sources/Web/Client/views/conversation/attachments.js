// The files of a message: photos in a grid that has its size before they are there, files with name and size, voice notes.

import { store } from '../../store/store.js';
import { formatBytes, t } from '../../text/catalogue.js';
import { icon } from '../components/icon.js';
import { h } from '../element.js';
import { drawBlurhash } from './blurhash.js';
import { sourceOf } from './file-sources.js';
import { openViewer } from './viewer.js';
import { voiceNote } from './voice-note.js';

const widest = 330;
const tallest = 340;

export function attachmentsOf(message) {
  const images = message.attachments.filter(({ kind }) => kind === 'image');
  const others = message.attachments.filter(({ kind }) => kind !== 'image');
  return h('div', { class: 'attachments' },
    images.length > 0 ? h('div', { class: `photos photos--${Math.min(images.length, 4)}` }, images.map((image, index) => photo(message, images, image, index))) : null,
    others.map((file) => (file.kind === 'audio' ? voiceNote(file, message) : fileLink(file))));
}

// The box has the picture's proportions, so that nothing moves when the picture comes.
function photo(message, images, image, index) {
  const isAlone = images.length === 1;
  const { width, height } = isAlone ? fitted(image) : { width: 1, height: 1 };
  const picture = h('img', { alt: image.name ?? t('kind.photo'), decoding: 'async', loading: 'lazy', draggable: 'false' });
  const button = h('button', {
    type: 'button', class: 'photo', tabindex: '-1', 'aria-label': t('conversation.openPhoto'), dataset: { file: image.id },
    css: isAlone ? { 'aspect-ratio': `${width} / ${height}`, 'inline-size': `${width}px` } : {},
    on: { click: () => openViewer(images, index, message) },
  }, picture);
  if (image.blurhash) button.prepend(drawBlurhash(image.blurhash));
  picture.addEventListener('load', () => button.classList.add('photo--loaded'), { once: true });
  picture.addEventListener('error', () => {
    if (!picture.dataset.again && image.url) retryLater(picture, image);
  });
  picture.src = sourceOf(image);
  return button;
}

function fitted({ width, height }) {
  if (!width || !height) return { width: 240, height: 180 };
  const scale = Math.min(1, widest / width, tallest / height);
  // Very long pictures are cut to something that can be tapped.
  return { width: Math.max(Math.round(width * scale), 120), height: Math.max(Math.round(height * scale), 80) };
}

function retryLater(picture, image) {
  picture.dataset.again = '1';
  const end = store.subscribe((state) => state.connection, (connection) => {
    if (connection !== 'online') return;
    end();
    delete picture.dataset.again;
    picture.src = sourceOf(image);
  });
}

function fileLink(file) {
  const name = file.name || t('kind.file');
  return h('a', { class: 'file', href: sourceOf(file), download: name, tabindex: '-1', dataset: { file: file.id } },
    h('span', { class: 'file__icon' }, icon('file')),
    h('span', { class: 'file__main' }, h('bdi', { class: 'file__name' }, name), h('span', { class: 'file__size' }, formatBytes(file.bytes))));
}

/// Shows how far the files of an unsent message are, for as long as its row is there.
export function updateUploads(row, message) {
  if (message.attachments.length === 0) return;
  row.endUploads?.();
  const show = () => {
    if (!row.isConnected && row.wasConnected) return row.endUploads();
    row.wasConnected = row.isConnected;
    for (const file of message.attachments) showProgress(row, file.id, store.state.uploads.get(file.id));
    return undefined;
  };
  row.endUploads = store.subscribe((state) => message.attachments.map(({ id }) => state.uploads.get(id) ?? '').join(), show);
  show();
}

function showProgress(row, fileId, part) {
  const place = row.querySelector(`[data-file="${fileId}"]`);
  if (!place) return;
  let bar = place.querySelector('progress');
  if (part === undefined) return bar?.remove();
  if (!bar) place.append((bar = h('progress', { class: 'upload', max: '1', 'aria-label': t('conversation.uploading') })));
  bar.value = part;
}
