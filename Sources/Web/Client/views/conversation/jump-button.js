// The way back to the newest message, with the number of those that were not read.

import { formatNumber, t } from '../../text/catalogue.js';
import { icon } from '../components/icon.js';
import { h } from '../element.js';

/// A wheel that counts lines means this many pixels.
const lineHeight = 40;

export class JumpButton {
  /// `box` is what scrolls under it.
  constructor(jump, box) {
    this.badge = h('span', { class: 'badge', 'aria-hidden': 'true' });
    this.node = h('button', { type: 'button', class: 'messages__jump', hidden: true, on: { click: jump } }, icon('down'), this.badge);
    this.node.addEventListener('wheel', ({ deltaY, deltaMode }) => box.scrollBy(0, deltaY * [1, lineHeight, box.clientHeight][deltaMode]), { passive: true });
  }

  show({ isHidden, count }) {
    if (this.node.hidden === isHidden && this.count === count) return;
    this.count = count;
    this.node.hidden = isHidden;
    this.badge.hidden = count === 0;
    this.badge.textContent = count === 0 ? '' : count > 999 ? '999+' : formatNumber(count);
    const words = count > 0 ? t('conversation.jumpUnread', { count }) : t('conversation.jump');
    this.node.setAttribute('aria-label', words);
    this.node.title = words;
  }
}
