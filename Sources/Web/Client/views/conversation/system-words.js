// What has happened to a group, in words.

import { formatLength, formatList, t } from '../../text/catalogue.js';
import { personName } from '../names.js';

const mostNames = 4;

export function systemWords(state, { data }) {
  if (!data) return '';
  const isMine = data.actorId === state.me?.id;
  const actor = personName(state, data.actorId);
  const word = (key, values = {}) => t(isMine ? `system.${key}.you` : `system.${key}`, { actor, people: people(state, data), ...values });
  switch (data.event) {
    case 'groupCreated': return word('groupCreated', { name: data.changes?.groupName ?? '' });
    case 'groupUpdated': return updated(data.changes ?? {}, word);
    case 'participantAdded': return word('added');
    case 'participantJoined': return word('joined');
    case 'participantLeft': return word('left');
    case 'participantRemoved': return word('removed');
    case 'participantRoleChanged': return word(roleKeys[data.role] ?? 'roleMember');
    case 'messagePinned': return word('pinned');
    case 'messageUnpinned': return word('unpinned');
    case 'retentionChanged': return retention(data.changes?.retentionSeconds, word);
    default: return t('system.unknown');
  }
}

const roleKeys = { owner: 'roleOwner', admin: 'roleAdmin', member: 'roleMember' };

function people(state, { userIds = [], userCount = 0 }) {
  const names = userIds.slice(0, mostNames).map((id) => (id === state.me?.id ? t('system.you') : personName(state, id)));
  const others = Math.max(userCount, userIds.length) - names.length;
  return formatList(others > 0 ? [...names, t('system.others', { count: others })] : names);
}

function updated(changes, word) {
  if (changes.groupName !== undefined) return changes.groupName === null ? word('nameGone') : word('name', { name: changes.groupName });
  if ('groupIcon' in changes) return word(changes.groupIcon === null ? 'iconGone' : 'icon');
  if ('retentionSeconds' in changes) return retention(changes.retentionSeconds, word);
  if ('slowModeSeconds' in changes) return changes.slowModeSeconds > 0 ? word('slow', { time: timeWords(changes.slowModeSeconds) }) : word('slowOff');
  if (changes.joinPolicy) return word(changes.joinPolicy === 'open' ? 'open' : 'invite');
  if (changes.historyVisibility) return word(changes.historyVisibility === 'joined' ? 'historyJoined' : 'historyAll');
  return word('settings');
}

function retention(seconds, word) {
  return seconds ? word('retention', { time: timeWords(seconds) }) : word('retentionOff');
}

const units = [['day', 86_400], ['hour', 3_600], ['minute', 60], ['second', 1]];

/// A length of time in the largest unit that it is a multiple of.
export function timeWords(seconds) {
  const [unit, length] = units.find(([, one]) => seconds >= one && seconds % one === 0) ?? units.at(-1);
  return formatLength(seconds / length, unit);
}
