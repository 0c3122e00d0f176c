// What can be done with a conversation in the list: for this person alone, on all their devices.

import { changeView, clearConversation, markUnread } from '../../store/view-settings.js';
import { isMuted } from '../../store/conversations.js';
import { store } from '../../store/store.js';
import { t } from '../../text/catalogue.js';
import { now } from '../../transport/clock.js';
import { confirmDialog } from '../components/dialog.js';
import { openMenu } from '../components/menu.js';
import { attempt } from '../components/tried.js';
import { endOfMuting, mutingTerms } from '../muting.js';

export function chatMenu(anchor, id) {
  const conversation = store.state.conversations.get(id);
  if (!conversation) return;
  const { me, headSeq, unreadCount } = conversation;
  const change = (fields) => attempt(() => changeView(id, fields));
  const isQuiet = isMuted(conversation, now());
  openMenu(anchor, [
    { label: t(me.pinned ? 'chats.unpin' : 'chats.pin'), icon: 'pin', run: change({ pinned: !me.pinned }) },
    isQuiet
      ? { label: t('chats.unmute'), icon: 'bell', run: change({ mutedUntil: null }) }
      : { label: t('chats.mute'), icon: 'mute', run: () => chooseMuting(anchor, id) },
    { label: t(me.archived ? 'chats.unarchive' : 'chats.archive'), icon: 'archive', run: change({ archived: !me.archived }) },
    headSeq > 0 && unreadCount === 0 && !me.markedUnread ? { label: t('chats.markUnread'), icon: 'chats', run: attempt(() => markUnread(id, headSeq)) } : null,
    { label: t('chats.clear'), icon: 'trash', danger: true, run: attempt(() => clear(id)) },
  ], { label: t('action.more') });
}

function chooseMuting(anchor, id) {
  const mute = (term) => attempt(() => changeView(id, { mutedUntil: endOfMuting(term) }));
  openMenu(anchor, mutingTerms().map(([term, label]) => ({ label, run: mute(term) })), { label: t('chats.mute') });
}

async function clear(id) {
  const isMeant = await confirmDialog({ title: t('chats.clearTitle'), text: t('chats.clearText'), action: t('chats.clear'), danger: true });
  if (isMeant) await clearConversation(id);
}
