// The line of the composer: the text, which grows, and the buttons beside it, of which those show that are of use now.

import { t } from '../../text/catalogue.js';
import { iconButton } from '../components/page.js';
import { h } from '../element.js';
import { canRecord } from './voice-recorder.js';

/// How high the text becomes at most, in pixels.
const tallest = 160;

export class ComposerLine {
  /// What the buttons do.
  constructor({ attach, chooseEmoji, sendLater, record, send }) {
    this.text = h('textarea', {
      class: 'composer__text', rows: '1', 'aria-label': t('conversation.message'), placeholder: t('conversation.placeholder'),
      dir: 'auto', enterkeyhint: 'send', autocomplete: 'off',
    });
    this.attachButton = iconButton('attach', t('conversation.attach'), attach);
    this.emojiButton = iconButton('emoji', t('conversation.emoji'), chooseEmoji);
    this.laterButton = iconButton('clock', t('conversation.sendLater'), sendLater);
    this.voiceButton = iconButton('mic', t('conversation.record'), record);
    this.sendButton = iconButton('send', t('conversation.send'), send, { kind: 'primary' });
    const field = h('div', { class: 'composer__field' }, this.text, this.emojiButton);
    const buttons = [this.laterButton, this.voiceButton, this.sendButton];
    this.node = h('div', { class: 'composer__line' }, this.attachButton, field, ...buttons);
  }

  get hasText() {
    return this.text.value.trim() !== '';
  }

  show({ hasFiles, isBusy, isEditing, isRecording }) {
    const isEmpty = !this.hasText && !hasFiles;
    this.node.hidden = isRecording;
    this.sendButton.setAttribute('aria-disabled', String(isEmpty || isBusy));
    this.voiceButton.hidden = !canRecord() || !isEmpty || isEditing;
    this.laterButton.hidden = !this.hasText || isEditing || hasFiles;
    this.attachButton.hidden = isEditing;
    if (CSS.supports('field-sizing', 'content')) return;
    this.text.style.setProperty('height', 'auto');
    this.text.style.setProperty('height', `${Math.min(this.text.scrollHeight, tallest)}px`);
  }
}
