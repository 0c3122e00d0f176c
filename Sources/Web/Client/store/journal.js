// A journal of what is unsent, in local storage. That has a row at once, so a tab that is gone a moment later has kept it; a
// transaction of IndexedDB that has not ended by then is lost with its tab. The database has a row soon after, and then the
// journal lets go of it: it holds what was written a moment ago. Rows with files are the database's alone.

import { isSound } from './sound.js';

const prefix = 'parley.unsent.';
/// What is over, though a database that was given up has it still.
const overPrefix = 'parley.over.';
/// Beyond that nothing more is noted: the room is for what is unsent.
const mostOver = 1_000;

/// Notes a row in place of an older one with its number; false where that cannot be.
export function write(row) {
  try {
    localStorage.setItem(prefix + row.number, JSON.stringify(row));
    return true;
  } catch {
    // It is full or forbidden.
    return false;
  }
}

export function has(number) {
  try {
    return localStorage.getItem(prefix + number) !== null;
  } catch {
    return false;
  }
}

export function remove(number) {
  try {
    localStorage.removeItem(prefix + number);
  } catch {
    // Where storage is forbidden nothing is noted.
  }
}

/// Notes that a row is over, where the database cannot forget it.
export function noteOver(number) {
  try {
    if (over().length < mostOver) localStorage.setItem(overPrefix + number, '');
  } catch {
    // It is full or forbidden.
  }
}

export function forgetOver(number) {
  try {
    localStorage.removeItem(overPrefix + number);
  } catch {
    // Where storage is forbidden nothing is noted.
  }
}

/// The numbers of rows that are over, and that the database may have.
export function over() {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(overPrefix)).map((key) => Number(key.slice(overPrefix.length)));
  } catch {
    return [];
  }
}

/// What is noted.
export function rows() {
  return entries().map(([, , row]) => row);
}

const every = () => true;

/// Forgets all rows, or those for which something holds.
export function clear(isOver = every) {
  for (const row of rows()) if (isOver(row)) remove(row.number);
  if (isOver === every) over().forEach(forgetOver);
}

/// Hands rows on, one after the other: `keep(row)` resolves to whether it is kept elsewhere. What was noted anew meanwhile stays.
export async function move(keep) {
  for (const [key, text, row] of entries()) {
    if (!(await keep(row))) return;
    if (localStorage.getItem(key) === text) localStorage.removeItem(key);
  }
}

/// Calls back when another tab has noted a row.
export function observe(callback) {
  addEventListener('storage', ({ key, newValue }) => key?.startsWith(prefix) && newValue && callback());
}

function entries() {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(prefix));
    return keys.map(entryOf).filter(([, , row]) => row);
  } catch {
    return [];
  }
}

function entryOf(key) {
  const text = localStorage.getItem(key);
  return [key, text, parsed(key, text)];
}

function parsed(key, text) {
  try {
    const row = JSON.parse(text);
    if (prefix + row.number === key && isSound('outbox', row)) return row;
  } catch {
    // It is none of this page's, or of another version of it.
  }
  localStorage.removeItem(key);
  return null;
}
