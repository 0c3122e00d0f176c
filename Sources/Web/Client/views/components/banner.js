// A banner at the top: a message in a conversation that is not open. A tap opens it; it goes by itself, and when the
// conversation was read.

import { t } from '../../text/catalogue.js';
import { h } from '../element.js';
import { messageAddress } from '../lists/message-link.js';
import { summaryWords } from '../names.js';
import { nameOf } from '../people/person-row.js';
import { navigate } from '../router.js';
import { avatar } from './avatar.js';
import { iconButton } from './page.js';

const shown = 6_000;

let area = null;
let present = null;

/// Shows a message; of several the last.
export function showBanner({ conversation, message, sender }) {
  hideBanner();
  const isGroup = conversation?.type === 'group';
  const person = nameOf(sender);
  const title = isGroup ? conversation.groupName ?? '' : person;
  const words = isGroup ? `${t('chats.by', { name: person })} ${summaryWords(message)}` : summaryWords(message);
  const open = () => {
    hideBanner();
    navigate(messageAddress(message));
  };
  const picture = isGroup
    ? avatar({ id: conversation.id, name: title, photoURL: conversation.groupIcon, isGroup })
    : avatar({ id: message.senderId, name: sender?.displayName, photoURL: sender?.photoURL });
  const node = h(
    'div', { class: 'banner' },
    h(
      'button', { type: 'button', class: 'banner__open', on: { click: open } }, picture,
      h('span', { class: 'row__main' }, h('bdi', { class: 'row__title clip' }, title), h('span', { class: 'row__detail clip', dir: 'auto' }, words))),
    iconButton('close', t('notify.dismiss'), () => hideBanner()));
  place().append(node);
  present = { node, message, timer: setTimeout(hideBanner, shown) };
}

/// The message that is shown now, or null.
export function shownMessage() {
  return present?.message ?? null;
}

export function hideBanner() {
  if (!present) return;
  clearTimeout(present.timer);
  present.node.remove();
  present = null;
}

/// Those who listen are told by it, when they have a moment.
function place() {
  if (!area) area = h('div', { class: 'banners', role: 'status' });
  if (!area.isConnected) document.body.append(area);
  return area;
}
