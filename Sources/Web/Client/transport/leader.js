// The tabs of one browser: one of them, the leader, holds the stream and tells the others. When it goes, another one has the
// lock at once. Where the browser has no locks (pages that are not secure), each tab is its own leader.

const lockName = 'parley-stream';

class Tabs {
  id = uniqueId();
  isLeader = false;
  #channel = null;
  #listeners = new Set();
  #release = null;
  #waiting = null;

  /// Begins: `lead()` is called when this tab becomes the leader, at once or later; `follow()` when there is another one.
  start({ lead, follow }) {
    this.stop();
    this.#openChannel();
    const waiting = (this.#waiting = new AbortController());
    const begin = () => {
      if (waiting.signal.aborted) return undefined;
      this.isLeader = true;
      lead();
      return new Promise((release) => (this.#release = release));
    };
    if (!navigator.locks) return void begin();
    navigator.locks.request(lockName, { ifAvailable: true }, (lock) => {
      if (lock) return begin();
      if (waiting.signal.aborted) return undefined;
      follow();
      navigator.locks.request(lockName, { signal: waiting.signal }, begin).catch(() => {});
      return undefined;
    });
  }

  stop() {
    this.#waiting?.abort();
    this.#release?.();
    this.#release = null;
    this.isLeader = false;
  }

  /// Whether what happens comes to this tab by its own stream alone. Without locks there may be too many for each to have one.
  get isOnlyLeader() {
    return this.isLeader && Boolean(navigator.locks);
  }

  /// Tells all other tabs.
  tell(message) {
    this.#openChannel();
    this.#channel?.postMessage({ ...message, from: this.id });
  }

  /// Calls back with what other tabs tell.
  listen(callback) {
    this.#openChannel();
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  #openChannel() {
    if (this.#channel || typeof BroadcastChannel === 'undefined') return;
    this.#channel = new BroadcastChannel('parley');
    this.#channel.onmessage = ({ data }) => {
      if (data.to && data.to !== this.id) return;
      for (const listener of this.#listeners) listener(data);
    };
  }
}

function uniqueId() {
  return [...crypto.getRandomValues(new Uint32Array(4))].map((number) => number.toString(36)).join('-');
}

export const tabs = new Tabs();
