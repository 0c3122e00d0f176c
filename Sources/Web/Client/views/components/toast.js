// A short word at the foot of the screen, told to those who listen, too. It goes by itself; one with an action stays longer.

import { h } from '../element.js';

const shortly = 5_000;
const longer = 10_000;
const mostToasts = 3;

/// Says something; an error at once, the rest when there is a pause. `action` is `{label, run}`, `time` how long it stays, in
/// milliseconds.
export function toast(text, { kind = 'info', action, time = action ? longer : shortly } = {}) {
  const area = toastArea();
  const remove = () => {
    clearTimeout(timer);
    node.remove();
  };
  const button = action && h('button', { type: 'button', class: 'button', on: { click: () => { remove(); action.run(); } } }, action.label);
  const node = h('div', { class: `toast toast--${kind}`, role: kind === 'error' ? 'alert' : 'status' }, h('span', {}, text), button);
  const timer = setTimeout(remove, time);
  // What is said twice in a row stands there once; an action is another one each time.
  const last = area.lastElementChild;
  if (!action && last?.childElementCount === 1 && last.textContent === text) last.remove();
  while (area.childElementCount >= mostToasts) area.firstElementChild.remove();
  area.append(node);
  return remove;
}

function toastArea() {
  const present = document.querySelector('.toasts');
  if (present) return present;
  const area = h('div', { class: 'toasts' });
  document.body.append(area);
  return area;
}
