// Blocking somebody, once it is sure that this is meant.

import { block } from '../../store/blocks.js';
import { t } from '../../text/catalogue.js';
import { confirmDialog } from '../components/dialog.js';
import { toast } from '../components/toast.js';
import { nameOf } from './person-row.js';

export async function blockPerson(person) {
  const name = nameOf(person);
  if (!(await confirmDialog({ title: t('people.blockTitle', { name }), text: t('people.blockText', { name }), action: t('people.block'), danger: true }))) return;
  await block(person.id);
  toast(t('people.blockedDone', { name }));
}
