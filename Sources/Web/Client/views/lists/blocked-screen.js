// The people whom the person has blocked.

import { unblock } from '../../store/blocks.js';
import { t } from '../../text/catalogue.js';
import { api } from '../../transport/api.js';
import { avatar } from '../components/avatar.js';
import { empty, page } from '../components/page.js';
import { PagedList } from '../components/paged-list.js';
import { attempt } from '../components/tried.js';
import { h, View } from '../element.js';
import { nameOf } from '../people/person-row.js';

export default class BlockedScreen extends View {
  static pane = 'detail';
  static title = () => t('blocked.title');

  render() {
    this.list = new PagedList({
      label: t('blocked.title'),
      load: async (cursor) => (await api.get('/v1/blocks', { query: { cursor: cursor || undefined } })).body,
      keyOf: (block) => block.userId,
      make: (block) => this.row(block),
      nameOf,
      empty: () => empty({ icon: 'block', title: t('blocked.none') }),
    });
    this.append(page({ title: t('blocked.title'), up: '/profile', body: [this.list.node] }));
  }

  connected() {
    this.list.reload();
  }

  row({ userId, displayName, photoURL }) {
    const takeBack = attempt(async () => {
      await unblock(userId);
      this.list.remove(userId);
    });
    const name = nameOf({ displayName });
    return h(
      'div', { class: 'row' },
      avatar({ id: userId, name: displayName, photoURL }),
      h('span', { class: 'row__main' }, h('bdi', { class: 'row__title clip' }, name)),
      h('button', { type: 'button', class: 'button button--quiet', 'aria-label': t('people.unblockOne', { name }), on: { click: takeBack } }, t('people.unblock')));
  }
}

customElements.define('parley-blocked', BlockedScreen);
