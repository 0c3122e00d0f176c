// What stands in place of the composer's line while a voice note is recorded.

import { newId } from '../../transport/ids.js';
import { formatDuration, t } from '../../text/catalogue.js';
import { iconButton } from '../components/page.js';
import { toast } from '../components/toast.js';
import { h } from '../element.js';
import { VoiceRecorder } from './voice-recorder.js';

export class VoiceBar {
  #recorder = null;
  #before = null; // what had the focus

  /// `after` has the focus after a recording where what had it before is not shown any more.
  constructor({ onSend, onEnd, after }) {
    Object.assign(this, { onSend, onEnd, after });
    this.time = h('span', { class: 'voice-bar__time', role: 'timer' });
    this.node = h('div', { class: 'voice-bar', hidden: true },
      iconButton('trash', t('conversation.recordCancel'), () => this.cancel()),
      h('span', { class: 'voice-bar__dot', 'aria-hidden': 'true' }), this.time, h('span', { class: 'voice-bar__words clip' }, t('conversation.recording')),
      iconButton('send', t('conversation.recordSend'), () => this.finish(), { kind: 'primary' }));
  }

  get isRecording() {
    return !this.node.hidden;
  }

  async start() {
    if (this.#recorder) return;
    this.#before = document.activeElement;
    const recorder = (this.#recorder = new VoiceRecorder());
    try {
      await recorder.start((time) => (this.time.textContent = formatDuration(time)));
    } catch {
      // Whoever has left while the browser asked for the microphone wants no answer any more.
      if (this.#recorder !== recorder) return;
      this.#recorder = null;
      toast(t('conversation.recordRefused'), { kind: 'error' });
      return;
    }
    this.time.textContent = formatDuration(0);
    this.#show(true);
    this.focus();
  }

  focus() {
    this.node.lastElementChild.focus();
  }

  async finish() {
    const note = await this.#end()?.finish();
    if (note && note.durationMs > 400) this.onSend({ id: newId(), kind: 'audio', name: null, ...note });
  }

  cancel() {
    this.#end()?.cancel();
  }

  #end() {
    const recorder = this.#recorder;
    const hadFocus = this.node.contains(document.activeElement);
    this.#recorder = null;
    this.#show(false);
    if (hadFocus) (this.#before?.checkVisibility() ? this.#before : this.after).focus();
    return recorder;
  }

  #show(isRecording) {
    this.node.hidden = !isRecording;
    this.onEnd();
  }
}
