// Telling those who run the server of a person or of what a person said.

import { t } from '../../text/catalogue.js';
import { api } from '../../transport/api.js';
import { newId } from '../../transport/ids.js';
import { askDialog } from '../components/ask-dialog.js';
import { field } from '../components/field.js';
import { toast } from '../components/toast.js';
import { h } from '../element.js';
import { nameOf } from './person-row.js';

const reasons = ['spam', 'harassment', 'hate', 'violence', 'sexual', 'selfHarm', 'fraud', 'illegal', 'other'];

/// `message` is `{conversationId, messageId}` where one message is meant.
export async function reportPerson(person, message = {}) {
  const name = nameOf(person);
  const choices = reasons.map((reason, index) => h(
    'label', { class: 'radio-row' },
    h('input', { type: 'radio', name: 'reason', value: reason, checked: index === 0 }), h('span', {}, t(`report.${reason}`))));
  const group = h('fieldset', {}, h('legend', { class: 'field__label' }, t('report.reason')), ...choices);
  const comment = field({ label: t('report.comment'), multiline: true, rows: '3', maxlength: '1000' });
  const idempotencyKey = newId();
  const isDone = await askDialog({
    title: t('report.title', { name }),
    text: t('report.lead', { name }),
    choice: group,
    fields: { '/comment': comment },
    action: t('report.submit'),
    danger: true,
    submit: () => api.post('/v1/reports', {
      userId: person.id, ...message, reason: group.querySelector('input:checked').value, comment: comment.input.value.trim() || null,
    }, { idempotencyKey }),
  });
  if (isDone) toast(t('report.done'));
}
