// Asking for the mail by which a new password can be set.

import { t } from '../../text/catalogue.js';
import { api } from '../../transport/api.js';
import { field } from '../components/field.js';
import { check, emailLike } from '../components/validation.js';
import { h, View } from '../element.js';
import { form, frame } from './entry-card.js';

export default class ForgotScreen extends View {
  static pane = 'alone';
  static open = true;
  static title = () => t('forgot.title');

  render() {
    const email = field({ label: t('field.email'), type: 'email', name: 'email', autocomplete: 'username', inputmode: 'email', autocapitalize: 'none' });
    const sent = h('p', { class: 'notice notice--good', role: 'status' });
    const submit = async () => {
      sent.textContent = '';
      check(emailLike(email.input.value));
      await api.post('/v1/auth/password/forgot', { email: email.input.value.trim() });
      sent.textContent = t('forgot.sent');
    };
    this.append(frame({
      title: t('forgot.title'),
      lead: t('forgot.lead'),
      children: [
        form({ fields: { '/email': email }, action: t('forgot.submit'), submit }),
        sent,
        h('p', { class: 'entry__aside' }, h('a', { href: '/reset-password' }, t('forgot.haveToken'))),
        h('p', { class: 'entry__other' }, h('a', { href: '/sign-in' }, t('forgot.back'))),
      ],
    }));
  }
}

customElements.define('parley-forgot', ForgotScreen);
