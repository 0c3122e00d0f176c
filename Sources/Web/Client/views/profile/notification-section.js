// Whether this browser is told when no page is open, and how much a notification says.

import { preference } from '../../store/preferences.js';
import { pushState, startPush, stopPush } from '../../store/push.js';
import { t } from '../../text/catalogue.js';
import { section, selectRow, switchRow } from '../components/page.js';
import { tried } from '../components/tried.js';

export function notificationSection() {
  const push = switchRow({
    title: t('profile.push'),
    hint: t('profile.pushHint'),
    isOn: false,
    isDisabled: true,
    change: tried(async (isOn) => {
      await (isOn ? startPush() : stopPush());
      await show();
    }),
  });
  const previews = [['full', t('profile.previewFull')], ['sender', t('profile.previewSender')], ['none', t('profile.previewNone')]];
  const preview = selectRow({
    title: t('profile.pushPreview'), value: preference('preview', 'full'), options: previews, isDisabled: true, change: tried((value) => startPush(value)),
  });

  async function show() {
    const state = await pushState();
    push.input.checked = state === 'on';
    push.input.disabled = state === 'unsupported' || state === 'denied';
    push.detail.textContent = t({ denied: 'profile.pushDenied', unsupported: 'profile.pushUnsupported' }[state] ?? 'profile.pushHint');
    preview.select.disabled = state !== 'on';
  }

  show();
  return section({ title: t('profile.notifications'), children: [push, preview] });
}
