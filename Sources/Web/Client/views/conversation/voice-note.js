// A voice note: play and pause, a waveform to point into, and the time.

import { formatDuration, t } from '../../text/catalogue.js';
import { icon } from '../components/icon.js';
import { h } from '../element.js';
import { sourceOf } from './file-sources.js';
import { begin, shownOf } from './playing.js';

const bars = 40;

/// The one that was played last goes on in a row that is drawn anew.
export function voiceNote(file, message) {
  const node = shownOf(message.id, file.id);
  if (!node) return newNote(file, message);
  // How far it is on its way up, its row says anew.
  node.querySelector('progress')?.remove();
  return node;
}

function newNote(file, { id: messageId, conversationId }) {
  const audio = new Audio();
  audio.preload = 'none';
  const total = () => (Number.isFinite(audio.duration) && audio.duration > 0 ? audio.duration : (file.durationMs ?? 0) / 1000);
  const button = h('button', { type: 'button', class: 'button button--icon voice__play', tabindex: '-1' });
  const slider = h('input', { type: 'range', class: 'voice__slider', min: '0', max: '1000', value: '0', tabindex: '-1', 'aria-label': t('conversation.voicePosition') });
  const wave = waveform(file.waveform);
  const time = h('span', { class: 'voice__time' }, formatDuration(file.durationMs ?? 0));
  const show = () => {
    const part = total() > 0 ? audio.currentTime / total() : 0;
    slider.value = String(Math.round(part * 1000));
    wave.style.setProperty('--played', `${part * 100}%`);
    time.textContent = formatDuration(1000 * (audio.paused && audio.currentTime === 0 ? total() : audio.currentTime));
  };
  const showButton = () => {
    button.replaceChildren(icon(audio.paused ? 'play' : 'pause'));
    button.setAttribute('aria-label', t(audio.paused ? 'conversation.play' : 'conversation.pause'));
  };
  // What was begun while it was unsent may have ended with its address.
  const load = () => {
    if (!audio.getAttribute('src') || audio.error) audio.src = sourceOf(file);
  };
  const toggle = () => {
    load();
    if (!audio.paused) return audio.pause();
    begin({ messageId, conversationId, fileId: file.id, audio, node });
    return audio.play().catch(showButton);
  };
  button.addEventListener('click', toggle);
  slider.addEventListener('input', () => {
    load();
    audio.currentTime = (Number(slider.value) / 1000) * total();
    show();
  });
  for (const event of ['play', 'pause', 'ended']) audio.addEventListener(event, showButton);
  audio.addEventListener('timeupdate', show);
  audio.addEventListener('ended', () => {
    audio.currentTime = 0;
    show();
  });
  showButton();
  const node = h('div', { class: 'voice', role: 'group', 'aria-label': t('kind.voice'), dataset: { file: file.id } }, button, h('div', { class: 'voice__track' }, wave, slider), time);
  return node;
}

function waveform(levels) {
  const heights = levels?.length > 0 ? resampled(levels) : Array.from({ length: bars }, () => 40);
  return h('div', { class: 'voice__wave', 'aria-hidden': 'true' }, heights.map((height) => h('span', { css: { '--height': `${Math.max(8, Math.round((height / 255) * 100))}%` } })));
}

function resampled(levels) {
  return Array.from({ length: bars }, (_, index) => {
    const from = Math.floor((index * levels.length) / bars);
    const to = Math.max(from + 1, Math.floor(((index + 1) * levels.length) / bars));
    return Math.max(...levels.slice(from, to));
  });
}
