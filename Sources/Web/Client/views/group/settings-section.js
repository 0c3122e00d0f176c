// What those who lead a group decide for all: who may do what, what newcomers read, how long messages stay.

import { t } from '../../text/catalogue.js';
import { section, selectRow } from '../components/page.js';
import { tried } from '../components/tried.js';
import { timeWords } from '../conversation/system-words.js';
import { changeGroup } from './group-actions.js';

const day = 86_400;

export function settingsSection(conversation, refresh) {
  const change = (changes) => tried(async (value) => {
    await changeGroup(conversation.id, changes(value));
    await refresh();
  });
  const who = [['everyone', t('group.everyone')], ['admins', t('group.admins')]];
  const permission = (title, name) => selectRow({
    title, value: conversation.permissions?.[name], options: who, change: change((value) => ({ permissions: { [name]: value } })),
  });
  return section({
    title: t('group.settings'),
    children: [
      selectRow({
        title: t('group.joinPolicy'), value: conversation.joinPolicy, change: change((joinPolicy) => ({ joinPolicy })),
        options: [['invite', t('group.joinInvite')], ['open', t('group.joinOpen')]],
      }),
      selectRow({
        title: t('group.history'), value: conversation.historyVisibility, change: change((historyVisibility) => ({ historyVisibility })),
        options: [['all', t('group.historyAll')], ['joined', t('group.historyJoined')]],
      }),
      permission(t('group.permissionSend'), 'send'),
      permission(t('group.permissionAdd'), 'addMembers'),
      permission(t('group.permissionInfo'), 'changeInfo'),
      permission(t('group.permissionPin'), 'pin'),
      retentionRow(conversation, refresh),
      selectRow({
        title: t('group.slowMode'), value: conversation.slowModeSeconds ?? 0, options: slowModes(conversation.slowModeSeconds),
        change: change((seconds) => ({ slowModeSeconds: Number(seconds) })),
      }),
    ],
  });
}

/// How long messages stay that are sent from now on: of two people, either may say so.
export function retentionRow(conversation, refresh) {
  const usual = [[day, t('group.retentionDay')], [7 * day, t('group.retentionWeek')], [30 * day, t('group.retentionMonth')], [90 * day, t('group.retentionQuarter')]];
  const present = conversation.retentionSeconds;
  const isOther = present && !usual.some(([seconds]) => seconds === present);
  const terms = [['', t('group.retentionNever')], ...usual, ...(isOther ? [[present, timeWords(present)]] : [])];
  return selectRow({
    title: t('group.retention'),
    value: present ?? '',
    options: terms,
    change: tried(async (seconds) => {
      await changeGroup(conversation.id, { retentionSeconds: seconds === '' ? null : Number(seconds) });
      await refresh();
    }),
  });
}

function slowModes(present) {
  const usual = [0, 10, 30, 60, 300, 3600];
  return [...new Set([...usual, present ?? 0])].sort((one, other) => one - other).map((seconds) => [seconds, seconds === 0 ? t('group.slowModeOff') : timeWords(seconds)]);
}
