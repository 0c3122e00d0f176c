// Waiting between tries: longer each time, never at the same moment as everybody else, and ended early by good news.

const shortestWait = 500;
const longestWait = 30_000;
/// Years are not meant, and what is longer than browsers can count would be over at once.
const longestAsked = 300_000;

export class Backoff {
  #tries = 0;
  #wake = null;

  reset() {
    this.#tries = 0;
  }

  get tries() {
    return this.#tries;
  }

  /// Waits; at least as long as the server asked for, within reason. `wake()` ends it.
  wait({ retryAfter = null } = {}) {
    const ceiling = Math.min(longestWait, shortestWait * 2 ** this.#tries);
    this.#tries += 1;
    const jittered = ceiling * (0.5 + Math.random() / 2);
    const isAsked = Number.isFinite(retryAfter);
    // Who asks for no time at all, again and again, is waited for all the same.
    const least = this.#tries === 1 ? 50 : jittered;
    const time = isAsked ? Math.min(Math.max(retryAfter * 1000, least), longestAsked) + Math.random() * 200 : jittered;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, time);
      // What the server asked to wait for is not cut short.
      this.#wake = () => {
        if (isAsked) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  wake() {
    this.#wake?.();
  }
}
