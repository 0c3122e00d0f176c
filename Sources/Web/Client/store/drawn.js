// When what has just changed is on the screen: what can wait, waits for that.

/// Resolves after the next frame. A page that is hidden draws nothing, and does not wait for it.
export function drawn() {
  return new Promise((resolve) => {
    if (document.visibilityState === 'hidden') resolve();
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, 500);
  });
}
