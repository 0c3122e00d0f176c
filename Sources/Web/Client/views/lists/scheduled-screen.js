// The messages that go out later, and those that could not.

import { store } from '../../store/store.js';
import { formatMoment, t } from '../../text/catalogue.js';
import { api } from '../../transport/api.js';
import { problemWords } from '../components/field.js';
import { icon } from '../components/icon.js';
import { empty, iconButton, page } from '../components/page.js';
import { PagedList } from '../components/paged-list.js';
import { toast } from '../components/toast.js';
import { attempt } from '../components/tried.js';
import { h, View } from '../element.js';
import { nameOfConversation } from '../names.js';

export default class ScheduledScreen extends View {
  static pane = 'detail';
  static title = () => t('scheduled.title');

  render() {
    this.list = new PagedList({
      label: t('scheduled.title'),
      load: async (cursor) => (await api.get('/v1/scheduled', { query: { cursor: cursor || undefined } })).body,
      make: (message) => this.row(message),
      nameOf: words,
      empty: () => empty({ icon: 'calendar', title: t('scheduled.none'), hint: t('scheduled.noneHint') }),
    });
    this.append(page({ title: t('scheduled.title'), up: '/profile', body: [this.list.node] }));
  }

  connected() {
    this.list.reload();
  }

  row(message) {
    const withdraw = attempt(async () => {
      await api.delete(`/v1/scheduled/${message.id}`);
      this.list.remove(message.id);
      toast(t('scheduled.withdrawn'));
    });
    return h('div', { class: 'row-with-action' }, this.content(message), iconButton('trash', t('scheduled.cancel'), withdraw));
  }

  content(message) {
    const place = nameOfConversation(store.state, message.conversationId);
    return h(
      'a', { class: 'row', href: `/conversations/${message.conversationId}` },
      h('span', { class: 'row__icon' }, icon(message.failure ? 'alert' : 'calendar')),
      h(
        'span', { class: 'row__main' },
        h('span', { class: 'row__detail found__text', dir: 'auto' }, words(message)),
        h('span', { class: 'row__detail' }, timeWords(message), place ? ' · ' : '', place ? h('bdi', {}, place) : '')));
  }
}

function words({ text }) {
  return text || t('kind.file');
}

function timeWords({ sendAt, failure }) {
  if (failure) return t('scheduled.failed', { reason: problemWords({ code: failure.code }) });
  return t('scheduled.at', { when: formatMoment(sendAt) });
}

customElements.define('parley-scheduled', ScheduledScreen);
