// One conversation in the list.

import { isMuted } from '../../store/conversations.js';
import { draftOf } from '../../store/drafts.js';
import { formatNumber, formatWhen, t } from '../../text/catalogue.js';
import { now } from '../../transport/clock.js';
import { updateAvatar } from '../components/avatar.js';
import { icon } from '../components/icon.js';
import { named } from '../components/named.js';
import { h } from '../element.js';
import { conversationFace, conversationName, personName, summaryWords, typingWords } from '../names.js';
import { dayNow } from '../passing-time.js';

/// A row; one of the first fills the window with others, and is drawn at once.
export function chatRow(id, { isFirst = false } = {}) {
  const face = h('span', {});
  const main = h('span', { class: 'row__main' });
  const link = h('a', { class: 'row', href: `/conversations/${id}` }, main, face);
  return Object.assign(h('li', { class: isFirst ? 'chat' : 'chat chat--later', dataset: { id } }, link), { face, main, link, seen: [] });
}

/// Brings a row up to date, if anything of what it shows is another than before.
export function updateChatRow(row, state, id, currentId) {
  const conversation = state.conversations.get(id);
  const face = conversationFace(state, conversation);
  const unsent = unsentIn(state, id);
  // What is being written shows where it is written: each key would draw the row anew.
  const draft = id === currentId ? null : state.drafts.get(id);
  const seen = [
    conversation, state.typing.get(id), face.presence, face.name, face.photoURL, draft, unsent?.payload, unsent?.state === 'failed', id === currentId,
    state.users.get(conversation.lastMessage?.senderId), state.blocks, isMuted(conversation, now()), dayNow(),
  ];
  if (seen.every((value, index) => value === row.seen[index]) && row.seen.length > 0) return;
  row.seen = seen;
  const name = conversationName(state, conversation);
  row.setAttribute('aria-label', name);
  row.classList.toggle('chat--unread', conversation.unreadCount > 0 || conversation.me.markedUnread);
  updateAvatar(row.face, face);
  row.main.replaceChildren(firstLine(conversation, name), secondLine(state, conversation, id === currentId));
  if (id === currentId) row.link.setAttribute('aria-current', 'page');
  else row.link.removeAttribute('aria-current');
}

function firstLine(conversation, name) {
  const at = conversation.lastMessage?.timestamp ?? conversation.updatedAt;
  return h('span', { class: 'row__line' },
    h('bdi', { class: 'row__title clip' }, name),
    h('time', { class: 'row__meta chat__time', datetime: at }, formatWhen(at)));
}

function secondLine(state, conversation, isCurrent) {
  return h('span', { class: 'row__line' }, lastWords(state, conversation, isCurrent), marks(conversation));
}

function lastWords(state, conversation, isCurrent) {
  const typing = typingWords(state, conversation);
  if (typing) return h('span', { class: 'chat__last chat__last--typing' }, h('span', { class: 'clip', dir: 'auto' }, typing));
  const draft = draftOf(conversation.id).text.trim();
  if (draft && !isCurrent) return line(h('span', { class: 'chat__by chat__draft' }, t('chats.draft')), draft);
  const unsent = unsentIn(state, conversation.id);
  if (unsent) return line(icon(unsent.state === 'failed' ? 'alert' : 'clock', { small: true, label: t(unsent.state === 'failed' ? 'state.failed' : 'state.sending') }), unsentWords(unsent));
  const { lastMessage } = conversation;
  if (!lastMessage) return line(null, t('chats.noMessages'));
  if (state.blocks.has(lastMessage.senderId) && conversation.type === 'group') return line(null, t('conversation.blockedMessage'));
  return line(sender(state, conversation, lastMessage), summaryWords(lastMessage), kindIcon(lastMessage));
}

function unsentIn(state, id) {
  return state.outbox.get(id)?.findLast((row) => row.kind === 'send' && row.state !== 'accepted');
}

function unsentWords({ payload, files }) {
  return payload.text ?? summaryWords({ attachments: files.map((file) => file.kind) });
}

function sender(state, conversation, { senderId }) {
  const isMine = senderId === state.me?.id;
  if (conversation.type === 'direct') return isMine ? h('span', { class: 'chat__by' }, t('chats.you')) : null;
  return isMine ? h('span', { class: 'chat__by' }, t('chats.you')) : named('chats.by', personName(state, senderId), 'chat__by');
}

function kindIcon({ attachments, deletedAt }) {
  const kind = deletedAt ? null : attachments?.[0];
  return kind ? icon({ image: 'image', audio: 'mic' }[kind] ?? 'file', { small: true }) : null;
}

function line(before, words, mark = null) {
  return h('span', { class: 'chat__last' }, before, mark, h('span', { class: 'clip', dir: 'auto' }, words.slice(0, 200)));
}

function marks(conversation) {
  const { me, unreadCount, mentionCount } = conversation;
  const isQuiet = isMuted(conversation, now());
  return h('span', { class: 'chat__marks' },
    isQuiet ? icon('mute', { small: true, label: t('chats.muted') }) : null,
    me.pinned ? icon('pin', { small: true, label: t('chats.pinned') }) : null,
    mentionCount > 0 ? badge('@', t('chats.mentioned'), false) : null,
    unreadCount > 0 || me.markedUnread ? unreadBadge(unreadCount, isQuiet) : null);
}

function unreadBadge(count, isQuiet) {
  const shown = count > 999 ? '999+' : count > 0 ? formatNumber(count) : '';
  return badge(shown, count > 0 ? t('chats.unread', { count }) : t('chats.markedUnread'), isQuiet);
}

// The words are for who listens: what is in a row takes no pointer, so a title would never show.
function badge(shown, words, isQuiet) {
  return h('span', { class: isQuiet ? 'badge badge--quiet' : 'badge' }, h('span', { 'aria-hidden': 'true' }, shown), h('span', { class: 'visually-hidden' }, words));
}
