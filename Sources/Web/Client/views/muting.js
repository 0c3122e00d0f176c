// For how long a conversation can be muted, as its menu and its page offer it.

import { t } from '../text/catalogue.js';
import { now } from '../transport/clock.js';

const forEver = '9999-12-31T23:59:59.999Z';
const hour = 3_600_000;

/// What can be chosen, the shortest first: a length in milliseconds or `always`, and its words.
export function mutingTerms() {
  return [
    [hour, t('muting.hours', { count: 1 })], [8 * hour, t('muting.hours', { count: 8 })], [24 * hour, t('muting.day')],
    [7 * 24 * hour, t('muting.week')], ['always', t('muting.always')],
  ];
}

/// When the muting ends that begins now; nothing where the term is empty.
export function endOfMuting(term) {
  if (term === '') return null;
  return term === 'always' ? forEver : new Date(now() + Number(term)).toISOString();
}

/// The shortest term that reaches as far as a muting does.
export function nearestTerm(mutedUntil) {
  const left = Date.parse(mutedUntil) - now();
  return mutingTerms().find(([term]) => term === 'always' || left <= term)[0];
}
