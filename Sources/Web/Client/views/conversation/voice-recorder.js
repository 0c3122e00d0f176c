// Recording a voice note, where the browser can: the loudness is measured on the way, for the waveform.

const mostLevels = 256;
const longest = 15 * 60_000;
const types = ['audio/mp4', 'audio/webm;codecs=opus', 'audio/ogg;codecs=opus', 'audio/webm'];

/// Whether this browser can record.
export function canRecord() {
  return typeof MediaRecorder !== 'undefined' && navigator.mediaDevices?.getUserMedia !== undefined;
}

export class VoiceRecorder {
  #recorder;
  #chunks = [];
  #levels = [];
  #startedAt = 0;
  #timer;
  #context;

  /// Asks for the microphone and begins. `onTime(ms)` tells how long it is, and `onFull()` that it is as long as it may be.
  async start({ onTime, onFull }) {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    const mimeType = types.find((type) => MediaRecorder.isTypeSupported(type));
    this.#recorder = new MediaRecorder(stream, { mimeType, audioBitsPerSecond: 32_000 });
    this.#recorder.addEventListener('dataavailable', ({ data }) => data.size > 0 && this.#chunks.push(data));
    this.#recorder.start(1000);
    this.#startedAt = performance.now();
    const measure = this.#meter(stream);
    this.#timer = setInterval(() => {
      const time = performance.now() - this.#startedAt;
      this.#levels.push(measure());
      onTime(time);
      if (time > longest) onFull();
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
    const durationMs = performance.now() - this.#startedAt;
    await this.#end();
    const type = this.#recorder.mimeType.split(';')[0] || 'audio/webm';
    return { blob: new Blob(this.#chunks, { type }), durationMs, waveform: this.#waveform() };
  }

  /// Ends it, and throws away what was said.
  async cancel() {
    await this.#end();
  }

  async #end() {
    clearInterval(this.#timer);
    const stopped = new Promise((resolve) => this.#recorder.addEventListener('stop', resolve, { once: true }));
    if (this.#recorder.state !== 'inactive') this.#recorder.stop();
    else return;
    await stopped;
    for (const track of this.#recorder.stream.getTracks()) track.stop();
    await this.#context?.close();
  }

  #waveform() {
    const step = Math.max(1, Math.ceil(this.#levels.length / mostLevels));
    const levels = [];
    for (let at = 0; at < this.#levels.length; at += step) levels.push(Math.max(...this.#levels.slice(at, at + step)));
    return levels;
  }
}
