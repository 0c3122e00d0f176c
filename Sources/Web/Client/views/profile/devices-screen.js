// Where the person is signed in, and signing out there.

import { formatMoment, formatWhen, t } from '../../text/catalogue.js';
import { api } from '../../transport/api.js';
import { confirmDialog } from '../components/dialog.js';
import { icon } from '../components/icon.js';
import { page } from '../components/page.js';
import { PagedList } from '../components/paged-list.js';
import { toast } from '../components/toast.js';
import { attempt } from '../components/tried.js';
import { h, View } from '../element.js';

export default class DevicesScreen extends View {
  static pane = 'detail';
  static title = () => t('devices.title');

  render() {
    this.list = new PagedList({
      label: t('devices.list'),
      load: async (cursor) => (await api.get('/v1/sessions', { query: { cursor: cursor || undefined } })).body,
      make: (session) => this.row(session),
      nameOf,
      empty: () => [],
    });
    const others = h('button', { type: 'button', class: 'button button--quiet-danger button--block', on: { click: attempt(() => this.endOthers()) } }, t('devices.endOthers'));
    this.append(page({ title: t('devices.title'), up: '/profile', body: [this.list.node, h('div', { class: 'section__body' }, others)] }));
  }

  connected() {
    this.list.reload();
  }

  row(session) {
    const name = nameOf(session);
    const end = h('button', { type: 'button', class: 'button button--quiet-danger', 'aria-label': t('devices.endOne', { name }) }, t('devices.end'));
    end.addEventListener('click', attempt(() => this.end(session, name)));
    return h(
      'div', { class: 'row' },
      h('span', { class: 'row__icon' }, icon('device')),
      h(
        'span', { class: 'row__main' },
        h('bdi', { class: 'row__title clip' }, name),
        h('span', { class: 'row__detail' }, session.current ? t('devices.this') : t('devices.lastSeen', { when: formatWhen(session.lastSeenAt) })),
        h('span', { class: 'row__detail' }, t('devices.since', { when: formatMoment(session.createdAt) }))),
      session.current ? null : end);
  }

  async end(session, name) {
    if (!(await confirmDialog({ title: t('devices.endTitle', { name }), action: t('devices.end'), danger: true }))) return;
    await api.delete(`/v1/sessions/${session.id}`);
    this.list.remove(session.id);
    toast(t('devices.ended'));
  }

  async endOthers() {
    if (!(await confirmDialog({ title: t('devices.endOthersTitle'), action: t('devices.end'), danger: true }))) return;
    await api.delete('/v1/sessions');
    await this.list.reload();
    toast(t('devices.ended'));
  }
}

function nameOf(session) {
  return session.deviceName || t('devices.unnamed');
}

customElements.define('parley-devices', DevicesScreen);
