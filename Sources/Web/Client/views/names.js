// What conversations and people are called, and what a conversation's last message says in a line.

import { partnerOf } from '../store/conversations.js';
import { formatList, t } from '../text/catalogue.js';

/// What a person is called, also without a name, and when erased.
export function personName(state, id) {
  if (id === state.me?.id) return state.me.displayName || t('people.you');
  const user = state.users.get(id);
  if (user?.erased) return t('person.erased');
  return user?.displayName || t('people.noName');
}

/// What a conversation is called: the group's name, or the other person's.
export function conversationName(state, conversation) {
  if (conversation.type === 'direct') return personName(state, partnerOf(conversation, state.me?.id));
  return conversation.groupName || t('chats.unnamed');
}

/// The same, by its id; empty where it is not known here.
export function nameOfConversation(state, id) {
  const conversation = state.conversations.get(id);
  return conversation ? conversationName(state, conversation) : '';
}

/// What `avatar()` takes of a conversation.
export function conversationFace(state, conversation) {
  const name = conversationName(state, conversation);
  if (conversation.type !== 'direct') return { id: conversation.id, name: conversation.groupName ?? '', photoURL: conversation.groupIcon, isGroup: true };
  const id = partnerOf(conversation, state.me?.id);
  return { id, name, photoURL: state.users.get(id)?.photoURL, presence: state.presence.get(id)?.status };
}

/// "typing…", "Ada is typing…", "Ada and 2 others are typing…". Empty where nobody is. In a direct conversation nobody is named.
export function typingWords(state, conversation) {
  const typing = (state.typing.get(conversation.id) ?? []).filter(({ userId }) => userId !== state.me?.id && !state.blocks.has(userId));
  if (typing.length === 0) return '';
  if (conversation.type === 'direct') return t('conversation.typing');
  const names = typing.map(({ userId }) => personName(state, userId));
  if (names.length === 1) return t('conversation.typingOne', { name: names[0] });
  if (names.length === 2) return t('conversation.typingTwo', { names: formatList(names) });
  return t('conversation.typingMany', { name: names[0], count: names.length - 1 });
}

/// What a message says in a line.
export function summaryWords({ text, attachments = [], deletedAt }) {
  if (deletedAt) return t('kind.deleted');
  if (text) return text;
  const kind = attachments[0]?.kind ?? attachments[0];
  return kind ? t({ image: 'kind.photo', audio: 'kind.voice' }[kind] ?? 'kind.file') : t('kind.deleted');
}
