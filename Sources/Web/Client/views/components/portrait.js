// The head of a profile or a group: a large picture that can be changed, and the name below it.

import { t } from '../../text/catalogue.js';
import { h } from '../element.js';
import { avatar } from './avatar.js';
import { problemWords } from './field.js';
import { icon } from './icon.js';
import { openMenu } from './menu.js';
import { choosePicture, uploadPicture } from './photo-picker.js';
import { toast } from './toast.js';

/// `save(attachmentId | null)` stores a new picture, or takes it away; without it the picture cannot be changed.
export function portrait({ id, name, photoURL, isGroup = false, details = [], edit, label, save }) {
  const face = avatar({ id, name, photoURL, size: 'huge', isGroup });
  const title = h('p', { class: 'portrait__name' }, h('bdi', {}, name), edit ?? null);
  const picture = save ? changeable(face, { label, photoURL, save }) : h('span', { class: 'portrait__photo' }, face);
  return h('div', { class: 'portrait' }, picture, title, ...details);
}

function changeable(face, { label, photoURL, save }) {
  const button = h('button', { type: 'button', class: 'portrait__photo', 'aria-label': label }, face, h('span', { class: 'portrait__camera' }, icon('camera')));
  const change = async () => {
    const file = await choosePicture();
    if (file) await keep(button, async () => save((await uploadPicture(file)).id));
  };
  button.addEventListener('click', () => {
    if (!photoURL) return change();
    return openMenu(button, [
      { label: t('photo.change'), icon: 'image', run: change },
      { label: t('photo.remove'), icon: 'trash', danger: true, run: () => keep(button, () => save(null)) },
    ], { label });
  });
  return button;
}

async function keep(button, work) {
  button.setAttribute('aria-busy', 'true');
  const done = toast(t('photo.uploading'));
  try {
    await work();
    done();
  } catch (problem) {
    done();
    toast(problemWords(problem), { kind: 'error' });
  } finally {
    button.removeAttribute('aria-busy');
  }
}
