// What an invite link leads to: the group's name and size, and coming in. A stranger signs in first and comes back here.

import { store } from '../../store/store.js';
import { addConversation } from '../../store/one-conversation.js';
import { t } from '../../text/catalogue.js';
import { api } from '../../transport/api.js';
import { newId } from '../../transport/ids.js';
import { avatar } from '../components/avatar.js';
import { problemWords } from '../components/field.js';
import { h, View } from '../element.js';
import { navigate } from '../router.js';
import { rememberNext } from '../sign-in/entering.js';
import { frame } from '../sign-in/entry-card.js';

export default class InviteScreen extends View {
  static pane = 'alone';
  static open = true;
  static title = () => t('invite.title');

  render() {
    this.content = h('div', { class: 'entry__form' });
    this.append(frame({ title: t('invite.title'), children: [this.content] }));
  }

  connected() {
    this.watch(store, (state) => state.session, () => this.load());
    this.load();
  }

  async load() {
    if (store.state.session === 'unknown') return;
    if (store.state.session !== 'open') return this.showStranger();
    try {
      const { body } = await api.get(`/v1/invites/${encodeURIComponent(this.params.code)}`);
      this.showGroup(body);
    } catch (problem) {
      this.showProblem(problem, () => this.load());
    }
  }

  showStranger() {
    rememberNext(location.pathname);
    this.content.replaceChildren(
      h('p', { class: 'entry__lead' }, t('invite.signInFirst')),
      h('a', { class: 'button button--primary button--block', href: '/sign-in' }, t('signIn.submit')),
      h('a', { class: 'button button--outline button--block', href: '/sign-up' }, t('signUp.submit')));
  }

  showGroup({ groupName, participantCount }) {
    const join = h('button', { type: 'button', class: 'button button--primary button--block', on: { click: () => this.join() } }, t('invite.join'));
    this.content.replaceChildren(
      h(
        'div', { class: 'portrait' },
        avatar({ id: this.params.code, name: groupName, size: 'huge', isGroup: true }),
        h('p', { class: 'portrait__name' }, h('bdi', {}, groupName ?? '')),
        h('p', { class: 'portrait__detail' }, t('group.members', { count: participantCount }))),
      join);
  }

  async join() {
    try {
      const { body } = await api.post(`/v1/invites/${encodeURIComponent(this.params.code)}/join`, undefined, { idempotencyKey: newId() });
      addConversation(body);
      navigate(`/conversations/${body.id}`, { replace: true });
    } catch (problem) {
      this.showProblem(problem, () => this.join());
    }
  }

  // What the link itself is to blame for, no other try makes good. Else `again()` tries it once more.
  showProblem(problem, again) {
    const final = { 404: t('invite.invalid'), 403: t('invite.refused') }[problem.status];
    const way = final
      ? h('a', { class: 'button button--primary button--block', href: '/' }, t('verify.continue'))
      : h('button', { type: 'button', class: 'button button--primary button--block', on: { click: again } }, t('action.retry'));
    const hadFocus = this.content.contains(document.activeElement);
    this.content.replaceChildren(h('p', { class: 'notice notice--error', role: 'alert' }, final ?? problemWords(problem)), way);
    if (hadFocus) way.focus();
  }
}

customElements.define('parley-invite', InviteScreen);
