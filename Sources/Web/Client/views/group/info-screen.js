// All about a conversation: of a group its name, members, links and settings; of two people the other one. And what is the
// caller's own: notifications, search, leaving.

import { isMuted } from '../../store/conversations.js';
import { store } from '../../store/store.js';
import { t } from '../../text/catalogue.js';
import { now } from '../../transport/clock.js';
import { showTitle } from '../attention.js';
import { problemWords } from '../components/field.js';
import { actionRow, empty, page, section } from '../components/page.js';
import { h, View } from '../element.js';
import { contactHead, contactSection } from './contact-section.js';
import { loadConversation, loadMembers, rights } from './group-actions.js';
import { groupHead, leaveRow } from './group-head.js';
import { inviteSection } from './invite-section.js';
import { MemberSection } from './member-section.js';
import { notificationSection } from './notification-section.js';
import { settingsSection } from './settings-section.js';

/// All of it is asked for once in this many milliseconds, however much the stream tells of the conversation.
const gatherTime = 2_000;

export default class InfoScreen extends View {
  static pane = 'detail';
  static title = () => t('group.title');
  #askedAt = Number.NEGATIVE_INFINITY;
  #turn = 0;
  #timer = null;
  #members = [];

  render() {
    this.content = h('div', {}, h('div', { class: 'spinner' }));
    this.frame = page({ title: t('group.title'), up: `/conversations/${this.params.id}`, body: [this.content] });
    this.append(this.frame);
  }

  connected() {
    // Whatever the stream tells of the conversation and of who is in it is shown at once, but not under the hands of whoever
    // is choosing or writing here.
    this.watch(store, (state) => state.conversations.get(this.params.id), () => this.reloadSoon());
    this.watch(store, (state) => state.blocks, () => this.reloadSoon());
    this.watch(store, (state) => state.usersRevision, () => this.#followPeople());
    this.watch(store, (state) => state.conversations.has(this.params.id) && isMuted(state.conversations.get(this.params.id), now()), () => this.reloadSoon());
    this.untilDisconnected(() => clearTimeout(this.#timer));
    this.reload();
  }

  // Whether somebody who is shown has another name or picture by now.
  #followPeople() {
    const isOther = ({ userId, displayName, photoURL, erased }) => {
      const user = store.state.users.get(userId);
      return user && (user.displayName !== displayName || user.photoURL !== photoURL || Boolean(user.erased) !== Boolean(erased));
    };
    if (this.#members.some(isOther)) this.reloadSoon();
  }

  reloadSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.reload(), Math.max(0, this.#askedAt + gatherTime - performance.now()));
  }

  /// An answer to an earlier question shows no more.
  async reload() {
    const { id } = this.params;
    this.#askedAt = performance.now();
    this.#turn += 1;
    const turn = this.#turn;
    try {
      const conversation = await loadConversation(id);
      const members = conversation.type === 'group' ? await loadMembers(id) : conversation.participants ?? [];
      if (this.isConnected && turn === this.#turn) this.show(conversation, members);
    } catch (problem) {
      if (!this.isConnected || this.shown) return;
      this.content.replaceChildren(empty({ icon: 'alert', title: problemWords(problem) }));
    }
  }

  show(conversation, members) {
    this.#members = members;
    const blocked = members.filter(({ userId }) => store.state.blocks.has(userId)).map(({ userId }) => userId);
    const shape = JSON.stringify([conversation, members, blocked, isMuted(conversation, now())]);
    if (shape === this.shown) return;
    const isChoosing = this.content.contains(document.activeElement) && document.activeElement.matches('select, input');
    if (this.shown && isChoosing && conversation.revision === this.revision) return;
    this.shown = shape;
    this.revision = conversation.revision;
    const focused = this.content.contains(document.activeElement) ? labelOf(document.activeElement) : null;
    const parts = conversation.type === 'group' ? this.group(conversation, members) : this.contact(conversation, members);
    const title = t(conversation.type === 'group' ? 'group.title' : 'group.directTitle');
    this.querySelector('.page__title').textContent = title;
    showTitle(`${title} · Parley`);
    this.content.replaceChildren(...parts);
    if (focused) [...this.content.querySelectorAll('a, button, input, select')].find((control) => labelOf(control) === focused)?.focus();
  }

  group(conversation, members) {
    const may = rights(conversation);
    const refresh = () => this.reload();
    if (conversation.me.leftAt) return [groupHead(conversation, { changeInfo: false }, refresh), h('p', { class: 'notice' }, t('group.former'))];
    return [
      groupHead(conversation, may, refresh),
      section({ children: [searchRow(conversation)] }),
      notificationSection(conversation),
      new MemberSection(conversation, members, may, refresh).node,
      may.isLeader ? inviteSection(conversation.id) : null,
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

// What a control is called: by itself, or by the row that it stands in.
function labelOf(control) {
  return control.getAttribute('aria-label') ?? control.closest('.row')?.querySelector('.row__title')?.textContent ?? null;
}

function searchRow(conversation) {
  return actionRow({ icon: 'search', title: t('group.searchHere'), href: `/search?conversation=${conversation.id}` });
}

customElements.define('parley-info', InfoScreen);
