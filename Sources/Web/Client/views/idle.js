// Frames, and the time between them.

/// Calls back once the page has nothing else to do, or after `timeout` milliseconds. Safari has no such time to give: soon, there.
export function whenIdle(callback, { timeout }) {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(() => callback(), { timeout });
  else setTimeout(callback, 0);
}

/// A function that has `callback` called in the next frame: once, however often it is called until then.
export function onceInFrame(callback) {
  return once((run) => requestAnimationFrame(run), callback);
}

/// The same once the next frame is drawn.
export function onceAfterFrame(callback) {
  return once((run) => requestAnimationFrame(() => setTimeout(run, 0)), callback);
}

/// The same for when the page has nothing else to do, or after `timeout` milliseconds.
export function onceWhenIdle(callback, { timeout }) {
  return once((run) => whenIdle(run, { timeout }), callback);
}

function once(schedule, callback) {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    schedule(() => {
      isAsked = false;
      callback();
    });
  };
}
