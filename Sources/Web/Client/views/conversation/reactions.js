// Reactions: what was given stands below the bubble; any emoji can be given.

import { api } from '../../transport/api.js';
import { takeMessage } from '../../store/history.js';
import { store } from '../../store/store.js';
import { formatList, formatNumber, t } from '../../text/catalogue.js';
import { attempt } from '../components/tried.js';
import { h } from '../element.js';
import { personName } from '../names.js';
import { openEmojiPicker } from './emoji-picker.js';

const shownNames = 8;

/// The reactions of a message, as buttons that give or take back the own one.
export function reactionsOf(message) {
  if (!message.reactions?.length) return [];
  return [h('div', { class: 'reactions', role: 'group', 'aria-label': t('conversation.reactions') }, message.reactions.map((reaction) => chip(message, reaction)))];
}

function chip(message, { emoji, count, mine, userIds }) {
  const names = userIds.slice(0, shownNames).map((id) => (id === store.state.me?.id ? t('people.you') : personName(store.state, id)));
  if (count > names.length) names.push(t('system.others', { count: count - names.length }));
  const words = t('conversation.reactedWith', { names: formatList(names), emoji });
  return h('button', { type: 'button', class: 'reaction', tabindex: '-1', 'aria-pressed': String(mine), 'aria-label': words, title: words, on: { click: attempt(() => toggleReaction(message, emoji)) } },
    h('span', { 'aria-hidden': 'true' }, emoji), count > 1 ? h('span', { 'aria-hidden': 'true' }, formatNumber(count)) : null);
}

/// Lets the person choose an emoji for a message.
export function openReactions(anchor, message) {
  openEmojiPicker(anchor, { label: t('conversation.react'), onChoose: attempt((emoji) => toggleReaction(message, emoji)) });
}

/// Gives a reaction, or takes the own one back. It shows at once, and goes back where the server refuses it.
export async function toggleReaction(message, emoji) {
  const isMine = message.reactions?.find((reaction) => reaction.emoji === emoji)?.mine === true;
  const path = `/v1/conversations/${message.conversationId}/messages/${message.id}/reactions/${encodeURIComponent(emoji)}`;
  show(message, emoji, !isMine);
  try {
    const { body } = isMine ? await api.delete(path) : await api.put(path);
    if (body) takeMessage(body);
  } catch (problem) {
    show(message, emoji, isMine);
    throw problem;
  }
}

// Others may have reacted meanwhile: only the own part of what is held now is another.
function show(message, emoji, isGiven) {
  const held = store.state.timelines.get(message.conversationId)?.messages.get(message.id) ?? message;
  takeMessage({ ...held, reactions: withOwn(held.reactions ?? [], emoji, isGiven) });
}

function withOwn(reactions, emoji, isGiven) {
  const me = store.state.me.id;
  const present = reactions.find((reaction) => reaction.emoji === emoji);
  if ((present?.mine ?? false) === isGiven) return reactions;
  if (!present) return [...reactions, { emoji, count: 1, mine: true, userIds: [me] }];
  const others = present.userIds.filter((id) => id !== me);
  const changed = { ...present, mine: isGiven, count: present.count + (isGiven ? 1 : -1), userIds: isGiven ? [...others, me] : others };
  return reactions.map((reaction) => (reaction === present ? changed : reaction)).filter(({ count }) => count > 0);
}
