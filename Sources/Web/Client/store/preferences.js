// What this browser remembers of its own: small choices that no server needs to know. Where storage is forbidden they hold
// for this page alone.

const memory = new Map();

export function preference(name, otherwise = null) {
  try {
    return localStorage.getItem(`parley.${name}`) ?? memory.get(name) ?? otherwise;
  } catch {
    return memory.get(name) ?? otherwise;
  }
}

/// Null forgets it.
export function setPreference(name, value) {
  memory.delete(name);
  try {
    if (value === null) localStorage.removeItem(`parley.${name}`);
    else localStorage.setItem(`parley.${name}`, value);
  } catch {
    if (value !== null) memory.set(name, value);
  }
}
