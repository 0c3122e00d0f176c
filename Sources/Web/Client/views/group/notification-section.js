// How loud a conversation is for the caller alone.

import { isMuted } from '../../store/conversations.js';
import { t } from '../../text/catalogue.js';
import { now } from '../../transport/clock.js';
import { section, selectRow } from '../components/page.js';
import { tried } from '../components/tried.js';
import { changeView } from './group-actions.js';

const forEver = '9999-12-31T23:59:59.999Z';
const hour = 3_600_000;

export function notificationSection({ id, me, type }) {
  const terms = [['', t('group.muteOff')], [hour, t('group.muteHour')], [24 * hour, t('group.muteDay')], [7 * 24 * hour, t('group.muteWeek')], ['always', t('group.muteAlways')]];
  const levels = [['all', t('group.levelAll')], ['mentions', t('group.levelMentions')], ['none', t('group.levelNone')]];
  return section({
    title: t('group.notifications'),
    children: [
      selectRow({
        title: t('group.mute'),
        value: isMuted({ me }, now()) ? nearest(terms, me.mutedUntil) : '',
        options: terms,
        change: tried((term) => changeView(id, { mutedUntil: until(term) })),
      }),
      type === 'group'
        ? selectRow({ title: t('group.level'), value: me.notificationLevel, options: levels, change: tried((notificationLevel) => changeView(id, { notificationLevel })) })
        : null,
    ],
  });
}

function until(term) {
  if (term === '') return null;
  return term === 'always' ? forEver : new Date(now() + Number(term)).toISOString();
}

/// The shortest term that reaches as far as the muting does.
function nearest(terms, mutedUntil) {
  const left = Date.parse(mutedUntil) - now();
  return terms.find(([term]) => typeof term === 'number' && left <= term)?.[0] ?? 'always';
}
