// Short texts of numbers and times, kept between visits: the first that a page has the browser format takes as long as half of
// what a list needs, and the list would wait for it.

const storageKey = 'parley.formatted';
/// After this long they are made anew: the browser, or what it is set to, may have changed.
const longestKept = 7 * 86_400_000;
/// As many as fill a few screens; beyond, all begin anew.
const mostEntries = 500;
const keepAfter = 2_000;

let texts = new Map();
let origin = { locale: null, since: 0 };
let keeping = null;

/// Takes up what is kept for a locale. Returns whether there was something.
export function rememberFor(locale) {
  const kept = read();
  const isFresh = kept?.locale === locale && kept.browser === navigator.userAgent && Math.abs(Date.now() - kept.since) < longestKept;
  origin = { locale, browser: navigator.userAgent, since: isFresh ? kept.since : Date.now() };
  texts = isFresh ? kept.texts : new Map();
  return texts.size > 0;
}

/// The text of a key, made where it is not known.
export function remembered(key, make) {
  let text = texts.get(key);
  if (text === undefined) {
    text = make();
    if (texts.size >= mostEntries) texts.clear();
    texts.set(key, text);
    keeping ??= setTimeout(keep, keepAfter);
  }
  return text;
}

function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(storageKey));
    return kept && { ...kept, texts: new Map(kept.texts) };
  } catch {
    // Storage is forbidden, or holds something else.
    return null;
  }
}

function keep() {
  keeping = null;
  try {
    localStorage.setItem(storageKey, JSON.stringify({ ...origin, texts: [...texts] }));
  } catch {
    // Storage is forbidden, or full: they are made anew each time.
  }
}
