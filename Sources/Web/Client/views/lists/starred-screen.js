// The messages that the person has starred, the newest star first.

import { observeDeletions } from '../../store/arrivals.js';
import { setStar } from '../../store/stars.js';
import { t } from '../../text/catalogue.js';
import { api } from '../../transport/api.js';
import { empty, iconButton, page } from '../components/page.js';
import { PagedList } from '../components/paged-list.js';
import { attempt } from '../components/tried.js';
import { h, View } from '../element.js';
import { summaryWords } from '../names.js';
import { messageLink } from './message-link.js';

export default class StarredScreen extends View {
  static pane = 'detail';
  static title = () => t('starred.title');

  render() {
    this.users = {};
    this.list = new PagedList({
      label: t('starred.title'),
      load: (cursor) => this.load(cursor),
      keyOf: ({ message }) => message.id,
      make: ({ message }) => this.row(message),
      nameOf: ({ message }) => summaryWords(message),
      empty: () => empty({ icon: 'star', title: t('starred.none'), hint: t('starred.noneHint') }),
    });
    this.append(page({ title: t('starred.title'), up: '/profile', body: [this.list.node] }));
  }

  connected() {
    this.untilDisconnected(observeDeletions(({ message }) => this.list.has(message.id) && this.list.remove(message.id)));
    this.list.reload();
  }

  async load(cursor) {
    const { body } = await api.get('/v1/starred', { query: { cursor: cursor || undefined } });
    Object.assign(this.users, body.users);
    return body;
  }

  row(message) {
    const remove = attempt(async () => {
      await setStar(message, false);
      this.list.remove(message.id);
    });
    return h('div', { class: 'row-with-action' }, messageLink(message, { users: this.users }), iconButton('close', t('starred.remove'), remove));
  }
}

customElements.define('parley-starred', StarredScreen);
