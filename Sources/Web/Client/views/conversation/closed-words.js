// Where nobody can write, or not this person.

import { partnerOf } from '../../store/conversations.js';
import { t } from '../../text/catalogue.js';

/// Why one cannot write in a conversation, or null.
export function closedWords(state, conversation) {
  if (conversation.isFormer) return t('conversation.former');
  const isAdmin = conversation.me.role === 'owner' || conversation.me.role === 'admin';
  if (conversation.permissions?.send === 'admins' && !isAdmin) return t('conversation.adminsOnly');
  if (conversation.type !== 'direct') return null;
  const partner = partnerOf(conversation, state.me?.id);
  if (state.blocks.has(partner)) return t('conversation.blocked');
  return state.users.get(partner)?.erased ? t('conversation.erased') : null;
}
