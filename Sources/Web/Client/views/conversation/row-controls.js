// Keys inside of a message: arrows to the side go from the message to what can be pressed in it (photos, a voice note, what it
// answers, reactions), Escape goes back to the message.

import { controlsIn, noteFocus } from '../focus.js';
import { moveFocus } from '../roving.js';

/// A key in the list of messages.
export function onRowKey(event, list) {
  const row = event.target.closest('.message');
  if (!row || moveInside(event, row) || row !== event.target) return;
  if (moveFocus(event, list, '.message')) return;
  if (event.key === 'Enter' || event.key === 'ContextMenu') {
    event.preventDefault();
    row.openMenu();
  }
}

/// Moves the focus within the row that has it; true where the key was one for that.
function moveInside(event, row) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
  const controls = controlsOf(row);
  const at = controls.indexOf(event.target);
  const to = event.key === 'Escape' && at >= 0 ? row : next(event, controls, at, row);
  if (!to) return false;
  event.preventDefault();
  to.focus();
  return true;
}

function next({ key, target }, controls, at, row) {
  // A slider has these keys for itself.
  if ((key !== 'ArrowLeft' && key !== 'ArrowRight') || target.type === 'range') return null;
  const isForward = (key === 'ArrowRight') !== (document.documentElement.dir === 'rtl');
  return isForward ? controls[at + 1] : at === 0 ? row : controls[at - 1];
}

// Sliders come last: no arrow leads on from them.
function controlsOf(row) {
  const all = controlsIn(row);
  return [...all.filter(({ type }) => type !== 'range'), ...all.filter(({ type }) => type === 'range')];
}

/// Draws a row anew and leaves the focus on the control that had it, or that stands in its place, or on the row.
export function keepingFocus(row, draw) {
  const focused = document.activeElement;
  if (focused === row || !row.contains(focused)) return draw();
  const giveBack = noteFocus(row);
  draw();
  if (!row.contains(document.activeElement)) giveBack();
  return undefined;
}
