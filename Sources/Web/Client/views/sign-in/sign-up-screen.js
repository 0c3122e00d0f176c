// Making an account: email and password. The name comes afterwards, on the welcome screen.

import { t } from '../../text/catalogue.js';
import { api } from '../../transport/api.js';
import { field } from '../components/field.js';
import { check, emailLike, passwordLike } from '../components/validation.js';
import { h, View } from '../element.js';
import { deviceName, enter } from './entering.js';
import { form, frame } from './entry-card.js';
import { providerButtons } from './providers.js';

export default class SignUpScreen extends View {
  static pane = 'alone';
  static open = true;
  static forStrangers = true;
  static title = () => t('signUp.title');

  render() {
    const email = field({ label: t('field.email'), type: 'email', name: 'email', autocomplete: 'username', inputmode: 'email', autocapitalize: 'none' });
    const password = field({ label: t('field.password'), hint: t('field.passwordHint'), type: 'password', name: 'password', autocomplete: 'new-password' });
    const fields = { '/email': email, '/password': password };
    const submit = async () => {
      check(emailLike(email.input.value), passwordLike('/password', password.input.value));
      await enter(() => api.post('/v1/auth/register', {
        email: email.input.value.trim(), password: password.input.value, deviceName: deviceName(), session: 'cookie',
      }));
    };
    this.append(frame({
      title: t('signUp.title'),
      lead: t('signUp.lead'),
      children: [
        form({ fields, action: t('signUp.submit'), submit }),
        providerButtons(),
        h('p', { class: 'entry__other' }, t('signUp.haveAccount'), ' ', h('a', { href: '/sign-in' }, t('signUp.signIn'))),
      ],
    }));
  }
}

customElements.define('parley-sign-up', SignUpScreen);
