// One message in the list: what stands above it (a day, the line of the unread), the bubble, its reactions.

import { store } from '../../store/store.js';
import { formatDay, formatTime, t } from '../../text/catalogue.js';
import { personColour, updateAvatar } from '../components/avatar.js';
import { problemWords } from '../components/field.js';
import { icon } from '../components/icon.js';
import { h } from '../element.js';
import { personName, summaryWords } from '../names.js';
import { dayNow } from '../passing-time.js';
import { attachmentsOf, updateUploads } from './attachments.js';
import { openMessageMenu } from './message-menu.js';
import { reactionsOf } from './reactions.js';
import { quoteOf } from './quote.js';
import { keepingFocus } from './row-controls.js';
import { toolsOf } from './row-tools.js';
import { showReceipts } from './receipts-dialog.js';
import { systemWords } from './system-words.js';
import { textOf } from './text.js';
import { ticks } from './ticks.js';
import { retry } from '../../store/outbox.js';

export function messageRow(entry) {
  const row = h('li', { class: 'message', dataset: { id: entry.id } });
  row.tabIndex = -1;
  row.seen = [];
  row.openMenu = (at) => row.isActive && openMessageMenu(at ?? row.querySelector('.bubble') ?? row, row.entry.message, row.entry.row);
  row.mark = () => highlight(row);
  row.addEventListener('contextmenu', (event) => onContextMenu(event, row));
  return row;
}

/// Brings a row up to date where anything of what it shows is another than before.
export function updateMessageRow(row, entry, conversation) {
  const { message } = entry;
  const { state } = store;
  const isGroup = conversation?.type === 'group';
  const around = surroundings(isGroup, conversation?.isFormer, dayNow(), state);
  if (row.entry === entry && row.around === around) return;
  const isMine = message.senderId === state.me.id;
  // Beside others of a group stand their names and faces; all else of a run is a matter of classes.
  const showsRun = isGroup && !isMine;
  const seen = [
    message, entry.row?.state === 'failed', entry.row?.problem, entry.day, entry.isUnread, showsRun && entry.isFirst, showsRun && entry.isLast, isGroup, state.users.get(message.senderId),
    message.replyTo && state.users.get(message.replyTo.senderId), state.blocks.has(message.senderId), conversation?.isFormer,
    message.kind === 'system' && state.usersRevision, state.stars.has(message.id), entry.day && around.today,
  ];
  row.entry = entry;
  row.around = around;
  row.seq = message.seq ?? null;
  if (row.seen.length === 0 || !seen.every((value, index) => Object.is(value, row.seen[index]))) {
    row.seen = seen;
    keepingFocus(row, () => (message.kind === 'system' ? drawSystem(row, entry) : drawMessage(row, entry, { isGroup, isMine })));
  }
  if (message.kind !== 'system') showRun(row, entry);
}

let known = {};

// What rows show beside their entries: the same object for as long as it is the same.
function surroundings(isGroup, isFormer, today, { me, usersRevision, blocks, stars }) {
  const isSame = known.isGroup === isGroup && known.isFormer === isFormer && known.today === today && known.me === me && known.usersRevision === usersRevision && known.blocks === blocks && known.stars === stars;
  if (!isSame) known = { isGroup, isFormer, today, me, usersRevision, blocks, stars };
  return known;
}

function showRun(row, { isFirst, isLast }) {
  row.classList.toggle('message--first', isFirst);
  row.classList.toggle('message--last', isLast);
}

function drawSystem(row, { message, day, isUnread }) {
  const words = systemWords(store.state, message);
  row.isActive = false;
  row.className = 'message message--system';
  row.setAttribute('aria-label', words);
  row.replaceChildren(...above(day, isUnread), h('p', { class: 'system' }, words));
}

function drawMessage(row, entry, { isGroup, isMine }) {
  const { message } = entry;
  const { state } = store;
  const isBlocked = !isMine && isGroup && state.blocks.has(message.senderId);
  const words = isBlocked ? t('conversation.blockedMessage') : summaryWords(message);
  row.isActive = !message.deletedAt && !isBlocked;
  row.className = isMine ? 'message message--own' : 'message';
  row.setAttribute('aria-label', words.slice(0, 1000));
  row.setAttribute('aria-description', describe(message, isMine));
  const bubble = message.deletedAt || isBlocked ? tombstone(message, words, isMine) : bubbleOf(entry, { isGroup, isMine });
  const line = h('div', { class: 'message__line' }, isGroup && !isMine ? portrait(row, entry) : null, bubble, row.isActive ? toolsOf(row) : null);
  row.replaceChildren(...above(entry.day, entry.isUnread), line, ...(row.isActive ? reactionsOf(message) : []));
  if (entry.row) row.append(...trouble(entry.row));
  if (message.isUnsent) updateUploads(row, message);
}

