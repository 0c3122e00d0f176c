// Choosing an emoji: some that are used much, and a field that takes any other.

import { t } from '../../text/catalogue.js';
import { h } from '../element.js';
import { noteFocus } from '../focus.js';

const groups = [
  '👍 ❤️ 😂 😮 😢 🙏 🎉 🔥',
  '😀 😃 😄 😁 😅 🤣 🙂 😉 😊 😇 🥰 😍 😘 😋 😜 🤪 🤗 🤔 🤨 😐 😏 🙄 😬 😌 😴 🤒 🤕 🤢 🤯 🥳 😎 🤓 😕 😟 😳 🥺 😭 😱 😡 😈 💀 👻 🤖 💩',
  '👋 👌 ✌️ 🤞 🤟 👈 👉 👆 👇 👎 ✊ 👏 🙌 🫶 🤝 💪 🧠 👀 👶 🧑 👩 👨 👵 👴 🙋 🤷 🤦 💃 🏃 👪',
  '❤️ 🧡 💛 💚 💙 💜 🖤 🤍 💔 💯 💥 💫 ✨ ⭐ ✅ ❌ ❓ ❗ ⚠️ 🚀 🎂 🎁 🏆 ⚽ 🎵 📷 📞 💡 🔒 📌 🗓️ ⏰',
  '🐶 🐱 🐭 🐻 🐼 🦊 🦁 🐸 🐵 🐔 🐧 🦉 🦄 🐝 🦋 🐢 🐍 🐙 🐬 🌵 🌲 🌻 🌍 🌙 ☀️ 🌈 ❄️',
  '🍎 🍌 🍓 🍉 🍕 🍔 🍟 🌮 🍣 🍜 🍦 🍰 🍫 ☕ 🍵 🍺 🍷 🥂 🚗 🚲 ✈️ 🏠 🏖️ ⛺',
].map((line) => line.split(' '));

/// Opens the picker at an element. `onChoose(emoji)` is called once; Escape closes.
export function openEmojiPicker(anchor, { label, onChoose }) {
  const giveBack = noteFocus();
  const dialog = h('dialog', { class: 'emoji-picker', 'aria-label': label });
  let chosen = null;
  const choose = (emoji) => {
    chosen = emoji;
    dialog.close();
  };
  const any = h('input', { class: 'input', type: 'text', 'aria-label': t('conversation.anyEmoji'), placeholder: t('conversation.anyEmoji'), autocomplete: 'off', maxlength: '32' });
  const grid = h('div', { class: 'emoji-picker__grid' }, groups.map((emoji) => h('div', { class: 'emoji-picker__group' }, emoji.map((one) => emojiButton(one, choose)))));
  any.addEventListener('input', () => {
    const emoji = firstEmoji(any.value);
    if (emoji) choose(emoji);
  });
  grid.addEventListener('keydown', (event) => moveInGrid(event, grid));
  dialog.append(any, grid);
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  dialog.addEventListener('close', () => {
    dialog.remove();
    giveBack();
    // What is done with it may put the focus elsewhere.
    if (chosen) onChoose(chosen);
  });
  document.body.append(dialog);
  dialog.showModal();
  place(dialog, anchor);
  grid.querySelector('button').focus();
}

function emojiButton(emoji, choose) {
  return h('button', { type: 'button', class: 'emoji-picker__emoji', 'aria-label': emoji, on: { click: () => choose(emoji) } }, emoji);
}

function moveInGrid(event, grid) {
  const buttons = [...grid.querySelectorAll('button')];
  const at = buttons.indexOf(document.activeElement);
  // As many as there is room for.
  const columns = getComputedStyle(grid.firstChild).gridTemplateColumns.split(' ').length;
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
  if (at < 0 || !step) return;
  event.preventDefault();
  const turned = document.documentElement.dir === 'rtl' && Math.abs(step) === 1 ? -step : step;
  buttons[Math.min(Math.max(at + turned, 0), buttons.length - 1)].focus();
}

function firstEmoji(text) {
  const [first] = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text.trim());
  return first && /\p{Emoji_Presentation}|\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u.test(first.segment) ? first.segment : null;
}

function place(dialog, anchor) {
  const box = anchor.getBoundingClientRect();
  const size = dialog.getBoundingClientRect();
  const clamp = (value, most) => Math.max(8, Math.min(value, most));
  dialog.style.setProperty('left', `${clamp(box.left + box.width / 2 - size.width / 2, innerWidth - size.width - 8)}px`);
  const above = box.top - size.height - 8;
  dialog.style.setProperty('top', `${clamp(above > 8 ? above : box.bottom + 8, innerHeight - size.height - 8)}px`);
}
