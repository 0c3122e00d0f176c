// The members of a group, with their roles, and what those who lead it may do with them.

import { store } from '../../store/store.js';
import { t } from '../../text/catalogue.js';
import { confirmDialog, openDialog } from '../components/dialog.js';
import { openMenu } from '../components/menu.js';
import { actionRow, iconButton, section } from '../components/page.js';
import { toast } from '../components/toast.js';
import { attempt } from '../components/tried.js';
import { h } from '../element.js';
import { navigate } from '../router.js';
import { startDirect } from '../people/directory.js';
import { nameOf, personContent } from '../people/person-row.js';
import { putMember, removeMember } from './group-actions.js';
import { PeopleChooser } from './people-chooser.js';

const ranks = { owner: 0, admin: 1, member: 2 };

export class MemberSection {
  constructor(conversation, members, may, { refresh, showMore }) {
    Object.assign(this, { conversation, members, may, refresh, showMore });
    const rows = [...members].sort((one, other) => ranks[one.role] - ranks[other.role]).map((member) => this.row(member));
    const add = actionRow({ icon: 'group', title: t('group.addMembers'), run: attempt(() => this.add()) });
    this.node = section({ title: t('group.membersTitle'), children: [may.addMembers ? add : null, h('ul', { 'aria-label': t('group.membersTitle') }, ...rows), this.rest()] });
  }

  // A group may have more members than are shown.
  rest() {
    const count = this.conversation.participantCount - this.members.length;
    if (count <= 0) return null;
    return actionRow({ icon: 'down', title: t('action.loadMore'), detail: t('group.moreMembers', { count }), run: this.showMore });
  }

  row(member) {
    const isMe = member.userId === store.state.me?.id;
    const name = isMe ? t('people.you') : nameOf(member);
    const person = { ...member, id: member.userId };
    const title = isMe ? `${nameOf(member)} (${name})` : name;
    const role = member.role === 'member' ? null : h('span', { class: 'role' }, t(member.role === 'owner' ? 'group.owner' : 'group.admin'));
    const more = isMe ? null : iconButton('more', t('group.memberActions', { name }), (event) => this.menu(event.currentTarget, member, name));
    return h('li', { 'aria-label': name }, h('div', { class: 'row row--short' }, personContent(person, { title, size: 'small' }), role, more));
  }

  menu(button, member, name) {
    const { isLeader, isOwner } = this.may;
    const change = (role) => attempt(async () => {
      await putMember(this.conversation.id, member.userId, role);
      await this.refresh();
    });
    openMenu(button, [
      { label: t('people.message'), icon: 'chats', run: attempt(async () => navigate(`/conversations/${(await startDirect(member.userId)).id}`)) },
      isLeader && member.role === 'member' && { label: t('group.makeAdmin'), icon: 'star', run: change('admin') },
      isOwner && member.role !== 'owner' && { label: t('group.makeOwner'), icon: 'star', run: change('owner') },
      isLeader && member.role === 'admin' && { label: t('group.makeMember'), icon: 'person', run: change('member') },
      isLeader && member.role !== 'owner' && { label: t('group.removeMember'), icon: 'trash', danger: true, run: attempt(() => this.remove(member, name)) },
    ], { label: t('group.memberActions', { name }) });
  }

  async remove(member, name) {
    if (!(await confirmDialog({ title: t('group.removeTitle', { name }), action: t('action.remove'), danger: true }))) return;
    await removeMember(this.conversation.id, member.userId);
    await this.refresh();
  }

  async add() {
    const members = new Set(this.members.map((member) => member.userId));
    const chooser = new PeopleChooser({ onChange: () => {}, isLeftOut: (person) => members.has(person.id) });
    chooser.reload();
    const chosen = await openDialog({
      title: t('group.addMembers'),
      plain: true,
      body: [h('div', { class: 'section__body' }, chooser.search), chooser.chosen, chooser.node],
      actions: [{ label: t('action.cancel'), value: null }, { label: t('group.add'), kind: 'primary', value: () => [...chooser.people.values()] }],
    });
    for (const person of chosen ?? []) await this.addOne(person);
    if (chosen?.length) await this.refresh();
  }

  async addOne(person) {
    const added = await putMember(this.conversation.id, person.id);
    toast(t('group.addedOne', { name: nameOf(person) }));
    if (added.warnings?.some(({ code }) => code === 'confusableName')) toast(t('group.confusable'), { kind: 'error' });
  }
}
