// How loud a conversation is for the caller alone.

import { isMuted } from '../../store/conversations.js';
import { changeView } from '../../store/view-settings.js';
import { t } from '../../text/catalogue.js';
import { now } from '../../transport/clock.js';
import { section, selectRow } from '../components/page.js';
import { tried } from '../components/tried.js';
import { endOfMuting, mutingTerms, nearestTerm } from '../muting.js';

export function notificationSection({ id, me, type }) {
  const levels = [['all', t('group.levelAll')], ['mentions', t('group.levelMentions')], ['none', t('group.levelNone')]];
  return section({
    title: t('group.notifications'),
    children: [
      selectRow({
        title: t('group.mute'),
        value: isMuted({ me }, now()) ? nearestTerm(me.mutedUntil) : '',
        options: [['', t('group.muteOff')], ...mutingTerms()],
        change: tried((term) => changeView(id, { mutedUntil: endOfMuting(term) })),
      }),
      type === 'group'
        ? selectRow({ title: t('group.level'), value: me.notificationLevel, options: levels, change: tried((notificationLevel) => changeView(id, { notificationLevel })) })
        : null,
    ],
  });
}
