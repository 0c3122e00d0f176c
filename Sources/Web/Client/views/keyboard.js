// Keys that work everywhere: Ctrl+K looks for something, F6 goes from region to region, Escape goes back to the list.

import { currentRoute, navigate } from './router.js';

let isStarted = false;

export function startKeys(shell) {
  if (isStarted) return;
  isStarted = true;
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      search(shell);
    } else if (event.key === 'F6') {
      event.preventDefault();
      nextRegion(shell, event.shiftKey ? -1 : 1);
    } else if (event.key === 'Escape' && shell.dataset.pane === 'detail' && !isInOverlay(event.target)) {
      event.preventDefault();
      leaveDetail(shell);
    }
  });
}

function search(shell) {
  if (currentRoute().pattern === '/search') shell.list.querySelector('input')?.focus();
  else navigate('/search');
}

/// Whether something is in what lies over the page, and has keys of its own.
export function isInOverlay(target) {
  return target.closest?.('dialog, [role="menu"], [role="dialog"]') != null;
}

// On a phone that is the way back; beside the list, the focus goes to it.
function leaveDetail(shell) {
  const row = shell.list.querySelector('[aria-current], [tabindex="0"]');
  if (row && row.offsetParent) return row.focus();
  navigate('/');
  // The row is the same one, and shown by now.
  return row?.focus();
}

function nextRegion(shell, step) {
  const regions = [shell.nav, shell.list, ...shell.detail.querySelectorAll('[data-region]'), shell.detail].filter(
    (region) => region.offsetParent && !(region === shell.detail && shell.detail.querySelector('[data-region]')));
  const at = regions.findIndex((region) => region.contains(document.activeElement));
  for (let count = 1; count <= regions.length; count += 1) {
    const region = regions[(at + step * count + regions.length * 2) % regions.length];
    targetIn(region).focus();
    if (region.contains(document.activeElement)) return;
  }
}

// Where a region is entered: at what is current or written in, else at the first thing that can be seen and pressed.
function targetIn(region) {
  const visible = (selector) => [...region.querySelectorAll(selector)].find((each) => each.checkVisibility());
  return visible('[aria-current]:is(a), [tabindex="0"], textarea') ?? visible('a[href], button:not([disabled]), input') ?? region;
}
