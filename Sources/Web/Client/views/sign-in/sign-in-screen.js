// Signing in, with the ways to those who have no account yet or forgot the password.

import { store } from '../../store/store.js';
import { t } from '../../text/catalogue.js';
import { api } from '../../transport/api.js';
import { field } from '../components/field.js';
import { check, needed } from '../components/validation.js';
import { h, View } from '../element.js';
import { loadScreens, navigate } from '../router.js';
import { deviceName, enter, rememberNext } from './entering.js';
import { form, frame } from './entry-card.js';
import { providerButtons } from './providers.js';

/// What the server says of an attempt with another account, where more can be said than that it did not work.
const failures = {
  emailTaken: (provider) => t('signIn.emailTaken', { provider }),
  alreadyLinked: (provider) => t('signIn.alreadyLinked', { provider }),
  emailUnverified: (provider) => t('signIn.emailUnverified', { provider }),
  deactivated: () => t('signIn.deactivated'),
  unavailable: (provider) => t('signIn.unavailable', { provider }),
};

export default class SignInScreen extends View {
  static pane = 'alone';
  static open = true;
  static forStrangers = true;
  static title = () => t('signIn.documentTitle');

  render() {
    if (this.query?.get('to')) rememberNext(this.query.get('to'));
    const email = field({ label: t('field.email'), type: 'email', name: 'email', autocomplete: 'username', inputmode: 'email', autocapitalize: 'none' });
    const password = field({ label: t('field.password'), type: 'password', name: 'password', autocomplete: 'current-password' });
    const fields = { '/email': email, '/password': password };
    const submit = async () => {
      check(needed('/email', email.input.value), needed('/password', password.input.value));
      await enter(() => api.post('/v1/auth/login', {
        email: email.input.value.trim(), password: password.input.value, deviceName: deviceName(), session: 'cookie',
      }));
    };
    this.append(frame({
      title: t('signIn.title'),
      lead: t('signIn.lead'),
      children: [
        (this.reasons = h('div', { class: 'entry__reasons' })),
        form({ fields, action: t('signIn.submit'), submit }),
        h('p', { class: 'entry__aside' }, h('a', { href: '/forgot-password' }, t('signIn.forgot'))),
        (this.providers = providerButtons()),
        h('p', { class: 'entry__other' }, t('signIn.newHere')),
        h('button', { type: 'button', class: 'button button--outline button--block', on: { click: () => navigate('/sign-up') } }, t('signIn.createAccount')),
      ],
    }));
  }

  connected() {
    loadScreens('/sign-up');
    this.watch(store, (state) => state.session, () => this.showReason());
    this.showReason();
  }

  /// Says why somebody who was signed in is here.
  async showReason() {
    const hasFailed = this.query?.has('failed') || this.query?.has('error');
    const reason = this.reason(hasFailed ? await this.providers.names : []);
    this.reasons.replaceChildren(...[reason].filter(Boolean));
  }

  reason(providers) {
    const failed = this.query?.get('failed') ?? this.query?.get('error');
    if (failed) {
      // Anybody's link may lead here: only names that the server knows are said.
      const named = this.query.get('provider');
      const provider = providers.includes(named) ? named : t('signIn.aProvider');
      const words = Object.hasOwn(failures, failed) ? failures[failed](provider) : t('signIn.providerFailed', { provider });
      return h('p', { class: 'notice notice--error', role: 'alert' }, words);
    }
    return store.state.session === 'ended' ? h('p', { class: 'notice notice--warning', role: 'status' }, t('signIn.ended')) : null;
  }
}

customElements.define('parley-sign-in', SignInScreen);