function describe(message, isMine) {
  const name = isMine ? t('people.you') : personName(store.state, message.senderId);
  return `${name}, ${formatTime(message.timestamp)}`;
}

function above(day, isUnread) {
  return [
    day ? h('p', { class: 'day' }, h('time', { datetime: day }, formatDay(day))) : null,
    isUnread ? h('p', { class: 'unread-line' }, h('span', {}, t('conversation.unreadLine'))) : null,
  ].filter(Boolean);
}

// Beside the last bubble of a run; the others keep its room.
function portrait(row, { message, isLast }) {
  if (!isLast) return h('span', { class: 'message__portrait' });
  const user = store.state.users.get(message.senderId);
  row.face ??= h('span', {});
  updateAvatar(row.face, { id: message.senderId, name: user?.displayName, photoURL: user?.photoURL, size: 'small' });
  return h('span', { class: 'message__portrait' }, row.face);
}

function bubbleOf({ message, row, isFirst }, { isGroup, isMine }) {
  const showsName = isGroup && !isMine && isFirst;
  const isBare = !message.text && !message.replyTo && !showsName && message.attachments?.length > 0 && message.attachments.every(({ kind }) => kind === 'image');
  const text = message.text ? textOf(message, store.state) : null;
  return h('div', { class: ['bubble', isMine && 'bubble--own', isBare && 'bubble--bare', text?.isLarge && 'bubble--large'].filter(Boolean).join(' ') },
    showsName ? h('bdi', { class: `bubble__name person-text-${personColour(message.senderId)}` }, personName(store.state, message.senderId)) : null,
    message.forwardedFrom ? h('p', { class: 'bubble__note' }, t('conversation.forwarded')) : null,
    message.replyTo ? quoteOf(message.replyTo, store.state) : null,
    message.attachments?.length > 0 ? attachmentsOf(message) : null,
    h('div', { class: 'bubble__body' }, text?.node ?? null, meta(message, row, isMine)));
}

function tombstone(message, words, isMine) {
  return h('div', { class: isMine ? 'bubble bubble--own bubble--gone' : 'bubble bubble--gone' },
    h('div', { class: 'bubble__body' }, h('p', { class: 'bubble__text' }, words), h('span', { class: 'meta' }, time(message))));
}

function meta(message, row, isMine) {
  const openReceipts = () => showReceipts(message);
  const mark = isMine ? ticks(message) : null;
  return h('span', { class: 'meta' },
    store.state.stars.has(message.id) ? icon('star', { small: true, label: t('conversation.isStarred') }) : null,
    message.pinnedAt ? icon('pin', { small: true, label: t('conversation.pinned') }) : null,
    message.expiresAt ? h('span', { title: t('conversation.expires') }, '⏱') : null,
    message.editedAt ? h('span', {}, t('conversation.edited')) : null,
    time(message),
    mark && message.seq != null ? h('button', { type: 'button', class: 'meta__state', tabindex: '-1', title: t('conversation.info'), on: { click: openReceipts } }, mark) : mark,
    countWords(message, isMine));
}

// "Read by 4 of 9" beside the marks, for those messages of a group that not all have read.
function countWords(message, isMine) {
  if (!isMine || !(message.recipientCount > 1) || message.readCount === 0 || message.readCount >= message.recipientCount) return null;
  return h('span', {}, t('conversation.readBy', { count: message.readCount, total: message.recipientCount }));
}

function time({ timestamp }) {
  return h('time', { datetime: timestamp }, formatTime(timestamp));
}

// Why the server refused it, and what can be done.
function trouble(outboxRow) {
  if (outboxRow.state !== 'failed') return [];
  const { conversationId, messageId, problem } = outboxRow;
  return [h('p', { class: 'message__trouble' }, h('span', {}, problemWords(problem)),
    h('button', { type: 'button', class: 'button button--quiet', on: { click: () => retry(conversationId, messageId) } }, t('action.retry')))];
}

function onContextMenu(event, row) {
  if (!row.isActive || event.target.closest('a[href], img') || String(getSelection())) return;
  event.preventDefault();
  row.openMenu(event.clientX || event.clientY ? { x: event.clientX, y: event.clientY } : undefined);
}

function highlight(row) {
  if (row.classList.contains('message--marked')) {
    row.classList.remove('message--marked');
    void row.offsetWidth;
  }
  row.classList.add('message--marked');
  row.addEventListener('animationend', () => row.classList.remove('message--marked'), { once: true });
}
