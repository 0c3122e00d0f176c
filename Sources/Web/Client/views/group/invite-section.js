// The links by which people come into a group.

import { t } from '../../text/catalogue.js';
import { actionRow, iconButton, section } from '../components/page.js';
import { toast } from '../components/toast.js';
import { attempt } from '../components/tried.js';
import { h } from '../element.js';
import { createInvite, endInvite, inviteAddress } from './group-actions.js';

export function inviteSection(id, invites, refresh) {
  const list = h('ul', { 'aria-label': t('group.invites') }, invites.map((invite) => row(id, invite, refresh)));
  const create = attempt(async () => {
    const invite = await createInvite(id);
    await refresh();
    await copy(invite.code);
  });
  return section({ title: t('group.invites'), children: [actionRow({ icon: 'link', title: t('group.createInvite'), run: create }), list] });
}

function row(id, invite, refresh) {
  const end = attempt(async () => {
    await endInvite(id, invite.code);
    await refresh();
  });
  return h(
    'li', { class: 'invite-link' },
    h('span', { class: 'row__main' }, h('span', { class: 'invite-link__text clip', dir: 'ltr' }, inviteAddress(invite.code)), h('span', { class: 'row__detail' }, t('group.inviteUses', { count: invite.uses }))),
    iconButton('copy', t('group.copyInvite'), attempt(() => copy(invite.code))),
    iconButton('trash', t('group.endInvite'), end));
}

async function copy(code) {
  await navigator.clipboard?.writeText(inviteAddress(code)).then(() => toast(t('group.inviteCopied')), () => {});
}
