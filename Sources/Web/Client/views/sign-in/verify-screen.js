// What the link in the mail after signing up leads to: the address is confirmed, or the link is too old.

import { store } from '../../store/store.js';
import { t } from '../../text/catalogue.js';
import { api } from '../../transport/api.js';
import { field, problemWords } from '../components/field.js';
import { check, needed } from '../components/validation.js';
import { h, View } from '../element.js';
import { form, frame } from './entry-card.js';
import { takeToken } from './mailed-token.js';

export default class VerifyScreen extends View {
  static pane = 'alone';
  static open = true;
  static title = () => t('verify.title');

  render() {
    this.outcome = h('p', { class: 'notice', role: 'status' });
    this.onward = h('a', { class: 'button button--outline button--block' });
    const mailed = takeToken();
    this.paste = mailed ? null : this.pasting();
    this.append(frame({ title: t('verify.title'), children: [this.outcome, this.paste, this.onward].filter(Boolean) }));
    if (mailed) this.verify(mailed);
  }

  connected() {
    this.watch(store, (state) => state.session);
  }

  update() {
    const isIn = store.state.session === 'open';
    this.onward.href = isIn ? '/' : '/sign-in';
    this.onward.textContent = t(isIn ? 'verify.continue' : 'verify.signIn');
  }

  /// For a mail that holds the code alone, as the server does not know this page's address.
  pasting() {
    const token = field({ label: t('reset.token'), name: 'token', autocomplete: 'one-time-code', spellcheck: 'false' });
    const submit = async () => {
      check(needed('/token', token.input.value));
      await this.verify(token.input.value.trim());
    };
    return form({ fields: { '/token': token }, action: t('verify.submit'), submit });
  }

  async verify(token) {
    this.show(t('verify.working'), '');
    try {
      await api.post('/v1/auth/email/verify', { token });
      this.show(t('verify.done'), 'good');
      this.paste?.remove();
    } catch (problem) {
      this.show(problem.status === 422 ? t('verify.invalid') : problemWords(problem), 'error');
    }
  }

  show(text, kind) {
    this.outcome.className = `notice notice--${kind}`;
    this.outcome.textContent = text;
  }
}

customElements.define('parley-verify', VerifyScreen);
