// What can be done with a message.

import { api } from '../../transport/api.js';
import { removeUnsent, retry } from '../../store/outbox.js';
import { takeMessage } from '../../store/history.js';
import { setStar } from '../../store/stars.js';
import { store } from '../../store/store.js';
import { t } from '../../text/catalogue.js';
import { openDialog } from '../components/dialog.js';
import { openMenu } from '../components/menu.js';
import { toast } from '../components/toast.js';
import { attempt } from '../components/tried.js';
import { reportPerson } from '../people/report-dialog.js';
import { personName } from '../names.js';
import { closedWords } from './closed-words.js';
import { forwardMessage } from './forward-dialog.js';
import { openReactions } from './reactions.js';
import { showReceipts } from './receipts-dialog.js';

const pathOf = (message) => `/v1/conversations/${message.conversationId}/messages/${message.id}`;

/// Opens the menu at an element or a place.
export function openMessageMenu(anchor, message, row) {
  const items = message.isUnsent ? unsentItems(message, row) : sentItems(anchor, message);
  openMenu(anchor, items.filter(Boolean), { label: t('conversation.messageMenu') });
}

function unsentItems(message, row) {
  const mayWrite = mayWriteIn(store.state.conversations.get(message.conversationId));
  return [
    row?.state === 'failed' ? { label: t('action.retry'), icon: 'upload', run: () => retry(message.conversationId, message.id) } : null,
    message.text && mayWrite ? { label: t('action.edit'), icon: 'edit', run: () => tell('editmessage', message) } : null,
    message.text ? { label: t('action.copy'), icon: 'copy', run: attempt(() => copy(message.text)) } : null,
    { label: t('action.delete'), icon: 'trash', danger: true, run: () => removeUnsent(message.conversationId, message.id) },
  ];
}

function sentItems(anchor, message) {
  const { state } = store;
  const conversation = state.conversations.get(message.conversationId);
  const isMine = message.senderId === state.me.id;
  const isMember = conversation && !conversation.isFormer;
  const mayWrite = mayWriteIn(conversation);
  const isGroup = conversation?.type === 'group';
  const isAdmin = conversation?.me.role === 'owner' || conversation?.me.role === 'admin';
  // In a group that goes without writing, too.
  const mayReact = isGroup ? isMember : mayWrite;
  const mayPin = isGroup ? isMember && (isAdmin || conversation.permissions?.pin === 'everyone') : mayWrite;
  return [
    mayWrite ? { label: t('conversation.answer'), icon: 'reply', run: () => tell('answermessage', message) } : null,
    mayReact ? { label: t('conversation.react'), icon: 'emoji', run: () => openReactions(elementOf(anchor, message), message) } : null,
    { label: t('conversation.forward'), icon: 'forward', run: attempt(() => forwardMessage(message)) },
    message.text ? { label: t('action.copy'), icon: 'copy', run: attempt(() => copy(message.text)) } : null,
    starItem(message, state.stars.has(message.id)),
    mayPin ? { label: t(message.pinnedAt ? 'conversation.unpin' : 'conversation.pin'), icon: 'pin', run: attempt(() => pin(message)) } : null,
    isMine && mayWrite && message.text && !message.forwardedFrom ? { label: t('action.edit'), icon: 'edit', run: () => tell('editmessage', message) } : null,
    isMine ? { label: t('conversation.info'), icon: 'checks', run: () => showReceipts(message) } : null,
    !isMine ? { label: t('people.report'), icon: 'flag', run: () => reportPerson({ id: message.senderId, displayName: personName(state, message.senderId) }, { conversationId: message.conversationId, messageId: message.id }) } : null,
    { label: t('action.delete'), icon: 'trash', danger: true, run: attempt(() => remove(message, { forEveryone: isMember && (isMine || (isGroup && isAdmin)) })) },
  ];
}

function mayWriteIn(conversation) {
  return conversation !== undefined && closedWords(store.state, conversation) === null;
}

function elementOf(anchor, message) {
  const isHere = anchor instanceof Element && anchor.isConnected;
  return isHere ? anchor : document.querySelector(`[data-id="${CSS.escape(message.id)}"] .bubble`) ?? document.body;
}

// The conversation's screen does what belongs to its composer.
function tell(type, message) {
  document.dispatchEvent(new CustomEvent(type, { detail: message }));
}

async function copy(text) {
  await navigator.clipboard.writeText(text);
  toast(t('action.copied'));
}

function starItem(message, isStarred) {
  if (isStarred) return { label: t('starred.remove'), icon: 'star', run: attempt(() => setStar(message, false)) };
  return { label: t('conversation.star'), icon: 'star', run: attempt(() => star(message)) };
}

async function star(message) {
  await setStar(message, true);
  toast(t('conversation.starred'), { action: { label: t('action.undo'), run: attempt(() => setStar(message, false)) } });
}

async function pin(message) {
  const { body } = message.pinnedAt ? await api.delete(`${pathOf(message)}/pin`) : await api.put(`${pathOf(message)}/pin`);
  if (body) takeMessage(body);
}

async function remove(message, { forEveryone }) {
  const choice = await openDialog({
    title: t('conversation.deleteTitle'),
    body: [],
    isStacked: forEveryone,
    actions: [
      { label: t('action.cancel'), value: null },
      { label: t('conversation.deleteForMe'), value: 'me', kind: forEveryone ? undefined : 'danger' },
      ...(forEveryone ? [{ label: t('conversation.deleteForEveryone'), value: 'everyone', kind: 'danger' }] : []),
    ],
  });
  if (!choice) return;
  await api.delete(`${pathOf(message)}?for=${choice}`);
}
