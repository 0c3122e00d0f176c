// All about a conversation: of a group its name, members, links and settings; of two people the other one. And what is the
// caller's own: notifications, search, leaving.

import { observeMembers } from '../../store/arrivals.js';
import { isMuted } from '../../store/conversations.js';
import { store } from '../../store/store.js';
import { t } from '../../text/catalogue.js';
import { now } from '../../transport/clock.js';
import { showTitle } from '../attention.js';
import { problemWords } from '../components/field.js';
import { actionRow, empty, page, section } from '../components/page.js';
import { h, View } from '../element.js';
import { noteFocus } from '../focus.js';
import { contactHead, contactSection } from './contact-section.js';
import { listInvites, loadConversation, loadMembers, rights } from './group-actions.js';
import { groupHead, leaveRow } from './group-head.js';
import { inviteSection } from './invite-section.js';
import { MemberSection } from './member-section.js';
import { notificationSection } from './notification-section.js';
import { settingsSection } from './settings-section.js';

/// All of it is asked for once in this many milliseconds, however much the stream tells of the conversation.
const gatherTime = 2_000;

/// So many members are shown, and so many more where more are asked for.
const portion = 1_000;

export default class InfoScreen extends View {
  static pane = 'detail';
  static title = () => t('group.title');
  #askedAt = Number.NEGATIVE_INFINITY;
  #turn = 0;
  #timer = null;
  #mostMembers = portion;
  #members = [];
  // How often the members have changed, and which of these changes those that are shown have.
  #changes = 1;
  #shownChanges = 0;

  render() {
    this.content = h('div', {}, h('div', { class: 'spinner' }));
    this.frame = page({ title: t('group.title'), up: `/conversations/${this.params.id}`, body: [this.content] });
    this.append(this.frame);
  }

  connected() {
    // Whatever the stream tells of what is shown here is shown at once, but not under the hands of whoever is choosing or
    // writing here. What people say to each other shows nothing here.
    this.watch(store, (state) => shownOf(state.conversations.get(this.params.id)), () => this.reloadSoon());
    this.watch(store, (state) => state.blocks, () => this.reloadSoon());
    this.watch(store, (state) => state.usersRevision, () => this.#followPeople());
    this.untilDisconnected(observeMembers(({ conversationId }) => conversationId === this.params.id && this.#membersChanged()));
    this.watch(store, (state) => state.conversations.get(this.params.id)?.me.role, () => this.#membersChanged());
    // What has happened until then was no news.
    this.watch(store, (state) => state.isUpToDate, (isUpToDate) => isUpToDate && this.#membersChanged());
    this.untilDisconnected(() => clearTimeout(this.#timer));
    this.reload();
  }

  #membersChanged() {
    this.#changes += 1;
    this.reloadSoon();
  }

  // Whether somebody who is shown has another name or picture by now.
  #followPeople() {
    const isOther = ({ userId, displayName, photoURL, erased }) => {
      const user = store.state.users.get(userId);
      return user && (user.displayName !== displayName || user.photoURL !== photoURL || Boolean(user.erased) !== Boolean(erased));
    };
    if (this.#members.some(isOther)) this.#membersChanged();
  }

  reloadSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.reload(), Math.max(0, this.#askedAt + gatherTime - performance.now()));
  }

  /// An answer to an earlier question shows no more. The members, of whom there may be many, are asked for only when they have
  /// changed.
  async reload() {
    const { id } = this.params;
    clearTimeout(this.#timer);
    this.#askedAt = performance.now();
    this.#turn += 1;
    const [turn, changes] = [this.#turn, this.#changes];
    try {
      const conversation = await loadConversation(id);
      const isGroup = conversation.type === 'group';
      const members = isGroup ? await this.#membersAt(changes) : conversation.participants ?? [];
      const invites = rights(conversation).isLeader ? await listInvites(id).catch(() => []) : [];
      if (!this.isConnected || turn !== this.#turn) return;
      this.#shownChanges = changes;
      this.show(conversation, members, invites);
    } catch (problem) {
      if (!this.isConnected || this.shown) return;
      this.content.replaceChildren(empty({ icon: 'alert', title: problemWords(problem) }));
    }
  }

  #membersAt(changes) {
    return changes === this.#shownChanges ? this.#members : loadMembers(this.params.id, ({ length }) => length >= this.#mostMembers);
  }

  reloadMembers() {
    this.#changes += 1;
    return this.reload();
  }

  show(conversation, members, invites) {
    this.#members = members;
    const blocked = members.filter(({ userId }) => store.state.blocks.has(userId)).map(({ userId }) => userId);
    const shape = JSON.stringify([conversation, members, invites, blocked, isMuted(conversation, now())]);
    if (shape === this.shown) return;
    const isChoosing = this.content.contains(document.activeElement) && document.activeElement.matches('select, input');
    if (this.shown && isChoosing && conversation.revision === this.revision) return;
    this.shown = shape;
    this.revision = conversation.revision;
    const hadFocus = this.content.contains(document.activeElement);
    const giveBack = noteFocus(this.content);
    const parts = conversation.type === 'group' ? this.group(conversation, members, invites) : this.contact(conversation, members);
    const title = t(conversation.type === 'group' ? 'group.title' : 'group.directTitle');
    this.querySelector('.page__title').textContent = title;
    showTitle(`${title} · Parley`);
    this.content.replaceChildren(...parts);
    if (hadFocus) giveBack();
  }

  async showMore() {
    this.#mostMembers += portion;
    await this.reloadMembers();
  }

  group(conversation, members, invites) {
    const may = rights(conversation);
    const refresh = () => this.reload();
    if (conversation.me.leftAt) return [groupHead(conversation, { changeInfo: false }, refresh), h('p', { class: 'notice' }, t('group.former'))];
    return [
      groupHead(conversation, may, refresh),
      section({ children: [searchRow(conversation)] }),
      notificationSection(conversation),
      new MemberSection(conversation, members, may, { refresh: () => this.reloadMembers(), showMore: () => this.showMore() }).node,
      may.isLeader ? inviteSection(conversation.id, invites, refresh) : null,
      may.isLeader ? settingsSection(conversation, refresh) : null,
      section({ children: [leaveRow(conversation)] }),
    ].filter(Boolean);
  }

  contact(conversation, members) {
    const other = members.find((member) => member.userId !== store.state.me?.id);
    return [
      contactHead(other),
      section({ children: [searchRow(conversation)] }),
      notificationSection(conversation),
      contactSection(conversation, other, () => this.reload()),
    ];
  }
}

// What the page shows of a conversation but for its members, as one text: equal means that nothing of it has changed.
function shownOf(conversation) {
  if (!conversation) return null;
  const { revision, isFormer, participantCount, me } = conversation;
  return JSON.stringify([revision, isFormer, participantCount, me.leftAt, me.notificationLevel, me.mutedUntil, isMuted(conversation, now())]);
}

function searchRow(conversation) {
  return actionRow({ icon: 'search', title: t('group.searchHere'), href: `/search?conversation=${conversation.id}` });
}

customElements.define('parley-info', InfoScreen);
