// Where messages are written: text that grows, an answer or a change above it, files, mentions, a voice note, a later time.

import { api } from '../../transport/api.js';
import { draftOf, flushDrafts, saveDraft } from '../../store/drafts.js';
import { editUnsent, send } from '../../store/outbox.js';
import { takeMessage } from '../../store/history.js';
import { store } from '../../store/store.js';
import { sayTyping, stopTyping } from '../../store/typing.js';
import { t } from '../../text/catalogue.js';
import { iconButton } from '../components/page.js';
import { attempt } from '../components/tried.js';
import { h, View } from '../element.js';
import { personName } from '../names.js';
import { openEmojiPicker } from './emoji-picker.js';
import { FileTray } from './file-tray.js';
import { MentionList } from './mention-list.js';
import { quoteWords } from './quote.js';
import { chooseTime } from './schedule-dialog.js';
import { canRecord } from './voice-recorder.js';
import { VoiceBar } from './voice-bar.js';

const longest = 10_000;

export class Composer extends View {
  conversationId = null;
  #replyTo = null;
  #editing = null;
  #held = '';

  render() {
    this.classList.add('composer');
    this.dataset.region = '';
    this.text = h('textarea', { class: 'composer__text', rows: '1', 'aria-label': t('conversation.message'), placeholder: t('conversation.placeholder'), dir: 'auto', enterkeyhint: 'send', autocomplete: 'off' });
    this.context = h('div', { class: 'composer__context', hidden: true });
    this.tray = new FileTray(() => this.#show());
    this.mentions = new MentionList(this.text, () => this.#changed());
    this.voice = new VoiceBar({ onSend: (file) => this.#sendVoice(file), onEnd: () => this.#show() });
    this.chooser = h('input', { type: 'file', multiple: true, hidden: true, 'aria-hidden': 'true', tabindex: '-1', on: { change: () => this.#choose() } });
    this.attachButton = iconButton('attach', t('conversation.attach'), () => this.chooser.click());
    this.emojiButton = iconButton('emoji', t('conversation.emoji'), () => this.#openEmoji());
    this.voiceButton = iconButton('mic', t('conversation.record'), attempt(() => this.voice.start()));
    this.laterButton = iconButton('clock', t('conversation.sendLater'), attempt(() => this.#sendLater()));
    this.sendButton = iconButton('send', t('conversation.send'), () => this.submit(), { kind: 'primary' });
    this.line = h('div', { class: 'composer__line' }, this.attachButton, h('div', { class: 'composer__field' }, this.text, this.emojiButton), this.laterButton, this.voiceButton, this.sendButton);
    this.append(this.mentions.node, this.context, this.tray.node, this.voice.node, this.line, this.chooser);
  }

  connected() {
    this.#open();
    this.listen(this.text, 'input', () => this.#changed());
    this.listen(this.text, 'keydown', (event) => this.#onKey(event));
    this.listen(this.text, 'paste', (event) => this.#paste(event));
    this.listen(this.text, 'blur', () => stopTyping(this.conversationId));
    this.watch(store, (state) => state.conversations.get(this.conversationId)?.me.draftUpdatedAt, () => this.#takeDraft());
  }

  disconnected() {
    stopTyping(this.conversationId);
    this.voice.cancel();
    flushDrafts();
  }

  #open() {
    this.mentions.conversationId = this.conversationId;
    const draft = draftOf(this.conversationId);
    this.#replyTo = draft.replyTo ?? null;
    this.mentions.chosen = draft.mentions ?? [];
    this.#setText(draft.text);
    this.#showContext();
  }

  // Another device has written on; what is being written here comes first.
  #takeDraft() {
    if (document.activeElement === this.text || this.#editing || this.text.value !== '') return;
    this.#setText(draftOf(this.conversationId).text);
  }

  focusText() {
    this.text.focus({ preventScroll: true });
  }

  answer(message) {
    this.#editing = null;
    this.#replyTo = { id: message.id, seq: message.seq, senderId: message.senderId, text: message.text?.slice(0, 300) ?? null, attachments: message.attachments?.map(({ kind }) => kind) };
    this.#showContext();
    this.#save();
    this.focusText();
  }

  edit(message) {
    if (!this.#editing) this.#held = this.text.value;
    this.#editing = message;
    this.#replyTo = null;
    this.#setText(message.text ?? '');
    this.#showContext();
    this.focusText();
  }

  /// Adds files that were dropped on the conversation.
  addFiles(files) {
    this.tray.add([...files]);
    this.focusText();
  }

  /// Whether there is what a draft does not keep.
  get isUnsaved() {
    return this.#editing !== null || this.tray.files.length > 0 || this.tray.isBusy || this.voice.isRecording;
  }

  get isEmpty() {
    return this.text.value.trim() === '' && this.tray.files.length === 0;
  }

  submit() {
    if (this.isEmpty || this.tray.isBusy) return;
    const text = this.text.value;
    if ([...text].length > longest) return void this.sendButton.dispatchEvent(new CustomEvent('toolong', { bubbles: true }));
    if (this.#editing) return this.#submitEdit(text);
    send(this.conversationId, { text: text.trim() === '' ? '' : text.trim(), files: this.tray.take(), replyTo: this.#replyTo, mentions: this.mentions.used(text) });
    stopTyping(this.conversationId, { isSent: true });
    this.#reset();
    this.dispatchEvent(new CustomEvent('sent', { bubbles: true }));
  }

  #submitEdit(text) {
    const message = this.#editing;
    const changed = text.trim();
    this.cancel();
    if (changed === message.text || changed === '') return;
    if (editUnsent(message.conversationId, message.id, changed)) return;
    attempt(async () => {
      const { body } = await api.patch(`/v1/conversations/${message.conversationId}/messages/${message.id}`, { text: changed });
      takeMessage(body);
    })();
  }

  #sendVoice(file) {
    send(this.conversationId, { files: [file], replyTo: this.#replyTo });
    this.#replyTo = null;
    this.#showContext();
    this.dispatchEvent(new CustomEvent('sent', { bubbles: true }));
  }

  async #sendLater() {
    const text = this.text.value.trim();
    if (text === '') return;
    const isDone = await chooseTime({ conversationId: this.conversationId, text, replyTo: this.#replyTo, mentions: this.mentions.used(text) });
    if (isDone) this.#reset();
  }

  #reset() {
    this.#replyTo = null;
    this.mentions.chosen = [];
    this.#setText('');
    this.#showContext();
    this.#save();
    // After Enter it is there already: to set it anew would lay the page out before the bubble is in it.
    if (document.activeElement !== this.text) this.focusText();
  }

  /// Gives up an answer or a change; true where there was one.
  cancel() {
    if (!this.#replyTo && !this.#editing) return false;
    if (this.#editing) this.#setText(this.#held);
    this.#held = '';
    this.#editing = null;
    this.#replyTo = null;
    this.#showContext();
    this.#save();
    return true;
  }

  #setText(text) {
    this.text.value = text;
    this.mentions.close();
    this.#show();
  }

  #changed() {
    this.mentions.update();
    this.#show();
    if (this.#editing) return;
    this.#save();
    if (this.text.value.trim() !== '') sayTyping(this.conversationId);
    else stopTyping(this.conversationId);
  }

  #save() {
    if (!this.#editing) saveDraft(this.conversationId, { text: this.text.value, replyTo: this.#replyTo, mentions: this.mentions.chosen });
  }

  #show() {
    const hasText = this.text.value.trim() !== '';
    const isRecording = this.voice.isRecording;
    this.line.hidden = isRecording;
    this.sendButton.setAttribute('aria-disabled', String(this.isEmpty || this.tray.isBusy));
    this.voiceButton.hidden = !canRecord() || !this.isEmpty || this.#editing !== null;
    this.laterButton.hidden = !hasText || this.#editing !== null || this.tray.files.length > 0;
    this.attachButton.hidden = this.#editing !== null;
    if (CSS.supports('field-sizing', 'content')) return;
    this.text.style.setProperty('height', 'auto');
    this.text.style.setProperty('height', `${Math.min(this.text.scrollHeight, 160)}px`);
  }

  #showContext() {
    const about = this.#editing ?? this.#replyTo;
    this.context.hidden = !about;
    this.#show();
    if (!about) return this.context.replaceChildren();
    const title = this.#editing ? t('conversation.editing') : t('conversation.answerTo', { name: personName(store.state, about.senderId) });
    const close = iconButton('close', t('action.cancel'), () => {
      this.cancel();
      this.focusText();
    });
    this.context.replaceChildren(h('div', { class: 'composer__quote' }, h('strong', {}, title), h('span', { class: 'clip', dir: 'auto' }, quoteWords(about))), close);
  }

  #onKey(event) {
    // Enter that ends the writing of a word (Chinese, Japanese, Korean …) sends nothing.
    if (event.isComposing || event.keyCode === 229) return;
    if (this.mentions.onKey(event)) return;
    const isTouch = matchMedia('(hover: none) and (pointer: coarse)').matches;
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey && (!isTouch || event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.submit();
    } else if (event.key === 'Escape' && this.cancel()) {
      event.preventDefault();
    } else if (event.key === 'ArrowUp' && this.text.value === '' && !this.#editing) {
      event.preventDefault();
      this.dispatchEvent(new CustomEvent('editlast', { bubbles: true }));
    }
  }

  #paste(event) {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    this.addFiles(files);
  }

  #choose() {
    this.addFiles(this.chooser.files);
    this.chooser.value = '';
  }

  #openEmoji() {
    openEmojiPicker(this.emojiButton, { label: t('conversation.emoji'), onChoose: (emoji) => {
      this.focusText();
      this.text.setRangeText(emoji, this.text.selectionStart, this.text.selectionEnd, 'end');
      this.#changed();
    } });
  }
}

customElements.define('parley-composer', Composer);
