// Whether the server has another page than this one. It is asked whenever the stream begins anew: a server that was replaced has
// ended it.

import { store } from './store.js';

const own = document.querySelector('meta[name="parley-version"]')?.content ?? '';

export async function checkVersion() {
  try {
    const response = await fetch('/app/version', { cache: 'no-store', credentials: 'omit', redirect: 'error', signal: AbortSignal.timeout(10_000) });
    if (!response.ok) return;
    const { version } = await response.json();
    if (typeof version === 'string') store.commit((state) => (state.newVersion = version === own ? null : version));
  } catch {
    // It is asked again with the next stream.
  }
}
