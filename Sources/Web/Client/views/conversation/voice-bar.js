// What stands in place of the composer's line while a voice note is recorded.

import { newId } from '../../transport/ids.js';
import { formatDuration, t } from '../../text/catalogue.js';
import { iconButton } from '../components/page.js';
import { toast } from '../components/toast.js';
import { h } from '../element.js';
import { VoiceRecorder } from './voice-recorder.js';

export class VoiceBar {
  #recorder = null;

  constructor({ onSend, onEnd }) {
    this.onSend = onSend;
    this.onEnd = onEnd;
    this.time = h('span', { class: 'voice-bar__time', role: 'timer' });
    this.node = h('div', { class: 'voice-bar', hidden: true },
      iconButton('trash', t('conversation.recordCancel'), () => this.cancel()),
      h('span', { class: 'voice-bar__dot', 'aria-hidden': 'true' }), this.time, h('span', { class: 'voice-bar__words' }, t('conversation.recording')),
      iconButton('send', t('conversation.recordSend'), () => this.finish(), { kind: 'primary' }));
  }

  get isRecording() {
    return this.#recorder !== null;
  }

  async start() {
    const recorder = new VoiceRecorder();
    try {
      await recorder.start({ onTime: (time) => (this.time.textContent = formatDuration(time)), onFull: () => this.finish() });
    } catch {
      toast(t('conversation.recordRefused'), { kind: 'error' });
      return;
    }
    this.#recorder = recorder;
    this.time.textContent = formatDuration(0);
    this.#show();
    this.node.lastElementChild.focus();
  }

  async finish() {
    const recorder = this.#recorder;
    this.#recorder = null;
    this.#show();
    const note = await recorder?.finish();
    if (note && note.durationMs > 400) this.onSend({ id: newId(), kind: 'audio', name: null, ...note });
  }

  cancel() {
    const recorder = this.#recorder;
    this.#recorder = null;
    this.#show();
    recorder?.cancel();
  }

  #show() {
    this.node.hidden = !this.isRecording;
    this.onEnd();
  }
}
