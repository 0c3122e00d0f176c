// Where messages are written: text that grows, an answer or a change above it, files, mentions, a voice note, a later time.

import { draftOf, editingOf, endDraft, flushDrafts, saveDraft, wasSent } from '../../store/drafts.js';
import { edit, send } from '../../store/outbox.js';
import { store } from '../../store/store.js';
import { fetchConversation } from '../../store/one-conversation.js';
import { sayTyping, stopTyping } from '../../store/typing.js';
import { t } from '../../text/catalogue.js';
import { confirmDialog } from '../components/dialog.js';
import { attempt } from '../components/tried.js';
import { h, View } from '../element.js';
import { answered, changed, contextOf, wordsNow } from './composer-context.js';
import { ComposerLine } from './composer-line.js';
import { Composition } from './composition.js';
import { openEmojiPicker } from './emoji-picker.js';
import { acceptPastes, fileChooser } from './file-inputs.js';
import { FileTray } from './file-tray.js';
import { MentionList } from './mention-list.js';
import { chooseTime } from './schedule-dialog.js';
import { VoiceBar } from './voice-bar.js';
import { keepTray, takeTray } from './waiting-trays.js';

const longestMessage = 10_000;

export class Composer extends View {
  conversationId = null;

  render() {
    this.classList.add('composer');
    this.dataset.region = '';
    this.line = new ComposerLine({
      attach: () => this.chooser.click(),
      chooseEmoji: () => this.#openEmoji(),
      sendLater: attempt(() => this.#sendLater()),
      record: attempt(() => this.voice.start()),
      send: () => this.submit(),
    });
    this.text = this.line.text;
    this.composition = new Composition(this.text);
    this.context = h('div', { class: 'composer__context', hidden: true });
    this.tray = new FileTray(() => this.#show());
    this.mentions = new MentionList(this.text, () => this.#changed());
    this.voice = new VoiceBar({ onSend: (file) => this.#sendVoice(file), onEnd: () => this.#show(), after: this.text });
    this.chooser = fileChooser((files) => this.addFiles(files));
    acceptPastes(this.text, (files) => this.addFiles(files));
    this.append(this.mentions.node, this.context, this.tray.node, this.voice.node, this.line.node, this.chooser);
  }

  connected() {
    this.#open();
    this.listen(this.text, 'input', () => this.#changed());
    this.listen(this.text, 'keydown', (event) => this.#onKey(event));
    this.listen(this.text, 'blur', () => stopTyping(this.conversationId));
    this.watch(store, (state) => state.timelines.get(this.conversationId), () => this.#takeDraft());
    this.watch(store, () => wordsNow(this.conversationId, this.composition.replyTo), () => this.#showContext());
    this.watch(store, (state) => `${state.conversations.get(this.conversationId)?.me.draftUpdatedAt} ${state.drafts.get(this.conversationId)?.updatedAt}`, () => this.#takeDraft());
    this.watch(store, (state) => state.connection, (connection) => connection === 'online' && this.#askForDraft());
  }

  disconnected() {
    stopTyping(this.conversationId);
    this.voice.cancel();
    keepTray(this.conversationId, this.tray);
    flushDrafts();
  }

  #open() {
    this.mentions.conversationId = this.conversationId;
    this.#takeTray(takeTray(this.conversationId) ?? this.tray);
    this.takeUpDraft();
    this.#askForDraft();
  }

  #takeTray(tray) {
    if (tray !== this.tray) this.tray.node.replaceWith(tray.node);
    this.tray = tray;
    this.tray.onChange = () => this.#show();
    this.tray.onLastLeft = () => this.line.attachButton.focus();
  }

  // It may have been sent elsewhere while nobody was here, or there was no network: nobody tells of it then.
  #askForDraft() {
    if (this.text.value !== '') fetchConversation(this.conversationId).catch(() => {});
  }

  /// Shows what is kept of what was being written, as also when a change of a message was refused.
  takeUpDraft() {
    if (this.composition.editing) return;
    const draft = draftOf(this.conversationId);
    this.mentions.chosen = draft.mentions ?? [];
    this.#take({ text: draft.text, isTyped: false, replyTo: draft.replyTo ?? null });
    if (draft.editing) this.composition.beginEdit(draft.editing.message, draft.editing.text);
    this.#showContext();
  }

  // Another device or tab has written on, or sent it. What was typed here goes only where nothing of it is lost.
  #takeDraft() {
    const { text } = draftOf(this.conversationId);
    const present = this.composition.message;
    if (text === present.text) return;
    if (present.isTyped && (text !== '' || !wasSent(this.conversationId, present.text))) return;
    this.#take({ ...present, text, isTyped: false });
  }

  #take(message) {
    this.composition.message = message;
    if (!this.composition.editing) this.mentions.close();
    this.#show();
  }

  focusText() {
    if (this.voice.isRecording) this.voice.focus();
    else this.text.focus({ preventScroll: true });
  }

  async answer(message) {
    if (!(await this.#mayEndEdit())) return;
    this.#endEdit();
    this.composition.replyTo = answered(message);
    this.#showContext();
    this.#save();
    this.focusText();
  }

  /// A change that was refused, to be mended.
  editAgain(row) {
    const { message, text } = editingOf(row);
    this.#change(message, text);
  }

  /// Whether nobody is writing anything here.
  get isFree() {
    return this.isEmpty && !this.composition.editing && !this.composition.replyTo;
  }

  edit(message) {
    if (this.composition.editing?.id === message.id) this.focusText();
    else this.#change(changed(message), message.text ?? '');
  }

  // What was typed into the change of another message goes only where somebody says so.
  async #mayEndEdit() {
    if (!this.composition.isEditChanged) return true;
    const isMeant = await confirmDialog({ title: t('conversation.discardEdit'), action: t('conversation.discardEditAction'), danger: true });
    if (!isMeant) this.focusText();
    return isMeant;
  }

  async #change(message, text) {
    if (!(await this.#mayEndEdit())) return;
    this.composition.beginEdit(message, text);
    this.mentions.close();
    this.#showContext();
    this.#save();
    this.focusText();
  }

  #endEdit() {
    this.composition.endEdit();
    this.mentions.close();
  }

  /// Adds files that were dropped on the conversation.
  addFiles(files) {
    this.tray.add([...files]);
    this.focusText();
  }

  /// Whether there is what a draft does not keep.
  get isUnsaved() {
    return this.tray.files.length > 0 || this.tray.isBusy || this.voice.isRecording;
  }

  get isEmpty() {
    return !this.line.hasText && this.tray.files.length === 0;
  }

  submit() {
    if (this.isEmpty || this.tray.isBusy) return;
    const text = this.text.value;
    if ([...text].length > longestMessage) return void this.dispatchEvent(new CustomEvent('toolong', { bubbles: true }));
    if (this.composition.editing) return this.#submitEdit(text);
    send(this.conversationId, { text: text.trim() === '' ? '' : text.trim(), files: this.tray.take(), replyTo: this.composition.replyTo, mentions: this.mentions.used(text) });
    stopTyping(this.conversationId, { isSent: true });
    this.#reset(text);
    this.dispatchEvent(new CustomEvent('sent', { bubbles: true }));
  }

  #submitEdit(text) {
    const message = this.composition.editing;
    const words = text.trim();
    this.cancel();
    if (words !== message.text && words !== '') edit(message, words);
  }

  #sendVoice(file) {
    // A change of a message that was begun meanwhile keeps what this answers.
    const { message } = this.composition;
    send(this.conversationId, { files: [file], replyTo: message.replyTo });
    this.composition.message = { ...message, replyTo: null };
    this.#showContext();
    this.#save();
    this.dispatchEvent(new CustomEvent('sent', { bubbles: true }));
  }

  async #sendLater() {
    const text = this.text.value.trim();
    if (text === '') return;
    const isDone = await chooseTime({ conversationId: this.conversationId, text, replyTo: this.composition.replyTo, mentions: this.mentions.used(text) });
    // What was written on while the server answered is not in it.
    if (isDone && this.text.value.trim() === text) this.#reset(text);
  }

  #reset(sent) {
    this.mentions.chosen = [];
    this.#take({ text: '', isTyped: false, replyTo: null });
    this.#showContext();
    endDraft(this.conversationId, sent);
    this.#takeDraft();
    // After Enter it is there already: to set it anew would lay the page out before the bubble is in it.
    if (document.activeElement !== this.text) this.focusText();
  }

  /// Gives up an answer or a change; true where there was one.
  cancel() {
    if (!this.composition.replyTo && !this.composition.editing) return false;
    if (this.composition.editing) this.#endEdit();
    else this.composition.replyTo = null;
    this.#showContext();
    this.#save();
    return true;
  }

  #changed() {
    this.composition.typed();
    // Whom a change names is not called.
    if (!this.composition.editing) this.mentions.update();
    this.#show();
    this.#save();
    if (this.composition.editing) return;
    if (this.text.value.trim() !== '') sayTyping(this.conversationId);
    else stopTyping(this.conversationId);
  }

  #save() {
    const { editing, message } = this.composition;
    const { text, replyTo } = message;
    saveDraft(this.conversationId, { text, replyTo, mentions: this.mentions.chosen, editing: editing && { message: editing, text: this.text.value } });
  }

  #show() {
    const hasFiles = this.tray.files.length > 0;
    const isEditing = this.composition.editing !== null;
    this.line.show({ hasFiles, isBusy: this.tray.isBusy, isEditing, isRecording: this.voice.isRecording });
  }

  #showContext() {
    const { editing, replyTo } = this.composition;
    const isNeeded = Boolean(editing ?? replyTo);
    this.context.hidden = !isNeeded;
    this.#show();
    const giveUp = () => {
      this.cancel();
      this.focusText();
    };
    this.context.replaceChildren(...(isNeeded ? contextOf({ editing, replyTo, conversationId: this.conversationId, giveUp }) : []));
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
    } else if (event.key === 'ArrowUp' && this.text.value === '' && !this.composition.editing) {
      event.preventDefault();
      this.dispatchEvent(new CustomEvent('editlast', { bubbles: true }));
    }
  }

  #openEmoji() {
    openEmojiPicker(this.line.emojiButton, { label: t('conversation.emoji'), onChoose: (emoji) => {
      this.focusText();
      this.text.setRangeText(emoji, this.text.selectionStart, this.text.selectionEnd, 'end');
      this.#changed();
    } });
  }
}

customElements.define('parley-composer', Composer);
