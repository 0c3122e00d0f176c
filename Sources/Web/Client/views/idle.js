// The time between frames.

/// Calls back once the page has nothing else to do, or after `timeout` milliseconds. Safari has no such time to give: soon, there.
export function whenIdle(callback, { timeout }) {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(() => callback(), { timeout });
  else setTimeout(callback, 0);
}
