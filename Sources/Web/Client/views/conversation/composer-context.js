// What stands above the line that one writes in: the message that is answered, or changed.

import { store } from '../../store/store.js';
import { t } from '../../text/catalogue.js';
import { iconButton } from '../components/page.js';
import { h } from '../element.js';
import { personName } from '../names.js';
import { quoteWords } from './quote.js';

/// What is shown of it, with a button that gives it up.
export function contextOf({ editing, replyTo, conversationId, giveUp }) {
  const about = editing ?? { ...replyTo, ...answeredNow(conversationId, replyTo) };
  const title = editing ? t('conversation.editing') : t('conversation.answerTo', { name: personName(store.state, about.senderId) });
  return [
    h('div', { class: 'composer__quote' }, h('strong', {}, title), h('span', { class: 'clip', dir: 'auto' }, quoteWords(about))),
    iconButton('close', t('action.cancel'), giveUp),
  ];
}

/// What the message that is answered says by now, in a line; it may have been changed or deleted meanwhile.
export function wordsNow(conversationId, replyTo) {
  return replyTo ? quoteWords({ ...replyTo, ...answeredNow(conversationId, replyTo) }) : '';
}

function answeredNow(conversationId, { id }) {
  const held = store.state.timelines.get(conversationId)?.messages.get(id);
  return held ? answered(held) : {};
}

/// As much of a message as an answer to it keeps.
export function answered({ id, seq, senderId, text, attachments }) {
  return { id, seq, senderId, text: text?.slice(0, 300) ?? null, attachments: attachments?.map(({ kind }) => kind) };
}

/// As much of a message as a change of it keeps.
export function changed({ id, conversationId, senderId, text, attachments }) {
  return { id, conversationId, senderId, text, attachments: attachments?.map(({ kind }) => kind) };
}
