// The frame of a screen in a pane: a heading with what can be done, tools below it, and what is scrolled.

import { t } from '../../text/catalogue.js';
import { h } from '../element.js';
import { back } from '../router.js';
import { icon } from './icon.js';

/// Parts of a screen. `up` is where "back" leads where there is nothing to go back to; without it there is no such button.
export function page({ title, up, actions = [], tools = [], body = [], footer = [] }) {
  const heading = h('h1', { class: 'page__title', tabindex: '-1' }, title);
  const header = h('header', { class: 'page__header' }, up ? backButton(up) : null, heading, ...actions);
  const column = h('div', { class: 'page__column' }, ...body);
  return h(
    'div', { class: 'page' },
    header,
    tools.length > 0 ? h('div', { class: 'page__tools' }, ...tools) : null,
    h('div', { class: 'page__body' }, column),
    footer.length > 0 ? h('div', { class: 'page__footer' }, ...footer) : null);
}

export function section({ title, children, note }) {
  const heading = title ? h('h2', { class: 'section__title' }, title) : null;
  return h('section', { class: 'section' }, heading, ...children, note ? h('p', { class: 'section__note' }, note) : null);
}

/// A round button with an icon alone; its label is told to who listens, and shown to who waits.
export function iconButton(name, label, run, { kind = '' } = {}) {
  const classes = kind ? `button button--icon button--${kind}` : 'button button--icon';
  return h('button', { type: 'button', class: classes, 'aria-label': label, title: label, on: { click: run } }, icon(name));
}

function backButton(up) {
  return iconButton('back', t('action.back'), () => back(up));
}

/// A row with an icon that leads to a screen (`href`) or does something (`run`).
export function actionRow({ icon: name, title, detail, href, run, danger = false, meta }) {
  const content = [
    h('span', { class: 'row__icon' }, icon(name)),
    h('span', { class: 'row__main' }, h('span', { class: 'row__title' }, title), detail ? h('span', { class: 'row__detail' }, detail) : null),
    meta ? h('span', { class: 'row__meta' }, meta) : null,
  ];
  const classes = danger ? 'row row--short row--danger' : 'row row--short';
  return href ? h('a', { class: classes, href }, content) : h('button', { type: 'button', class: classes, on: { click: run } }, content);
}

/// A row with a switch. `change(isOn)` may throw: the switch goes back then.
export function switchRow({ title, hint, isOn, isDisabled = false, change }) {
  const input = h('input', { type: 'checkbox', role: 'switch', class: 'switch', checked: isOn, disabled: isDisabled });
  const detail = h('span', { class: 'row__detail' }, hint ?? '');
  input.addEventListener('change', async () => {
    try {
      await change(input.checked);
    } catch {
      input.checked = !input.checked;
    }
  });
  const node = h(
    'label', { class: 'row row--short' },
    h('span', { class: 'row__main' }, h('span', { class: 'row__title' }, title), hint ? detail : null), input);
  return Object.assign(node, { input, detail });
}

/// A row with a choice of several. `options` is `[[value, words]]`.
export function selectRow({ title, hint, value, options, isDisabled = false, change }) {
  const choices = options.map(([key, words]) => h('option', { value: key, selected: String(key) === String(value) }, words));
  const select = h('select', { class: 'select', disabled: isDisabled }, ...choices);
  let before = select.value;
  select.addEventListener('change', async () => {
    try {
      await change(select.value);
      before = select.value;
    } catch {
      select.value = before;
    }
  });
  const words = h('span', { class: 'row__main' }, h('span', { class: 'row__title' }, title), hint ? h('span', { class: 'row__detail' }, hint) : null);
  return Object.assign(h('label', { class: 'row row--short' }, words, select), { select });
}

/// What a list shows where there is nothing.
export function empty({ icon: name, title, hint, action }) {
  return h(
    'div', { class: 'empty' }, icon(name), h('p', { class: 'empty__title' }, title), hint ? h('p', {}, hint) : null, action ?? null);
}
