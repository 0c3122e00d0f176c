// The stream of events, over fetch: it goes on from the last cursor by itself, whatever ends it.

import { problemOf } from './api.js';
import { Backoff } from './backoff.js';
import { EventParser } from './sse.js';

const connectTime = 15_000;
/// In seconds.
const usualHeartbeat = 25;

export class EventStream {
  #backoff = new Backoff();
  #abort = null;
  #isStopped = true;
  #isReplaced = false;
  #heartbeat = usualHeartbeat * 1000;

  /// `cursor()` says where to go on. `onEvents(events, cursor)` takes what came; `onState('connecting' | 'online' | 'offline')`
  /// what there is to show; `onEnded()` that the session is over; `onBadCursor()` that the server does not know the cursor.
  constructor({ cursor, onEvents, onState, onEnded, onBadCursor }) {
    Object.assign(this, { cursor, onEvents, onState, onEnded, onBadCursor });
  }

  async start() {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    while (!this.#isStopped) {
      let pause = {};
      try {
        pause = await this.#follow();
      } catch {
        // The connection was lost, or never came about.
      }
      if (this.#isStopped) return;
      this.onState(navigator.onLine && this.#backoff.tries < 2 ? 'connecting' : 'offline');
      await this.#backoff.wait(pause);
      if (this.#isReplaced) await new Promise((resolve) => (this.resume = resolve));
    }
  }

  stop() {
    this.#isStopped = true;
    this.#abort?.abort();
    this.#backoff.wake();
    this.resume?.();
  }

  /// Tries at once, as when the network is back.
  wake() {
    this.#isReplaced = false;
    this.#backoff.wake();
    this.resume?.();
  }

  /// Whether the connection is worth anything is seen by trying anew, as after a sleep.
  restart() {
    this.#abort?.abort();
    this.wake();
  }

  async #follow() {
    const abort = (this.#abort = new AbortController());
    const watchdog = new Watchdog(() => abort.abort(), connectTime);
    try {
      const cursor = this.cursor();
      const response = await fetch('/v1/stream', {
        headers: { Accept: 'text/event-stream', ...(cursor ? { 'Last-Event-ID': cursor } : {}) },
        signal: abort.signal, cache: 'no-store', credentials: 'same-origin', redirect: 'error',
      });
      if (!response.ok) return await this.#refused(response);
      return await this.#read(response, watchdog);
    } finally {
      watchdog.stop();
      abort.abort();
    }
  }

  async #refused(response) {
    const problem = await problemOf(response);
    if (problem.isSessionOver) {
      this.stop();
      this.onEnded();
    } else if (problem.status === 422) {
      await this.onBadCursor();
    }
    return { retryAfter: problem.retryAfter };
  }

  async #read(response, watchdog) {
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    const parser = new EventParser();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return {};
      watchdog.feed(this.#heartbeat * 2.2);
      const ending = this.#take(parser.push(decoder.decode(value, { stream: true })));
      if (ending) return ending;
    }
  }

  // What came in one piece is passed on in one piece, with the cursor behind it.
  #take(blocks) {
    const events = [];
    let cursor = null;
    let ending = null;
    for (const { id, event, data } of blocks) {
      if (id !== undefined) cursor = id;
      if (event === null) continue;
      const received = { event, data: parsed(data) };
      if (event === 'hello') this.#heartbeat = heartbeatOf(received.data);
      if (event === 'ready') this.#backoff.reset();
      if (event === 'goaway') ending = this.#goAway(received.data ?? {});
      else events.push(received);
    }
    if (events.length > 0 || cursor !== null) this.onEvents(events, cursor);
    return ending;
  }

  #goAway({ reason, reconnectInMs }) {
    if (reason === 'revoked') {
      this.stop();
      this.onEnded();
    }
    // Another page took this one's place: it has to be asked for.
    this.#isReplaced = reason === 'replaced';
    return { retryAfter: Math.max(reconnectInMs, 0) / 1000 };
  }
}

// What is no JSON would be none the next time either, and would hold up for ever what comes behind it.
function parsed(data) {
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}

function heartbeatOf(hello) {
  const seconds = hello?.heartbeatSeconds;
  return (Number.isFinite(seconds) ? Math.min(Math.max(seconds, 5), 300) : usualHeartbeat) * 1000;
}

/// Ends a connection on which nothing has come for too long.
class Watchdog {
  #timer;

  constructor(bite, time) {
    this.bite = bite;
    this.feed(time);
  }

  feed(time) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.bite, time);
  }

  stop() {
    clearTimeout(this.#timer);
  }
}
