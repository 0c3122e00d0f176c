// Arrow keys in a list: one of its rows is reached by Tab, the arrows go from there.

const steps = { ArrowDown: 1, ArrowUp: -1 };

/// Moves the focus among the elements of a list that match; true where the key was one for that.
export function moveFocus(event, list, selector) {
  const rows = [...list.querySelectorAll(selector)];
  const at = rows.indexOf(document.activeElement?.closest(selector));
  if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return false;
  const to = event.key === 'Home' ? 0 : event.key === 'End' ? rows.length - 1 : at + (steps[event.key] ?? Number.NaN);
  if (!rows[to]) return false;
  event.preventDefault();
  for (const row of rows) row.tabIndex = -1;
  rows[to].tabIndex = 0;
  rows[to].focus();
  return true;
}

/// Lets Tab lead to one element of a list; it is looked for only where that which was the last one is none any more.
export function keepTabStop(list) {
  if (list.tabStop?.tabIndex === 0 && list.tabStop.parentNode === list) return;
  list.tabStop = list.querySelector('[tabindex="0"]') ?? list.lastElementChild;
  if (list.tabStop) list.tabStop.tabIndex = 0;
}

/// Puts the focus on an element of a list, and Tab's stop with it.
export function focusStop(list, element) {
  if (list.tabStop && list.tabStop !== element) list.tabStop.tabIndex = -1;
  list.tabStop = element;
  element.tabIndex = 0;
  element.focus({ preventScroll: true });
}
