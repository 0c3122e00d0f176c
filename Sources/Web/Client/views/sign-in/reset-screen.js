// Choosing a new password, by the token that came in a mail.

import { t } from '../../text/catalogue.js';
import { api } from '../../transport/api.js';
import { field } from '../components/field.js';
import { check, needed, passwordLike } from '../components/validation.js';
import { h, View } from '../element.js';
import { form, frame } from './entry-card.js';
import { takeToken } from './mailed-token.js';

export default class ResetScreen extends View {
  static pane = 'alone';
  static open = true;
  static title = () => t('reset.title');

  render() {
    const mailed = takeToken();
    const token = field({ label: t('reset.token'), name: 'token', autocomplete: 'one-time-code', spellcheck: 'false', value: mailed ?? '' });
    const password = field({ label: t('field.newPassword'), hint: t('field.passwordHint'), type: 'password', name: 'password', autocomplete: 'new-password' });
    if (mailed) token.hidden = true;
    const done = h('p', { class: 'notice notice--good', role: 'status' });
    const submit = async () => {
      check(needed('/token', token.input.value), passwordLike('/newPassword', password.input.value));
      await this.reset(token, password);
      done.textContent = t('reset.done');
      formNode.remove();
    };
    const formNode = form({ fields: { '/token': token, '/newPassword': password }, action: t('reset.submit'), submit });
    this.append(frame({
      title: t('reset.title'),
      children: [formNode, done, h('p', { class: 'entry__other' }, h('a', { href: '/sign-in' }, t('verify.signIn')))],
    }));
  }

  async reset(token, password) {
    try {
      await api.post('/v1/auth/password/reset', { token: token.input.value.trim(), newPassword: password.input.value });
    } catch (problem) {
      if (!problem.errors?.some((error) => error.pointer === '/token')) throw problem;
      token.hidden = false;
      throw Object.assign(problem, { errors: [], code: 'badToken' });
    }
  }
}

customElements.define('parley-reset', ResetScreen);
