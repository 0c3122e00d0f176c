// The other one of two people: who it is, and blocking and reporting.

import { unblock } from '../../store/blocks.js';
import { store } from '../../store/store.js';
import { t } from '../../text/catalogue.js';
import { actionRow, section } from '../components/page.js';
import { portrait } from '../components/portrait.js';
import { attempt } from '../components/tried.js';
import { h } from '../element.js';
import { blockPerson } from '../people/blocking.js';
import { nameOf, presenceWords } from '../people/person-row.js';
import { reportPerson } from '../people/report-dialog.js';
import { retentionRow } from './settings-section.js';

export function contactHead(other) {
  const presence = store.state.presence.get(other?.userId);
  return portrait({
    id: other?.userId,
    name: nameOf(other),
    photoURL: other?.photoURL,
    details: [h('p', { class: 'portrait__detail' }, presenceWords(presence))],
  });
}

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
