// Dialogs: the browser's own <dialog>, which keeps the focus inside, closes on Escape, and gives the focus back to what is
// still there.

import { t } from '../../text/catalogue.js';
import { h } from '../element.js';
import { noteFocus } from '../focus.js';

let count = 0;

/// Shows a dialog and resolves with the value of the action that was chosen, or null where it was closed.
/// An action is `{label, value, kind: 'primary' | 'danger', check}`; where `check()` is false the dialog stays. Actions that are
/// too long for one line are stacked, the first one lowest.
export function openDialog({ title, body, actions = [], plain = false, isStacked = false, className = '', onOpen }) {
  return new Promise((resolve) => {
    let value = null;
    const heading = h('h2', { class: 'dialog__title', id: `dialog-${(count += 1)}` }, title);
    const dialog = h('dialog', { class: `dialog ${className}`, 'aria-labelledby': heading.id });
    const close = (chosen) => {
      value = chosen;
      dialog.close();
    };
    const content = h('div', { class: plain ? 'dialog__body dialog__body--plain' : 'dialog__body' }, ...[body].flat().filter(Boolean));
    const buttons = (isStacked ? actions.toReversed() : actions).map((action) => actionButton(action, close));
    // Whoever presses Enter at once has done nothing yet.
    if (isStacked) buttons.at(-1).autofocus = true;
    dialog.append(heading, content);
    if (buttons.length > 0) dialog.append(h('div', { class: isStacked ? 'dialog__actions dialog__actions--stacked' : 'dialog__actions' }, ...buttons));
    dialog.addEventListener('click', (event) => {
      if (event.target === dialog) dialog.close();
    });
    const giveBack = noteFocus();
    dialog.addEventListener('close', () => {
      dialog.remove();
      if (document.activeElement === document.body) giveBack();
      resolve(value);
    });
    document.body.append(dialog);
    dialog.showModal();
    onOpen?.({ dialog, close });
  });
}

/// Asks whether something is meant. Resolves with whether it is.
export async function confirmDialog({ title, text, action, danger = false }) {
  const answer = await openDialog({
    title,
    body: text ? h('p', {}, text) : null,
    actions: [
      { label: t('action.cancel'), value: null },
      { label: action, value: true, kind: danger ? 'danger' : 'primary' },
    ],
  });
  return answer === true;
}

function actionButton({ label, value, kind, check }, close) {
  const press = async () => {
    const chosen = typeof value === 'function' ? value() : value;
    if (check && !(await check(chosen))) return;
    close(chosen);
  };
  return h('button', { type: 'button', class: kind ? `button button--${kind}` : 'button', on: { click: press } }, label);
}
