// The text of a message: text nodes, with links made by code and mentions marked. Nothing in it is ever markup.

import { t } from '../../text/catalogue.js';
import { h } from '../element.js';

const address = /\bhttps?:\/\/[^\s<>"'`\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]{1,2000}/giu;
const trailing = /[.,;:!?…)\]}'"»”]+$/u;
const onlyEmoji = /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f?|[\u200d\ufe0f\u20e3]|\p{Emoji_Modifier}|\p{Regional_Indicator}|\s)+$/u;
// Marks that stand on each other reach beyond their line, also with signs between them that show nothing; and a sign alone may
// be as wide as a line.
const reachesOut = /\p{M}\p{Cf}*\p{M}|[\ufdf0-\ufdff\u{12000}-\u{1247f}]/u;
const longText = 3_000;
const longLines = 100;
const lineEnd = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/gu;
// What shows nothing, or passes for a slash or a colon, would make a name that goes on look like another one's that has ended.
const misleading = /[^\p{L}\p{M}\p{N}.:_[\]-]|\p{Default_Ignorable_Code_Point}|[\u02d0\u0334-\u0338]/u;

/// `{node, isLarge}`: the text as it is shown; a few emoji alone are large.
export function textOf(message, state) {
  const { text } = message;
  const isLarge = text.length <= 40 && onlyEmoji.test(text) && [...new Intl.Segmenter().segment(text.trim())].length <= 3;
  const node = h('p', { class: reachesOut.test(text) ? 'bubble__text bubble__text--clipped' : 'bubble__text', dir: 'auto' });
  const end = endOfShown(text);
  node.append(...linked(text.slice(0, end), namesOf(message, state)));
  if (end < text.length) node.append('… ', rest(node, text, message, state));
  return { node, isLarge };
}

// Of a very long text the beginning is shown: no address ends there before its end, and no sign is divided.
function endOfShown(text) {
  const lines = endOfLines(text);
  if (lines <= longText || text.length <= longText) return lines;
  for (const { index, 0: found } of text.matchAll(address)) {
    if (index < longText && index + found.length > longText) return index;
  }
  return new Intl.Segmenter().segment(text).containing(longText).index;
}

// Nor more lines than fill a few screens.
function endOfLines(text) {
  let count = 0;
  for (const { index } of text.matchAll(lineEnd)) if ((count += 1) === longLines) return index;
  return text.length;
}

// It is shown in full when that is wanted.
function rest(node, text, message, state) {
  const show = () => {
    const row = node.closest('.message');
    node.replaceChildren(...linked(text, namesOf(message, state)));
    row?.focus({ preventScroll: true });
  };
  return h('button', { type: 'button', class: 'bubble__more', on: { click: show } }, t('conversation.showMore'));
}

/// What was mentioned, as it stands in the text.
function namesOf({ mentions = [] }, state) {
  return mentions.map((id) => (id === '@all' ? { id, words: '@all' } : { id, words: `@${state.users.get(id)?.displayName ?? ''}` })).filter(({ words }) => words.length > 1);
}

function linked(text, names) {
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(address)) {
    const found = withoutTrailing(match[0]);
    parts.push(...mentioned(text.slice(at, match.index), names), link(found));
    at = match.index + found.length;
  }
  parts.push(...mentioned(text.slice(at), names));
  return parts;
}

// A bracket belongs to the address where it was opened in it.
function withoutTrailing(found) {
  const end = trailing.exec(found)?.[0] ?? '';
  if (end.startsWith(')') && found.slice(0, -end.length).includes('(')) return found.slice(0, found.length - end.length + 1);
  return found.slice(0, found.length - end.length);
}

function link(text) {
  let url;
  try {
    url = new URL(text);
  } catch {
    return text;
  }
  // A name before an @ makes an address look like another one's.
  if ((url.protocol !== 'https:' && url.protocol !== 'http:') || url.username || url.password || misleads(text)) return text;
  return h('a', { href: url.href, target: '_blank', rel: 'noopener noreferrer nofollow', dir: 'ltr' }, text);
}

// Whether the name of the server, as it is written, may be taken for another one's; also by letters of two scripts.
function misleads(text) {
  const [name] = text.slice(text.indexOf('//') + 2).split(/[/?#\\]/u);
  const hasBoth = (label) => /\p{Script=Latin}/u.test(label) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(label);
  return misleading.test(name) || name.split('.').some(hasBoth);
}

function mentioned(text, names) {
  if (text === '' || names.length === 0) return text === '' ? [] : [text];
  const parts = [];
  let at = 0;
  while (at < text.length) {
    const next = earliest(text, names, at);
    if (!next) break;
    if (next.index > at) parts.push(text.slice(at, next.index));
    parts.push(h('bdi', { class: 'mention' }, next.words));
    at = next.index + next.words.length;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}

function earliest(text, names, from) {
  let found = null;
  for (const { words } of names) {
    const index = text.indexOf(words, from);
    if (index >= 0 && (!found || index < found.index || (index === found.index && words.length > found.words.length))) found = { index, words };
  }
  return found;
}
