// A new group on one screen: its name and picture, and the people who are to be in it.

import { addConversation } from '../../store/one-conversation.js';
import { api } from '../../transport/api.js';
import { t } from '../../text/catalogue.js';
import { newId } from '../../transport/ids.js';
import { avatar, updateAvatar } from '../components/avatar.js';
import { field, fieldError, formNotice, showProblem } from '../components/field.js';
import { icon } from '../components/icon.js';
import { page } from '../components/page.js';
import { choosePicture, uploadPicture } from '../components/photo-picker.js';
import { toast } from '../components/toast.js';
import { attempt } from '../components/tried.js';
import { check, needed } from '../components/validation.js';
import { h, View } from '../element.js';
import { navigate } from '../router.js';
import { bringGroupTo } from './group-actions.js';
import { PeopleChooser } from './people-chooser.js';

export default class NewGroupScreen extends View {
  static pane = 'list';
  static title = () => t('group.newTitle');

  render() {
    // Made once, so that pressing twice makes one group.
    this.id = newId();
    this.picture = null;
    this.name = field({ label: t('field.groupName'), name: 'group', autocomplete: 'off', maxlength: '100' });
    this.chooser = new PeopleChooser({ onChange: () => this.showCount() });
    this.face = avatar({ id: this.id, name: '', size: 'large', isGroup: true });
    const photo = h('button', { type: 'button', class: 'portrait__photo', 'aria-label': t('group.icon'), on: { click: attempt(() => this.choosePicture()) } }, this.face, h('span', { class: 'portrait__camera portrait__camera--small' }, icon('camera')));
    this.count = h('p', { class: 'field__hint', role: 'status' }, t('group.choose'));
    this.notice = formNotice();
    this.create = h('button', { type: 'submit', class: 'button button--primary button--block' }, t('group.create'));
    const form = h('form', { class: 'new-group', novalidate: true, on: { submit: (event) => this.submit(event) } }, page({
      title: t('group.newTitle'),
      up: '/people',
      tools: [h('div', { class: 'group-head' }, photo, this.name), this.chooser.search, this.chooser.chosen],
      body: [this.chooser.node],
      footer: [this.notice, this.count, this.create],
    }));
    this.name.input.addEventListener('input', () => updateAvatar(this.face, { id: this.id, name: this.name.input.value, photoURL: this.picture?.url, size: 'large', isGroup: true }));
    this.append(form);
  }

  connected() {
    this.chooser.reload();
  }

  showCount() {
    const { size } = this.chooser.people;
    this.count.textContent = size === 0 ? t('group.choose') : t('group.chosen', { count: size });
  }

  async choosePicture() {
    const file = await choosePicture();
    if (!file) return;
    this.picture = await uploadPicture(file);
    updateAvatar(this.face, { id: this.id, name: this.name.input.value, photoURL: this.picture.url, size: 'large', isGroup: true });
  }

  async submit(event) {
    event.preventDefault();
    if (this.create.getAttribute('aria-busy') === 'true') return;
    this.create.setAttribute('aria-busy', 'true');
    this.notice.textContent = '';
    fieldError(this.name, '');
    try {
      await this.make(this.name.input.value.trim());
    } catch (problem) {
      showProblem(problem, { fields: { '/groupName': this.name }, notice: this.notice });
    } finally {
      this.create.removeAttribute('aria-busy');
    }
  }

  async make(groupName) {
    check(needed('/groupName', groupName));
    if (this.chooser.people.size < 2) return void toast(t('group.choose'), { kind: 'error' });
    const group = { groupName, participantIds: [...this.chooser.people.keys()], ...(this.picture ? { groupIcon: this.picture.id } : {}) };
    const body = await this.put(group);
    addConversation(body);
    navigate(`/conversations/${body.id}`, { replace: true });
    return undefined;
  }

  async put(group) {
    try {
      return (await api.put(`/v1/conversations/${this.id}`, group)).body;
    } catch (problem) {
      if (problem.code !== 'idConflict') throw problem;
      // An earlier try has made it, and its answer was lost.
      return bringGroupTo(this.id, group);
    }
  }
}

customElements.define('parley-new-group', NewGroupScreen);
