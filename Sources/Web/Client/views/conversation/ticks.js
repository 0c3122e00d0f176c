// How far an own message has come: one tick, two, two in blue; a clock while it is on its way.

import { t } from '../../text/catalogue.js';
import { icon } from '../components/icon.js';
import { h } from '../element.js';

const looks = {
  sending: { icon: 'clock', key: 'state.sending' }, sent: { icon: 'check', key: 'state.sent' }, delivered: { icon: 'checks', key: 'state.delivered' },
  read: { icon: 'checks', key: 'state.read' }, failed: { icon: 'alert', key: 'state.failed' },
};

/// The mark of a message's state, with the state in words for who listens.
export function ticks({ status }) {
  const look = looks[status] ?? looks.sent;
  const words = t(look.key);
  return h('span', { class: `ticks ticks--${status ?? 'sent'}`, role: 'img', 'aria-label': words, title: words },
    icon(look.icon, { small: true }), h('span', { class: 'visually-hidden' }, words));
}
