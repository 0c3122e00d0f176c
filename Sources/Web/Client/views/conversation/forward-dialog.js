// Passing a message on to other conversations.

import { api } from '../../transport/api.js';
import { store } from '../../store/store.js';
import { t } from '../../text/catalogue.js';
import { avatar } from '../components/avatar.js';
import { openDialog } from '../components/dialog.js';
import { searchField } from '../components/field.js';
import { toast } from '../components/toast.js';
import { h } from '../element.js';
import { conversationFace, conversationName } from '../names.js';
import { withSameId } from '../same-id.js';
import { closedWords } from './closed-words.js';

const mostAtOnce = 20;
const mostShown = 60;

export async function forwardMessage(message) {
  const chosen = new Set();
  const list = h('ul', { class: 'forward__list', 'aria-label': t('conversation.forwardTitle') });
  const search = searchField({ label: t('conversation.forwardSearch'), placeholder: t('conversation.forwardSearch'), onInput: () => show() });
  const hint = h('p', { class: 'forward__hint', role: 'alert' });
  const isChosen = () => {
    hint.textContent = chosen.size > 0 ? '' : t('conversation.forwardNobody');
    return chosen.size > 0;
  };
  const onChange = (isTooMany) => (hint.textContent = isTooMany ? t('conversation.forwardMost', { count: mostAtOnce }) : '');
  const show = () => list.replaceChildren(...candidates(search.input.value).map((conversation) => choice(conversation, chosen, onChange)));
  show();
  const isMeant = await openDialog({
    title: t('conversation.forwardTitle'), plain: true, body: [h('div', { class: 'forward__search' }, search, hint), list],
    actions: [
      { label: t('action.cancel'), value: null },
      { label: t('conversation.forward'), value: true, kind: 'primary', check: isChosen },
    ],
  });
  if (!isMeant) return;
  const path = `/v1/conversations/${message.conversationId}/messages/${message.id}/forward`;
  const conversationIds = [...chosen].sort();
  const { body } = await withSameId({ path, conversationIds }, (idempotencyKey) => api.post(path, { conversationIds }, { idempotencyKey }));
  const failed = body.items.filter((item) => item.code).length;
  if (failed > 0) toast(t('conversation.forwardFailed', { count: failed }), { kind: 'error' });
  else toast(t('conversation.forwardDone', { count: body.items.length }));
}

// Those in which one may write, and whose name has these words in it.
function candidates(query) {
  const { state } = store;
  const words = query.trim().toLocaleLowerCase();
  const hasWords = (one) => conversationName(state, one).toLocaleLowerCase().includes(words);
  const known = state.order.map((id) => state.conversations.get(id)).filter(Boolean);
  return known.filter((one) => hasWords(one) && closedWords(state, one) === null).slice(0, mostShown);
}

function choice(conversation, chosen, onChange) {
  const name = conversationName(store.state, conversation);
  const box = h('input', { type: 'checkbox', class: 'check-mark', checked: chosen.has(conversation.id) });
  box.addEventListener('change', () => {
    const isTooMany = box.checked && chosen.size >= mostAtOnce;
    if (isTooMany) box.checked = false;
    else if (box.checked) chosen.add(conversation.id);
    else chosen.delete(conversation.id);
    onChange(isTooMany);
  });
  return h('li', { 'aria-label': name }, h('label', { class: 'row row--short' }, avatar({ ...conversationFace(store.state, conversation), size: 'small', presence: null }), h('span', { class: 'row__main' }, h('bdi', { class: 'clip' }, name)), box));
}
