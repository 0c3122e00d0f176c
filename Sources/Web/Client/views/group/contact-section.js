// The other one of two people: who it is, and blocking and reporting.

import { unblock } from '../../store/blocks.js';
import { watchPresence } from '../../store/presence.js';
import { store } from '../../store/store.js';
import { t } from '../../text/catalogue.js';
import { actionRow, section } from '../components/page.js';
import { portrait } from '../components/portrait.js';
import { attempt } from '../components/tried.js';
import { h, View } from '../element.js';
import { blockPerson } from '../people/blocking.js';
import { nameOf, presenceWords } from '../people/person-row.js';
import { reportPerson } from '../people/report-dialog.js';
import { retentionRow } from './settings-section.js';

export function contactHead(other) {
  return portrait({
    id: other?.userId,
    name: nameOf(other),
    photoURL: other?.photoURL,
    details: other ? [h('p', { class: 'portrait__detail' }, Object.assign(new PresenceWords(), { userId: other.userId }))] : [],
  });
}

/// Whether somebody is there, for as long as it is shown.
class PresenceWords extends View {
  userId = null;

  connected() {
    watchPresence(this, [this.userId]);
    this.watch(store, (state) => state.presence.get(this.userId));
    this.untilDisconnected(() => watchPresence(this, []));
  }

  update() {
    this.textContent = presenceWords(store.state.presence.get(this.userId));
  }
}

customElements.define('parley-presence', PresenceWords);

export function contactSection(conversation, other, refresh) {
  if (!other) return section({ children: [retentionRow(conversation, refresh)] });
  const person = { id: other.userId, displayName: other.displayName };
  const isBlocked = store.state.blocks.has(person.id);
  const block = attempt(async () => {
    await (isBlocked ? unblock(person.id) : blockPerson(person));
    await refresh();
  });
  return section({
    children: [
      retentionRow(conversation, refresh),
      actionRow({ icon: 'block', title: t(isBlocked ? 'people.unblock' : 'people.block'), danger: !isBlocked, run: block }),
      actionRow({ icon: 'flag', title: t('people.report'), danger: true, run: () => reportPerson(person) }),
    ],
  });
}
