// A labelled field, and the words for what is wrong with it or with a whole form.

import { t } from '../../text/catalogue.js';
import { h } from '../element.js';
import { icon } from './icon.js';

let count = 0;

/// A label, an input (a `textarea` with `multiline`), a hint and room for an error. `field.input` is the input.
export function field({ label, hint, multiline = false, type = 'text', ...attributes }) {
  const id = `field-${(count += 1)}`;
  const input = h(multiline ? 'textarea' : 'input', { id, class: 'input', 'aria-describedby': `${id}-${hint ? 'hint' : 'error'}`, ...attributes, ...(multiline ? {} : { type }) });
  const node = h(
    'div', { class: 'field' },
    h('label', { class: 'field__label', for: id }, label),
    h('div', { class: 'field__box' }, input, type === 'password' ? revealButton(input) : null),
    hint ? h('p', { class: 'field__hint', id: `${id}-hint` }, hint) : null,
    h('p', { class: 'field__error', id: `${id}-error` }));
  node.input = input;
  return node;
}

/// Says what is wrong with a field, in the place of its hint; an empty text takes it back. Who comes to the field hears it as
/// the field's description, and who is there already as it is said.
export function fieldError(node, text) {
  const hint = node.querySelector('.field__hint');
  const error = node.querySelector('.field__error');
  if (text && document.activeElement === node.input) error.setAttribute('role', 'alert');
  else error.removeAttribute('role');
  error.textContent = text ?? '';
  if (hint) hint.hidden = Boolean(text);
  node.input.setAttribute('aria-describedby', hint && !text ? hint.id : error.id);
  if (text) node.input.setAttribute('aria-invalid', 'true');
  else node.input.removeAttribute('aria-invalid');
}

/// A form's own place for what went wrong, read out when it changes.
export function formNotice() {
  return h('div', { class: 'notice notice--error', role: 'alert' });
}

/// Shows a problem: at the fields that it names (`fields` is a JSON pointer to a field), and the rest in the notice.
/// The first field that is wrong gets the focus.
export function showProblem(problem, { fields = {}, notice }) {
  for (const node of Object.values(fields)) fieldError(node, '');
  const named = (problem.errors ?? []).filter((error) => fields[error.pointer]);
  for (const error of named) fieldError(fields[error.pointer], fieldWords(error));
  notice.textContent = named.length > 0 ? '' : problemWords(problem);
  fields[named[0]?.pointer]?.input.focus();
}

/// A problem in the reader's language. The server's own words are English: they stand in where there are no others.
export function problemWords(problem) {
  if (problem.isOffline) return t('problem.offline');
  const key = `problem.${problem.code}`;
  const words = t(key, { count: Math.ceil(problem.retryAfter ?? 1), seconds: Math.ceil(problem.retryAfter ?? 1) });
  return words === key ? problem.detail || problem.title || t('problem.unknown') : words;
}

function fieldWords({ code, message }) {
  const key = `field.${code}`;
  const words = t(key);
  return words === key ? message : words;
}

// Its words are its content, not a label: the field alone is labelled as the password.
function revealButton(input) {
  const words = h('span', { class: 'visually-hidden' }, t('field.reveal'));
  const button = h('button', { type: 'button', class: 'button button--icon', 'aria-pressed': 'false' }, icon('eye'), words);
  button.addEventListener('click', () => {
    const shown = input.type === 'password';
    input.type = shown ? 'text' : 'password';
    button.setAttribute('aria-pressed', String(shown));
  });
  return button;
}

/// The field for searching. It is a text field, not of type search: its role is then the textbox that people's tools look for.
export function searchField({ placeholder, onInput, label }) {
  const input = h('input', {
    type: 'text', inputmode: 'search', enterkeyhint: 'search', class: 'input', placeholder, 'aria-label': label ?? t('field.search'), autocomplete: 'off', spellcheck: 'false', maxlength: '200',
  });
  let timer;
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => onInput(input.value.trim()), 150);
  });
  const node = h('div', { class: 'search-field' }, icon('search'), input);
  node.input = input;
  return node;
}
