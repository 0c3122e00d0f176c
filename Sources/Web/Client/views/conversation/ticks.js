// How far an own message has come: one tick, two, two in blue; a clock while it is on its way.

import { t } from '../../text/catalogue.js';
import { icon } from '../components/icon.js';
import { h } from '../element.js';

const states = {
  sending: { icon: 'clock', key: 'state.sending' }, sent: { icon: 'check', key: 'state.sent' }, delivered: { icon: 'checks', key: 'state.delivered' },
  read: { icon: 'checks', key: 'state.read' }, failed: { icon: 'alert', key: 'state.failed' },
};

/// The mark of a message's state, with the state in words for who listens.
export function ticks({ status }) {
  const state = states[status] ?? states.sent;
  const words = t(state.key);
  return h('span', { class: `ticks ticks--${status ?? 'sent'}`, role: 'img', 'aria-label': words, title: words },
    icon(state.icon, { small: true }), h('span', { class: 'visually-hidden' }, words));
}
