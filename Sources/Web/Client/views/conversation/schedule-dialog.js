// Sending later: choosing the time, then the server has the message until it goes out.

import { api } from '../../transport/api.js';
import { now } from '../../transport/clock.js';
import { formatMoment, t } from '../../text/catalogue.js';
import { openDialog } from '../components/dialog.js';
import { field, fieldError } from '../components/field.js';
import { toast } from '../components/toast.js';
import { h } from '../element.js';
import { navigate } from '../router.js';
import { withSameId } from '../same-id.js';

/// Resolves with whether the message was scheduled.
export async function chooseTime({ conversationId, text, replyTo, mentions }) {
  // An hour that comes twice, when summer time ends, is the same in the field: what was offered is meant as it was offered.
  const offered = new Map();
  const offer = (time) => {
    offered.set(inputTime(time), time);
    return inputTime(time);
  };
  const when = field({ label: t('conversation.when'), type: 'datetime-local', value: offer(nextHour()), min: inputTime(new Date(now())) });
  const choose = (time) => (when.input.value = offer(time));
  const chips = suggestions().map(([words, time]) => h('button', { type: 'button', class: 'chip', on: { click: () => choose(time) } }, words));
  const quick = h('div', { class: 'chips' }, chips);
  const answer = await openDialog({
    title: t('conversation.sendLater'), body: [quick, when],
    actions: [
      { label: t('action.cancel'), value: null },
      { label: t('conversation.schedule'), kind: 'primary', value: () => offered.get(when.input.value) ?? new Date(when.input.value), check: (time) => isLater(time, when) },
    ],
  });
  if (!answer) return false;
  const message = { conversationId, text, sendAt: answer.toISOString(), ...(replyTo ? { replyToId: replyTo.id } : {}), ...(mentions.length > 0 ? { mentions } : {}) };
  await withSameId(message, (id) => api.put(`/v1/scheduled/${id}`, message));
  toast(t('conversation.scheduledFor', { when: formatMoment(answer) }), { action: { label: t('scheduled.title'), run: () => navigate('/scheduled') } });
  return true;
}

function isLater(time, when) {
  const isGood = time.getTime() > now();
  fieldError(when, isGood ? '' : t('conversation.timeIsOver'));
  if (!isGood) when.input.focus();
  return isGood;
}

// To set the minutes of an hour that comes twice would lead to the first of both, which may be over.
function nextHour() {
  const time = inAnHour();
  return new Date(time.getTime() - time.getMinutes() * 60_000);
}

function inAnHour() {
  const time = now() + 3_600_000;
  return new Date(time - (time % 60_000));
}

function suggestions() {
  const tomorrow = new Date(now());
  tomorrow.setDate(tomorrow.getDate() + 1);
  tomorrow.setHours(9, 0, 0, 0);
  const monday = new Date(tomorrow);
  monday.setDate(monday.getDate() + ((8 - monday.getDay()) % 7 || 7));
  return [[t('conversation.inAnHour'), inAnHour()], [t('conversation.tomorrow'), tomorrow], [t('conversation.nextWeek'), monday]];
}

// Such a field has this device's time, without a zone.
function inputTime(date) {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
