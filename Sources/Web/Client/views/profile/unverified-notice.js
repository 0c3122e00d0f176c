// Says that the email is not confirmed, takes the code from the mail, and has the mail sent again.

import { t } from '../../text/catalogue.js';
import { api } from '../../transport/api.js';
import { toast } from '../components/toast.js';
import { attempt } from '../components/tried.js';
import { h } from '../element.js';

export function unverifiedNotice() {
  const resend = attempt(async () => {
    await api.post('/v1/auth/email/resend');
    toast(t('profile.resent'));
  });
  const button = h('button', { type: 'button', class: 'button button--quiet', on: { click: resend } }, t('profile.resend'));
  const code = h('a', { class: 'button button--quiet', href: '/verify-email' }, t('forgot.haveToken'));
  return h('div', { class: 'notice notice--warning' }, h('p', {}, t('profile.notVerified')), button, code);
}
