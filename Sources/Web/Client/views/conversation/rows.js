// What the list of messages shows, in order: messages, and behind them what is unsent. Pure.

const runTime = 5 * 60_000;

/// What is shown of a segment's messages and of the outbox rows. An entry is {id, message, row, day, isUnread, isFirst, isLast}:
/// `day` is set where a new day begins, `isUnread` where the line stands, first and last are those of one person's run.
export function entriesOf(messages, rows, { me, unreadFrom = null }) {
  const shown = messages.map((message) => ({ message: withPending(message, rows), row: null }));
  const known = new Set(messages.map((message) => message.id));
  for (const row of rows) {
    if (row.kind !== 'send' || known.has(row.messageId) || isWithdrawn(row.messageId, rows)) continue;
    shown.push({ message: row.message ? withPending(row.message, rows) : withPending(unsent(row, me), rows), row: row.state === 'accepted' ? null : row });
  }
  return shown.map((entry, index) => placed(entry, shown[index - 1]?.message, shown[index + 1]?.message, unreadFrom));
}

const unsentMessages = new WeakMap();

// The same content gives the same message, so that nothing is drawn anew where a row only goes on its way.
function unsent(row, me) {
  const isFailed = row.state === 'failed';
  let message = unsentMessages.get(row.payload);
  if (!message || (message.status === 'failed') !== isFailed) {
    message = {
      id: row.messageId, conversationId: row.conversationId, seq: null, senderId: me, kind: 'text', text: row.payload.text ?? '', timestamp: row.createdAt,
      mentions: row.payload.mentions ?? [], reactions: [], replyTo: row.replyTo ?? null, editedAt: null, deletedAt: null,
      attachments: row.files.map(localAttachment), isUnsent: true, status: isFailed ? 'failed' : 'sending',
    };
    unsentMessages.set(row.payload, message);
  }
  return message;
}

function localAttachment({ id, kind, name, blob, width = null, height = null, durationMs = null, waveform = null }) {
  return { id, kind, name, contentType: blob?.type ?? '', bytes: blob?.size ?? 0, width, height, durationMs, waveform, blurhash: null, url: null, thumbnailURL: null, blob };
}

const pending = new WeakMap();

// A change or deletion that is still on its way shows already.
function withPending(message, rows) {
  const edit = rows.findLast((row) => row.kind === 'edit' && row.messageId === message.id);
  const isDeleted = isWithdrawn(message.id, rows);
  if (!edit && !isDeleted) return message;
  const known = pending.get(message);
  if (known && known.edit === edit && known.isDeleted === isDeleted) return known.shown;
  const shown = isDeleted
    ? { ...message, text: null, attachments: [], reactions: [], deletedAt: message.timestamp }
    : { ...message, text: edit.payload.text, editedAt: message.editedAt ?? edit.createdAt, status: 'sending' };
  pending.set(message, { edit, isDeleted, shown });
  return shown;
}

function isWithdrawn(messageId, rows) {
  return rows.some((row) => row.kind === 'delete' && row.messageId === messageId);
}

const entries = new WeakMap();

// Between the same messages it is the same entry: so a row whose entry it has need not be looked at.
function placed({ message, row }, before, after, unreadFrom) {
  const known = entries.get(message);
  if (known && known.row === row && known.before === before && known.after === after && known.unreadFrom === unreadFrom) return known.entry;
  const entry = entryOf(message, row, before, after, unreadFrom);
  entries.set(message, { row, before, after, unreadFrom, entry });
  return entry;
}

function entryOf(message, row, before, after, unreadFrom) {
  const isUnread = unreadFrom !== null && message.seq !== null && message.seq >= unreadFrom && !(before && isAtOrBehind(before, unreadFrom));
  const day = !before || dayOf(before) !== dayOf(message) ? message.timestamp : null;
  return { id: message.id, message, row, day, isUnread, isFirst: isUnread || !isRun(before, message), isLast: !isRun(message, after) };
}

// Whether the line stands further up already.
function isAtOrBehind(message, unreadFrom) {
  return (message.seq ?? message.afterSeq ?? Infinity) >= unreadFrom;
}

function isRun(one, other) {
  if (!one || !other || one.kind === 'system' || other.kind === 'system') return false;
  return one.senderId === other.senderId && dayOf(one) === dayOf(other) && Date.parse(other.timestamp) - Date.parse(one.timestamp) < runTime;
}

const days = new Map();

// The day of a time by this device's calendar; asked for often, and the same for all messages of an hour.
function dayOf({ timestamp }) {
  const hour = timestamp.slice(0, 13);
  let day = days.get(hour);
  if (day === undefined) {
    if (days.size > 5000) days.clear();
    // Some calendars are half an hour off: those of one hour are one day but where it ends, which is told by minutes.
    const offset = new Date(timestamp).getTimezoneOffset() % 60;
    if (offset !== 0) return new Date(timestamp).toDateString();
    day = new Date(timestamp).toDateString();
    days.set(hour, day);
  }
  return day;
}
