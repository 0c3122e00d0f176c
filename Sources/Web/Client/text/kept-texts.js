// A catalogue, kept where it can be read at once: even from the browser's cache it comes after the page could have been drawn.

const storageKey = 'parley.texts';
/// What comes to the screen first does not wait for it.
const keepAfter = 2_000;

/// The catalogue of an address, which is another one with each version; null where it is not kept.
export function keptTexts(address) {
  try {
    const kept = JSON.parse(localStorage.getItem(storageKey));
    return kept?.address === address && kept.texts instanceof Object ? kept.texts : null;
  } catch {
    // Storage is forbidden, or holds something else.
    return null;
  }
}

export function keepTexts(address, texts) {
  setTimeout(() => {
    try {
      localStorage.setItem(storageKey, JSON.stringify({ address, texts }));
    } catch {
      // Storage is forbidden, or full: it is asked for each time.
    }
  }, keepAfter);
}
