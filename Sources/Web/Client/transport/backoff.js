// Waiting between tries: longer each time, never at the same moment as everybody else, and ended early by good news.

const shortestWait = 500;
const longestWait = 30_000;

export class Backoff {
  #tries = 0;
  #wake = null;

  reset() {
    this.#tries = 0;
  }

  get tries() {
    return this.#tries;
  }

  /// Waits; at least as long as the server asked for. `wake()` ends it.
  wait({ retryAfter = null } = {}) {
    const ceiling = Math.min(longestWait, shortestWait * 2 ** this.#tries);
    this.#tries += 1;
    const jittered = ceiling * (0.5 + Math.random() / 2);
    const time = retryAfter === null ? jittered : Math.max(retryAfter * 1000, 50) + Math.random() * 200;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, time);
      // What the server asked to wait for is not cut short.
      this.#wake = () => {
        if (retryAfter !== null) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  wake() {
    this.#wake?.();
  }
}
