// A person's or group's picture: the photo, and until it is there, or where there is none, initials on the person's colour.

import { t } from '../../text/catalogue.js';
import { h } from '../element.js';
import { icon } from './icon.js';

/// `size` is small, medium, large or huge; `presence` the status, or nothing where it is not shown.
export function avatar({ id, name, photoURL, size = 'medium', presence, isGroup = false }) {
  const node = h('span', {});
  updateAvatar(node, { id, name, photoURL, size, presence, isGroup });
  return node;
}

/// Makes an element a picture, or shows in one what is new, and leaves a photo that is the same in its place.
export function updateAvatar(node, { id, name, photoURL, size = 'medium', presence, isGroup = false }) {
  const old = node.querySelector('img');
  const shown = JSON.stringify([id, name, photoURL, size, presence, isGroup]);
  // A photo that could not be loaded is tried again.
  if (node.shown === shown && (old || !photoURL)) return;
  node.shown = shown;
  node.className = `avatar avatar--${size} person-${personColour(id)}`;
  const keeps = old && photoURL && old.dataset.source === photoURL;
  const parts = [face(name, isGroup)];
  if (photoURL) parts.push(keeps ? old : photo(photoURL));
  if (presence === 'online' || presence === 'away') parts.push(presenceDot(presence));
  node.replaceChildren(...parts);
}

/// Initials are drawn, not written: who reads or copies a row finds the name alone.
function face(name, isGroup) {
  const letters = initials(name);
  if (!letters) return icon(isGroup ? 'people' : 'person');
  return h('span', { class: 'avatar__initials', 'aria-hidden': 'true', dataset: { initials: letters } });
}

/// A number from 0 to 7, the same on every device: names in groups have this colour, too.
export function personColour(id) {
  let sum = 0;
  for (const character of String(id ?? '')) sum = (sum * 31 + character.codePointAt(0)) >>> 0;
  return sum % 8;
}

/// The first letters of the first and the last word.
export function initials(name) {
  const words = String(name ?? '').trim().split(/\s+/).slice(0, 20).filter((word) => /[\p{L}\p{N}\p{Emoji_Presentation}]/u.test(word));
  if (words.length === 0) return '';
  const first = firstSign(words[0]);
  const last = words.length > 1 ? firstSign(words[words.length - 1]) : '';
  return (first + last).toLocaleUpperCase();
}

function firstSign(word) {
  const sign = word.match(/[\p{L}\p{N}\p{Emoji_Presentation}]/u);
  return sign ? sign[0] : '';
}

/// Only paths of this server are loaded, so that a name and a picture from others lead nowhere else.
function photo(url) {
  const image = h('img', { class: 'avatar__image avatar__image--waiting', alt: '', loading: 'lazy', decoding: 'async' });
  image.dataset.source = url;
  image.addEventListener('load', () => image.classList.remove('avatar__image--waiting'));
  image.addEventListener('error', () => image.remove());
  if (isOwnPath(url)) image.src = url;
  return image;
}

export function isOwnPath(url) {
  try {
    return new URL(url, location.origin).origin === location.origin;
  } catch {
    return false;
  }
}

function presenceDot(status) {
  const label = t(status === 'away' ? 'presence.away' : 'presence.online');
  return h('span', { class: `avatar__presence avatar__presence--${status}`, role: 'img', 'aria-label': label });
}
