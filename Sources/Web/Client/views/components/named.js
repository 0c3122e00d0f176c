// A name within other words, on one line: where there is no room, the name alone is cut, and at its own end.

import { t } from '../../text/catalogue.js';
import { h } from '../element.js';

// Stands for what is put in its place.
const gap = '\ufffc';

/// The text of a key with the name in it, which has a direction of its own.
export function named(key, name, className = '') {
  const [before, after = ''] = t(key, { name: gap }).split(gap);
  return h('span', { class: `named ${className}` }, before, h('bdi', { class: 'clip' }, name), after);
}
