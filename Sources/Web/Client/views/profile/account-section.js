// The account: devices, password, one's data, the end of it.

import * as session from '../../store/session.js';
import { store } from '../../store/store.js';
import { t } from '../../text/catalogue.js';
import { api } from '../../transport/api.js';
import { askDialog } from '../components/ask-dialog.js';
import { confirmDialog } from '../components/dialog.js';
import { field } from '../components/field.js';
import { icon } from '../components/icon.js';
import { actionRow, section } from '../components/page.js';
import { toast } from '../components/toast.js';
import { attempt } from '../components/tried.js';
import { check, needed, passwordLike } from '../components/validation.js';
import { areTraysWaiting } from '../conversation/waiting-trays.js';
import { h } from '../element.js';
import { navigate } from '../router.js';

export function accountSection() {
  return section({
    title: t('profile.account'),
    children: [
      actionRow({ icon: 'device', title: t('profile.devices'), href: '/profile/devices' }),
      actionRow({ icon: 'lock', title: t('profile.changePassword'), run: changePassword }),
      actionRow({ icon: 'download', title: t('profile.export'), run: attempt(exportData) }),
      actionRow({ icon: 'trash', title: t('profile.delete'), danger: true, run: attempt(deleteAccount) }),
    ],
  });
}

export function signOutButton() {
  const signOut = async () => {
    const ask = { title: t('profile.signOutTitle'), text: t('profile.signOutText'), action: t('profile.signOut') };
    if (wouldLose() && !(await confirmDialog(ask))) return;
    await session.end();
    navigate('/sign-in', { replace: true });
  };
  return h('button', { type: 'button', class: 'button button--outline button--block', on: { click: signOut } }, icon('sign-out'), t('profile.signOut'));
}

// What this browser alone has: messages that are not sent, drafts that the server has not taken, changes that somebody is at,
// and chosen files.
function wouldLose() {
  const { outbox, drafts } = store.state;
  const isOnlyHere = ({ text, isSynced, editing }) => Boolean(editing) || (text.trim() !== '' && !isSynced);
  return areTraysWaiting() || [...outbox.values()].some((rows) => rows.length > 0) || [...drafts.values()].some(isOnlyHere);
}

async function changePassword() {
  const current = field({ label: t('field.currentPassword'), type: 'password', autocomplete: 'current-password' });
  const next = field({ label: t('field.newPassword'), hint: t('field.passwordHint'), type: 'password', autocomplete: 'new-password' });
  const isDone = await askDialog({
    title: t('password.title'),
    text: t('password.lead'),
    fields: { '/currentPassword': current, '/newPassword': next },
    action: t('password.submit'),
    describe: (problem) => wrongPassword(problem, '/currentPassword'),
    submit: async () => {
      check(needed('/currentPassword', current.input.value), passwordLike('/newPassword', next.input.value));
      await api.post('/v1/auth/password/change', { currentPassword: current.input.value, newPassword: next.input.value });
    },
  });
  if (isDone) toast(t('password.done'));
}

async function exportData() {
  const done = toast(t('profile.exporting'));
  try {
    const { response } = await api.post('/v1/me/export', undefined, { raw: true, timeout: 300_000 });
    const address = URL.createObjectURL(await response.blob());
    const link = h('a', { href: address, download: `parley-${new Date().toISOString().slice(0, 10)}.ndjson` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  } finally {
    done();
  }
}

async function deleteAccount() {
  const password = field({ label: t('field.password'), type: 'password', autocomplete: 'current-password' });
  const hasProved = await session.hasJustBegun();
  const isDone = await askDialog({
    title: t('deleteAccount.title'),
    text: t('deleteAccount.text'),
    fields: hasProved ? {} : { '/password': password },
    action: t('deleteAccount.submit'),
    danger: true,
    describe: (problem) => wrongPassword(problem, '/password'),
    submit: () => api.delete('/v1/me', { body: { password: password.input.value || null } }),
  });
  if (!isDone) return;
  await session.end();
  navigate('/sign-in', { replace: true });
  toast(t('deleteAccount.done'));
}

function wrongPassword(problem, pointer) {
  return problem.code === 'invalidCredentials' ? { ...problem, errors: [{ pointer, code: 'wrongPassword' }] } : problem;
}
