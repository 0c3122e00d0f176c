// Blocking somebody, and taking it back.

import { store } from '../../store/store.js';
import { t } from '../../text/catalogue.js';
import { api } from '../../transport/api.js';
import { confirmDialog } from '../components/dialog.js';
import { toast } from '../components/toast.js';
import { nameOf } from './person-row.js';

export async function blockPerson(person) {
  const name = nameOf(person);
  if (!(await confirmDialog({ title: t('people.blockTitle', { name }), text: t('people.blockText', { name }), action: t('people.block'), danger: true }))) return;
  await api.put(`/v1/blocks/${person.id}`);
  remember(person.id, true);
  toast(t('people.blockedDone', { name }));
}

export async function unblockPerson(person) {
  await api.delete(`/v1/blocks/${person.id}`);
  remember(person.id, false);
}

/// The set is made anew, so that whoever watches it sees the change.
function remember(id, isBlocked) {
  store.commit((state) => {
    const blocks = new Set(state.blocks);
    if (isBlocked) blocks.add(id);
    else blocks.delete(id);
    state.blocks = blocks;
  });
}
