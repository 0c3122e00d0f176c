// The text of a server-sent-events stream, taken apart as it comes. Written anew because EventSource gives up on a 503 and
// hides blocks that have an `id` alone. Pure.

/// The most that one event may hold: more is no stream of this server's.
const longestBlock = 8 * 1024 * 1024;

export class EventParser {
  #rest = '';
  #id = undefined;
  #event = '';
  #data = [];
  #size = 0;
  #endedWithReturn = false;

  /// Takes a piece of text and returns the blocks that it completes: `{id, event, data}`. `id` is undefined where the block
  /// has none; `event` is null where it has no data, as in a heartbeat.
  push(text) {
    const blocks = [];
    let piece = this.#rest + text;
    // A line may end with \r\n that is cut in two.
    if (this.#endedWithReturn && text !== '') {
      if (piece.startsWith('\n')) piece = piece.slice(1);
      this.#endedWithReturn = false;
    }
    let start = 0;
    for (;;) {
      const end = lineEnd(piece, start);
      if (end < 0) break;
      this.#line(piece.slice(start, end), blocks);
      start = end + 1;
      if (piece[end] !== '\r') continue;
      if (start === piece.length) this.#endedWithReturn = true;
      else if (piece[start] === '\n') start += 1;
    }
    this.#rest = piece.slice(start);
    if (this.#rest.length + this.#size > longestBlock) throw new Error('An event is too long');
    return blocks;
  }

  #line(line, blocks) {
    if (line === '') return this.#finish(blocks);
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? '' : line.slice(colon + 1);
    if (value.startsWith(' ')) value = value.slice(1);
    if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'event') this.#event = value;
    else if (name === 'data') {
      this.#data.push(value);
      this.#size += value.length;
    }
  }

  #finish(blocks) {
    const hasData = this.#data.length > 0;
    if (hasData || this.#id !== undefined) {
      blocks.push({ id: this.#id, event: hasData ? this.#event || 'message' : null, data: hasData ? this.#data.join('\n') : null });
    }
    this.#id = undefined;
    this.#event = '';
    this.#data = [];
    this.#size = 0;
  }
}

function lineEnd(text, start) {
  const feed = text.indexOf('\n', start);
  const carriage = text.indexOf('\r', start);
  if (feed < 0) return carriage;
  return carriage < 0 ? feed : Math.min(feed, carriage);
}
