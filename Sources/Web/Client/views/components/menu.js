// A menu at a button or at a place on the screen: arrows move, letters find, Enter chooses, Escape closes and goes back.

import { h } from '../element.js';
import { noteFocus } from '../focus.js';
import { icon } from './icon.js';

let closeOpen = null;

/// Opens a menu at `anchor`, an element or `{x, y}`. An item is `{label, icon, danger, run}`; what is falsy is left out.
/// Returns what closes it.
export function openMenu(anchor, items, { label } = {}) {
  closeOpen?.();
  const giveBack = noteFocus();
  const buttons = items.filter(Boolean).map((item) => menuItem(item, () => close()));
  const menu = h('div', { class: 'menu', role: 'menu', popover: 'manual', 'aria-label': label ?? null }, ...buttons);
  // A message is none, and may not say that it is expanded.
  const isButton = anchor instanceof HTMLButtonElement;
  const host = (anchor instanceof Element && anchor.closest('dialog')) || document.querySelector('main') || document.body;
  const outside = (event) => {
    if (!menu.contains(event.target)) close({ restoreFocus: false });
  };

  // A phone's keyboard goes away when a menu takes the focus, and makes the window another one.
  const stay = () => (anchor instanceof Element && !anchor.isConnected ? close() : place(menu, anchor));

  function close({ restoreFocus = true } = {}) {
    if (!menu.isConnected) return;
    menu.remove();
    document.removeEventListener('pointerdown', outside, true);
    window.removeEventListener('resize', stay);
    if (isButton) anchor.setAttribute('aria-expanded', 'false');
    if (closeOpen === close) closeOpen = null;
    if (restoreFocus) giveBack();
  }

  menu.addEventListener('keydown', (event) => onKey(event, menu, close));
  host.append(menu);
  menu.showPopover?.();
  place(menu, anchor);
  document.addEventListener('pointerdown', outside, true);
  window.addEventListener('resize', stay);
  if (isButton) anchor.setAttribute('aria-expanded', 'true');
  closeOpen = close;
  buttons[0]?.focus();
  return close;
}

function menuItem({ label, icon: name, danger, checked, run }, close) {
  const choose = () => {
    close();
    run();
  };
  const role = checked === undefined ? 'menuitem' : 'menuitemradio';
  const button = h(
    'button',
    { type: 'button', role, tabindex: '-1', class: danger ? 'menu__item menu__item--danger' : 'menu__item', on: { click: choose } },
    name ? icon(name) : null, h('span', {}, label), checked ? icon('check') : null);
  if (checked !== undefined) button.setAttribute('aria-checked', String(checked));
  return button;
}

function onKey(event, menu, close) {
  const items = [...menu.querySelectorAll('.menu__item')];
  const at = items.indexOf(document.activeElement);
  const to = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1,
  }[event.key] ?? startingWith(event, items, at);
  if (event.key === 'Escape' || event.key === 'Tab') close();
  else if (to === undefined) return;
  else items[to].focus();
  event.preventDefault();
  event.stopPropagation();
}

function startingWith(event, items, at) {
  if (event.key.length !== 1 || event.key === ' ' || event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const order = [...items.keys()].map((step) => (at + 1 + step) % items.length);
  const letter = event.key.toLocaleLowerCase();
  return order.find((index) => items[index].textContent.trim().toLocaleLowerCase().startsWith(letter));
}

/// Below the anchor and along its start where there is room, else above and along its end.
function place(menu, anchor) {
  const box = anchor instanceof Element ? anchor.getBoundingClientRect() : { left: anchor.x, right: anchor.x, top: anchor.y, bottom: anchor.y };
  const size = menu.getBoundingClientRect();
  const fromRight = document.documentElement.dir === 'rtl' || box.left + size.width > innerWidth - 8;
  const left = fromRight && box.right - size.width >= 8 ? box.right - size.width : box.left;
  const below = box.bottom + 4 + size.height <= innerHeight - 8;
  const top = below ? box.bottom + 4 : box.top - size.height - 4;
  menu.style.setProperty('left', `${clamp(left, innerWidth - size.width - 8)}px`);
  menu.style.setProperty('top', `${clamp(top, innerHeight - size.height - 8)}px`);
}

function clamp(value, most) {
  return Math.max(8, Math.min(value, most));
}
