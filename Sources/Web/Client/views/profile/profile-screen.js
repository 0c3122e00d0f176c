// The person who is signed in: name and photo, what others see, this browser's looks and notifications, and the account.

import { refreshMe, saveProfile } from '../../store/profile.js';
import { store } from '../../store/store.js';
import { t } from '../../text/catalogue.js';
import { askDialog } from '../components/ask-dialog.js';
import { field } from '../components/field.js';
import { actionRow, iconButton, page, section, switchRow } from '../components/page.js';
import { portrait } from '../components/portrait.js';
import { tried } from '../components/tried.js';
import { check, nameLike } from '../components/validation.js';
import { h, View } from '../element.js';
import { accountSection, signOutButton } from './account-section.js';
import { appearanceSection } from './appearance-section.js';
import { notificationSection } from './notification-section.js';
import { unverifiedNotice } from './unverified-notice.js';

export default class ProfileScreen extends View {
  static pane = 'list';
  static title = () => t('profile.title');

  render() {
    this.head = h('div', {});
    this.privacy = h('section', {});
    this.append(page({
      title: t('profile.title'),
      body: [
        this.head,
        section({ title: t('profile.lists'), children: listRows() }),
        this.privacy,
        notificationSection(),
        appearanceSection(),
        accountSection(),
        h('div', { class: 'section__body' }, signOutButton()),
      ],
    }));
  }

  connected() {
    this.watch(store, (state) => state.me);
    refreshMe().catch(() => {});
  }

  update() {
    const { me } = store.state;
    if (!me || me === this.shown) return;
    this.shown = me;
    this.head.replaceChildren(portrait({
      id: me.id,
      name: me.displayName ?? '',
      photoURL: me.photoURL,
      label: t(me.photoURL ? 'photo.change' : 'photo.add'),
      edit: iconButton('edit', t('profile.editName'), () => editName(me)),
      details: [h('p', { class: 'portrait__detail' }, h('bdi', {}, me.email)), me.emailVerified ? null : unverifiedNotice()],
      save: (photoURL) => saveProfile({ photoURL }),
    }));
    if (this.privacy.contains(document.activeElement)) return;
    const privacy = privacySection(me.settings);
    this.privacy.replaceWith(privacy);
    this.privacy = privacy;
  }
}

function listRows() {
  return [
    actionRow({ icon: 'star', title: t('profile.starred'), href: '/starred' }),
    actionRow({ icon: 'calendar', title: t('profile.scheduled'), href: '/scheduled' }),
    actionRow({ icon: 'block', title: t('profile.blocked'), href: '/blocked' }),
  ];
}

function privacySection(settings) {
  const change = (name) => tried((isOn) => saveProfile({ settings: { [name]: isOn } }));
  return section({
    title: t('profile.privacy'),
    children: [
      switchRow({ title: t('profile.readReceipts'), hint: t('profile.readReceiptsHint'), isOn: settings?.readReceipts ?? true, change: change('readReceipts') }),
      switchRow({ title: t('profile.showPresence'), hint: t('profile.showPresenceHint'), isOn: settings?.showPresence ?? true, change: change('showPresence') }),
    ],
  });
}

function editName(me) {
  const name = field({ label: t('field.name'), name: 'name', autocomplete: 'name', maxlength: '60', value: me.displayName ?? '' });
  return askDialog({
    title: t('profile.editName'),
    fields: { '/displayName': name },
    action: t('action.save'),
    submit: async () => {
      check(nameLike(name.input.value));
      await saveProfile({ displayName: name.input.value.trim() });
    },
  });
}

customElements.define('parley-profile', ProfileScreen);
