// What a message answers to: a tap leads there.

import { t } from '../../text/catalogue.js';
import { personColour } from '../components/avatar.js';
import { h } from '../element.js';
import { personName, summaryWords } from '../names.js';

export function quoteOf(replyTo, state) {
  const words = quoteWords(replyTo);
  const show = (event) => event.currentTarget.dispatchEvent(new CustomEvent('showmessage', { bubbles: true, detail: { id: replyTo.id } }));
  return h('button', { type: 'button', class: 'quote', tabindex: '-1', 'aria-label': t('conversation.showQuoted', { words }), on: { click: show } },
    h('bdi', { class: `quote__name person-text-${personColour(replyTo.senderId)}` }, personName(state, replyTo.senderId)),
    h('span', { class: 'quote__text', dir: 'auto' }, words));
}

/// What a quoted message says in a line; it may be deleted by now.
export function quoteWords({ text, attachments }) {
  return text === null && !attachments?.length ? t('kind.deleted') : summaryWords({ text: text?.slice(0, 300), attachments });
}
