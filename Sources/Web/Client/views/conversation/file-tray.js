// The files that go with the next message, above the line that one writes in.

import { formatBytes, t } from '../../text/catalogue.js';
import { icon } from '../components/icon.js';
import { iconButton } from '../components/page.js';
import { toast } from '../components/toast.js';
import { h } from '../element.js';
import { noteFocus } from '../focus.js';
import { releaseSource, sourceOf } from './file-sources.js';
import { mostFiles, prepareFile } from './chosen-files.js';

export class FileTray {
  files = [];
  /// Called when the one that had the focus was the last.
  onLastLeft = () => {};
  #pending = 0;
  #last = Promise.resolve();

  constructor(onChange) {
    this.onChange = onChange;
    this.node = h('ul', { class: 'tray', 'aria-label': t('files.chosen'), hidden: true });
  }

  /// Whether some are not ready yet.
  get isBusy() {
    return this.#pending > 0;
  }

  /// One after the other, also those that come while others are made ready.
  add(chosen) {
    const room = Math.max(mostFiles - this.files.length - this.#pending, 0);
    if (chosen.length > room) toast(t('files.tooMany', { count: mostFiles }), { kind: 'error' });
    const taken = chosen.slice(0, room);
    this.#pending += taken.length;
    this.onChange();
    for (const file of taken) this.#last = this.#last.then(() => this.#prepare(file));
  }

  async #prepare(file) {
    try {
      const ready = await prepareFile(file);
      this.files = [...this.files, ready];
    } catch (error) {
      toast(error.message, { kind: 'error' });
    }
    this.#pending -= 1;
    this.show();
  }

  /// The files, which are the message's from now on.
  take() {
    const { files } = this;
    this.files = [];
    this.show();
    return files;
  }

  /// Nobody comes back to it.
  forget() {
    for (const file of this.files) releaseSource(file);
  }

  #remove(file) {
    this.files = this.files.filter((one) => one !== file);
    releaseSource(file);
    this.show();
  }

  show() {
    const hadFocus = this.node.contains(document.activeElement);
    const giveBack = noteFocus(this.node);
    this.node.hidden = this.files.length === 0;
    this.node.replaceChildren(...this.files.map((file) => h('li', { class: 'tray__file', 'aria-label': file.name },
      file.kind === 'image' ? h('img', { class: 'tray__picture', src: sourceOf(file), alt: '' }) : h('span', { class: 'tray__picture' }, icon(file.kind === 'audio' ? 'mic' : 'file')),
      h('span', { class: 'tray__words' }, h('bdi', { class: 'clip' }, file.name), h('small', {}, formatBytes(file.blob.size))),
      iconButton('close', t('files.remove', { name: file.name }), () => this.#remove(file)))));
    this.onChange();
    if (hadFocus) giveBack();
    if (hadFocus && !this.node.contains(document.activeElement)) this.onLastLeft();
  }
}
