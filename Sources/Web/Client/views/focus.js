// The focus, where what has it may be drawn anew, as a message by a receipt, or a group's page by what is said in the group: it
// comes back to what stands in its place then.

const pressable = ':is(button, a[href], input, select, textarea):not([disabled])';

/// What can have the focus in a part of a page, and is seen, in order.
export function controlsIn(place) {
  return [...place.querySelectorAll(pressable)].filter((control) => control.checkVisibility());
}

/// Notes what has the focus, and returns what gives it back: to the same element; where that is gone, to the one of the same
/// name in the message or page that it was in, or to the one that stands where it stood; else to that message, or one beside it.
export function noteFocus(place = document.activeElement?.closest('.message, .page')) {
  // Nothing has it where what had it has gone with its document.
  const focused = document.activeElement ?? document.body;
  const name = nameOf(focused);
  const controls = place ? controlsIn(place) : [];
  const at = controls.indexOf(focused);
  const among = controls.slice(0, Math.max(at, 0)).filter((control) => nameOf(control) === name).length;
  const beside = [place?.nextElementSibling, place?.previousElementSibling];
  const find = () => {
    if (focused.isConnected) return focused;
    if (!place?.isConnected) return beside.find((one) => one?.isConnected);
    const present = controlsIn(place);
    return present.filter((control) => nameOf(control) === name)[among] ?? present[at] ?? place;
  };
  return () => find()?.focus({ preventScroll: true });
}

// What a control is called: by itself, or by the row that it stands in.
function nameOf(control) {
  const title = control.closest('.row')?.querySelector('.row__title');
  return control.getAttribute('aria-label') ?? title?.textContent ?? control.title;
}
