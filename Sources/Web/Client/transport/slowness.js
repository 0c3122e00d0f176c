// Tells whether the connection is slow: from when a request has waited for long until the next quick answer, or for a while.

const longWait = 4_000;
/// Nobody may ask anything after a late answer, and then there is no quick one either.
const remembered = 10_000;

const overdue = new Set();
const listeners = new Set();
let forgetting = null;

/// Calls back with what is known after each request: whether the connection is slow.
export function onSlowness(callback) {
  listeners.add(callback);
  return () => listeners.delete(callback);
}

/// A request begins. Returns what its end is told by: whether the server has answered, whatever it said.
export function expectAnswer() {
  const request = {};
  const alarm = setTimeout(() => {
    overdue.add(request);
    tell(true);
  }, longWait);
  return (isAnswered) => {
    clearTimeout(alarm);
    const wasLate = overdue.delete(request);
    if (overdue.size > 0) return;
    if (wasLate) forgetting = setTimeout(() => tell(false), remembered);
    else if (isAnswered) tell(false);
  };
}

function tell(isSlow) {
  clearTimeout(forgetting);
  for (const listener of listeners) listener(isSlow);
}
