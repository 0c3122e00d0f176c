// The first thing after signing up: the name and the photo that others see.

import { saveProfile } from '../../store/profile.js';
import { store } from '../../store/store.js';
import { t } from '../../text/catalogue.js';
import { avatar, updateAvatar } from '../components/avatar.js';
import { field, problemWords } from '../components/field.js';
import { icon } from '../components/icon.js';
import { choosePicture, uploadPicture } from '../components/photo-picker.js';
import { check, nameLike } from '../components/validation.js';
import { h, View } from '../element.js';
import { navigate } from '../router.js';
import { takeNext } from './entering.js';
import { form, frame } from './entry-card.js';

export default class WelcomeScreen extends View {
  static pane = 'alone';
  static title = () => t('welcome.documentTitle');

  render() {
    const { me } = store.state;
    const name = field({ label: t('field.name'), name: 'name', autocomplete: 'name', maxlength: '60', value: me?.displayName ?? '' });
    this.picture = null;
    this.upload = null;
    this.face = avatar({ id: me?.id, name: '', size: 'huge' });
    name.input.addEventListener('input', () => this.showFace(name.input.value));
    const submit = async () => {
      check(nameLike(name.input.value));
      // Whoever goes on while the photo is on its way keeps it.
      const picture = await this.upload;
      await saveProfile({ displayName: name.input.value.trim(), ...(picture ? { photoURL: picture.id } : {}) });
      navigate(takeNext(), { replace: true });
    };
    const formNode = form({ fields: { '/displayName': name }, action: t('welcome.submit'), submit });
    const photo = h(
      'button', { type: 'button', class: 'welcome__photo', 'aria-label': t('welcome.photo'), on: { click: () => this.choose(formNode.notice, name) } },
      this.face, h('span', { class: 'welcome__camera' }, icon('camera')));
    this.append(frame({ title: t('welcome.title'), lead: t('welcome.lead'), children: [photo, formNode] }));
  }

  async choose(notice, name) {
    const file = await choosePicture();
    if (!file) return;
    notice.textContent = '';
    this.setAttribute('aria-busy', 'true');
    try {
      this.upload = uploadPicture(file);
      this.picture = await this.upload;
      this.showFace(name.input.value);
    } catch (problem) {
      this.upload = this.picture;
      notice.textContent = problemWords(problem);
    } finally {
      this.removeAttribute('aria-busy');
    }
  }

  showFace(name) {
    updateAvatar(this.face, { id: store.state.me?.id, name, photoURL: this.picture?.url, size: 'huge' });
  }
}

customElements.define('parley-welcome', WelcomeScreen);
