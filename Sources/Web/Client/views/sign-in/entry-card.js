// What the screens before signing in share: the card in the middle of the page, and forms that say what went wrong.

import { h } from '../element.js';
import { formNotice, showProblem } from '../components/field.js';

/// The name of the product, a heading, a lead, and what the screen is about.
export function frame({ title, lead, children }) {
  return h(
    'div', { class: 'entry' },
    h(
      'div', { class: 'entry__card' },
      h('img', { class: 'entry__mark', src: new URL('../../icons/icon.svg', import.meta.url).pathname, alt: '', width: '56', height: '56' }),
      h('h1', { class: 'entry__title', tabindex: '-1' }, title),
      lead ? h('p', { class: 'entry__lead' }, lead) : null,
      ...children));
}

/// A form with one button. `submit()` is the request; while it runs the button waits, and a problem is shown at its field.
/// `fields` goes from JSON pointers to fields.
export function form({ fields, action, submit, extra = [] }) {
  const notice = formNotice();
  const button = h('button', { type: 'submit', class: 'button button--primary button--block' }, action);
  const node = h('form', { class: 'entry__form', novalidate: true }, notice, ...Object.values(fields), ...extra, button);
  node.notice = notice;
  node.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (button.getAttribute('aria-busy') === 'true') return;
    button.setAttribute('aria-busy', 'true');
    try {
      notice.textContent = '';
      await submit();
    } catch (problem) {
      showProblem(problem, { fields, notice });
    } finally {
      button.removeAttribute('aria-busy');
    }
  });
  return node;
}
