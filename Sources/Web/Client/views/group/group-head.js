// A group's picture and name, and leaving it.

import { t } from '../../text/catalogue.js';
import { askDialog } from '../components/ask-dialog.js';
import { confirmDialog } from '../components/dialog.js';
import { field } from '../components/field.js';
import { actionRow, iconButton } from '../components/page.js';
import { portrait } from '../components/portrait.js';
import { toast } from '../components/toast.js';
import { attempt } from '../components/tried.js';
import { needed, check } from '../components/validation.js';
import { h } from '../element.js';
import { navigate } from '../router.js';
import { changeGroup, leaveGroup } from './group-actions.js';

export function groupHead(conversation, may, refresh) {
  const { id, groupName, groupIcon } = conversation;
  const save = async (icon) => {
    await changeGroup(id, { groupIcon: icon });
    await refresh();
  };
  return portrait({
    id,
    name: groupName ?? '',
    photoURL: groupIcon,
    isGroup: true,
    label: t('group.icon'),
    edit: may.changeInfo ? iconButton('edit', t('group.editName'), () => editName(conversation, refresh)) : null,
    details: [h('p', { class: 'portrait__detail' }, t('group.members', { count: conversation.participantCount }))],
    save: may.changeInfo ? save : null,
  });
}

export function leaveRow({ id, groupName }) {
  const leave = attempt(async () => {
    const isMeant = await confirmDialog({ title: t('group.leaveTitle', { name: groupName }), text: t('group.leaveText'), action: t('group.leave'), danger: true });
    if (!isMeant) return;
    await leaveGroup(id);
    navigate('/', { replace: true });
    toast(t('group.left'));
  });
  return actionRow({ icon: 'sign-out', title: t('group.leave'), danger: true, run: leave });
}

async function editName({ id, groupName }, refresh) {
  const name = field({ label: t('field.groupName'), maxlength: '100', autocomplete: 'off', value: groupName ?? '' });
  const isDone = await askDialog({
    title: t('group.nameTitle'),
    fields: { '/groupName': name },
    action: t('action.save'),
    submit: async () => {
      check(needed('/groupName', name.input.value));
      await changeGroup(id, { groupName: name.input.value.trim() });
    },
  });
  if (isDone) await refresh();
}
