// The token that a mail has brought: behind the #, which browsers send to nobody. It is taken out of the address at once, so
// that it stays in no history.

/// The token, or nothing.
export function takeToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (location.hash) history.replaceState(history.state, '', location.pathname + location.search);
  return token?.trim() || null;
}
