// The server's time, which is everybody's: this device's clock may be wrong by a day, and may be set right meanwhile.

const storageKey = 'parley.clockAhead';
/// Answers tell the time in whole seconds, and may have been on their way for some.
const tolerance = 5_000;

// The server's time − this device's, in ms: as it was, until the server says so anew.
let ahead = remembered();

/// What time it is, in ms.
export function now() {
  return Date.now() + ahead;
}

/// The server has said what time it is.
export function setTime(serverTime) {
  const time = Date.parse(serverTime);
  if (!Number.isFinite(time)) return;
  ahead = time - Date.now();
  try {
    localStorage.setItem(storageKey, String(ahead));
  } catch {
    // Storage is forbidden: it is asked again.
  }
}

/// The time that an answer bears: it counts where this device's is another one.
export function checkTime(answered) {
  if (Math.abs(Date.parse(answered) - now()) > tolerance) setTime(answered);
}

function remembered() {
  try {
    return Number(localStorage.getItem(storageKey)) || 0;
  } catch {
    return 0;
  }
}
