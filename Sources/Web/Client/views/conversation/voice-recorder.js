// Recording a voice note, where the browser can: the loudness is measured on the way, for the waveform.

const mostLevels = 256;
const longestRecording = 15 * 60_000;
const types = ['audio/mp4', 'audio/webm;codecs=opus', 'audio/ogg;codecs=opus', 'audio/webm'];

/// Whether this browser can record.
export function canRecord() {
  return typeof MediaRecorder !== 'undefined' && navigator.mediaDevices?.getUserMedia !== undefined;
}

export class VoiceRecorder {
  #stream;
  #recorder;
  #chunks = [];
  #levels = [];
  #startedAt = 0;
  #durationMs = 0;
  #timer;
  #context;
  #ending = null;
  #isCancelled = false;

  /// Asks for the microphone and begins. `onTime(ms)` tells how long it is. It ends by itself when it is as long as it may be, or
  /// the microphone is gone; then it waits to be finished or cancelled.
  async start(onTime) {
    this.#stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    try {
      if (this.#isCancelled) throw new DOMException('Cancelled while the microphone was asked for', 'AbortError');
      this.#begin(onTime);
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  #begin(onTime) {
    const mimeType = types.find((type) => MediaRecorder.isTypeSupported(type));
    const measure = this.#meter(this.#stream);
    this.#recorder = new MediaRecorder(this.#stream, { mimeType, audioBitsPerSecond: 32_000 });
    this.#recorder.addEventListener('dataavailable', ({ data }) => data.size > 0 && this.#chunks.push(data));
    this.#recorder.addEventListener('stop', () => this.#end());
    this.#recorder.start(1000);
    this.#startedAt = performance.now();
    this.#timer = setInterval(() => {
      const time = performance.now() - this.#startedAt;
      this.#levels.push(measure());
      onTime(time);
      if (time > longestRecording) this.#end();
    }, 100);
  }

  #meter(stream) {
    this.#context = new AudioContext();
    const analyser = this.#context.createAnalyser();
    analyser.fftSize = 1024;
    this.#context.createMediaStreamSource(stream).connect(analyser);
    const samples = new Uint8Array(analyser.fftSize);
    return () => {
      analyser.getByteTimeDomainData(samples);
      const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample - 128)), 0);
      return Math.min(255, loudest * 2);
    };
  }

  /// Ends the recording: `{blob, durationMs, waveform}`.
  async finish() {
    await this.#end();
    const type = this.#recorder.mimeType.split(';')[0] || 'audio/webm';
    return { blob: new Blob(this.#chunks, { type }), durationMs: this.#durationMs, waveform: this.#waveform() };
  }

  /// Ends it, and throws away what was said; also while the microphone is still asked for.
  async cancel() {
    this.#isCancelled = true;
    if (this.#recorder) await this.#end();
  }

  #end() {
    return (this.#ending ??= this.#stop());
  }

  async #stop() {
    clearInterval(this.#timer);
    this.#durationMs = performance.now() - this.#startedAt;
    if (this.#recorder.state !== 'inactive') {
      const stopped = new Promise((resolve) => this.#recorder.addEventListener('stop', resolve, { once: true }));
      this.#recorder.stop();
      await stopped;
    }
    this.#release();
  }

  // The browser shows that the microphone is in use for as long as it is held.
  #release() {
    for (const track of this.#stream.getTracks()) track.stop();
    this.#context?.close().catch(() => {});
  }

  #waveform() {
    const step = Math.max(1, Math.ceil(this.#levels.length / mostLevels));
    const levels = [];
    for (let at = 0; at < this.#levels.length; at += step) levels.push(Math.max(...this.#levels.slice(at, at + step)));
    return levels;
  }
}
