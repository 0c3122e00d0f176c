// A dialog with fields: it stays open, with words at the fields, until the server has taken what was entered.

import { t } from '../../text/catalogue.js';
import { h } from '../element.js';
import { openDialog } from './dialog.js';
import { formNotice, showProblem } from './field.js';

/// `fields` goes from JSON pointers to fields; a `choice` stands before them, and has the focus. `submit()` does it; resolves
/// with whether it was done.
export function askDialog({ title, text, fields, choice = null, action, danger = false, submit, describe }) {
  const notice = formNotice();
  const press = async () => {
    try {
      await submit();
      return true;
    } catch (problem) {
      showProblem(describe?.(problem) ?? problem, { fields, notice });
      return false;
    }
  };
  return openDialog({
    title,
    body: [text ? h('p', {}, text) : null, notice, choice, ...Object.values(fields)],
    actions: [
      { label: t('action.cancel'), value: null },
      { label: action, value: true, kind: danger ? 'danger' : 'primary', check: press },
    ],
    onOpen: ({ dialog, close }) => {
      const inputs = Object.values(fields).map((node) => node.input);
      const first = choice?.querySelector('input:checked') ?? inputs[0];
      first?.focus();
      first?.select();
      dialog.addEventListener('keydown', async (event) => {
        if (event.key !== 'Enter' || event.isComposing || !inputs.includes(event.target) || event.target.tagName !== 'INPUT') return;
        event.preventDefault();
        if (await press()) close(true);
      });
    },
  }).then((answer) => answer === true);
}
