// What this browser keeps between visits, in IndexedDB: the account with its cursor, the list, the newest messages of some
// conversations, what is unsent, drafts. Best effort: on any error the client goes on in memory, and keeps nothing.

import * as journal from './journal.js';
import { isSound } from './sound.js';

const name = 'parley';
const version = 2;
const stores = {
  account: undefined, conversations: { keyPath: 'id' }, users: { keyPath: 'id' }, timelines: { keyPath: 'conversationId' },
  outbox: { keyPath: 'number' }, drafts: { keyPath: 'conversationId' }, receipts: { keyPath: 'conversationId' },
};

/// How long a transaction is waited for, in milliseconds, by its mode: another tab may hold what it needs, or the disk.
const longestWait = { readonly: 10_000, readwrite: 30_000 };
const longestOpening = 3_000;

/// The most conversations whose messages are kept; those that were not used for longest go first.
const mostTimelines = 200;

class Database {
  #db = null;
  #isResting = false;
  #isOpened = false;
  #isLost = false;
  /// Whether all that was read could be: else the list has to begin anew.
  isWhole = true;

  /// Whether nothing is kept.
  get isMemory() {
    return this.#db === null;
  }

  /// Whether there was one that was given up: what it holds stays as it was then.
  get isLost() {
    return this.#isLost;
  }

  /// Whether nothing is to be kept, as nobody is signed in.
  get isResting() {
    return this.#isResting;
  }

  /// Whether what is written stays, or may: it is not known before the database is open.
  get isKeeping() {
    return !this.#isResting && (this.#db !== null || !this.#isOpened);
  }

  async open() {
    try {
      this.#db = await openDatabase(() => this.#fail());
      this.#isLost = false;
    } catch {
      this.#fail();
    }
    this.#isOpened = true;
  }

  #fail() {
    const db = this.#db;
    this.#db = null;
    if (db) this.#isLost = true;
    db?.close();
  }

  /// Runs `work(transaction)` in one transaction and resolves when that is durable; with `fallback` where nothing is kept.
  async run(names, mode, work, fallback = null) {
    if (!this.#db || (this.#isResting && mode === 'readwrite')) return fallback;
    try {
      return await transact(this.#db, names, mode, work);
    } catch (error) {
      if (error?.name === 'QuotaExceededError' && (await this.#makeRoom())) {
        try {
          return await transact(this.#db, names, mode, work);
        } catch {
          // There is no room at all.
        }
      }
      this.#fail();
      return fallback;
    }
  }

  async #makeRoom() {
    try {
      await transact(this.#db, ['timelines'], 'readwrite', (tx) => tx.objectStore('timelines').clear());
      return true;
    } catch {
      return false;
    }
  }

  /// Where that says nothing that this page can read, nothing else is trusted either.
  async account() {
    const account = await this.run(['account'], 'readonly', (tx) => request(tx.objectStore('account').get('account')));
    if (!account || isSound('account', account)) return account;
    await this.erase();
    return null;
  }

  /// Changes some fields of the account. With it, things are kept again.
  saveAccount(fields) {
    this.#isResting = false;
    return this.run(['account'], 'readwrite', async (tx) => {
      const store = tx.objectStore('account');
      store.put({ generation: 0, ...(await request(store.get('account'))), ...fields }, 'account');
    });
  }

  async all(storeName) {
    const records = await this.run([storeName], 'readonly', (tx) => request(tx.objectStore(storeName).getAll()), []);
    const sound = records.filter((record) => isSound(storeName, record));
    if (sound.length < records.length) this.isWhole = false;
    return sound;
  }

  /// A kept history, in a transaction that has its store; null where there is none.
  async timeline(timelines, conversationId) {
    const kept = await request(timelines.get(conversationId));
    return isSound('timelines', kept) ? kept : null;
  }

  /// Also for a page that goes: nothing is waited for before the transaction ends.
  put(storeName, value) {
    return this.run([storeName], 'readwrite', (tx) => {
      tx.objectStore(storeName).put(value);
      tx.commit();
    });
  }

  delete(storeName, key) {
    return this.run([storeName], 'readwrite', (tx) => void tx.objectStore(storeName).delete(key));
  }

  /// Forgets everything, also what other tabs have written.
  async erase() {
    const names = Object.keys(stores);
    this.#isResting = false;
    journal.clear();
    // Where it was given up, what it holds is not reached by its stores.
    const erased = this.#isOpened && !this.#db ? deleteDatabase() : this.run(names, 'readwrite', (tx) => names.forEach((storeName) => tx.objectStore(storeName).clear()));
    this.rest();
    await erased;
    // What another tab has noted meanwhile.
    journal.clear();
  }

  /// Keeps nothing until there is an account again: answers that were on their way belong to whoever has gone.
  rest() {
    this.#isResting = true;
  }
}

/// Removes the histories that were not used for longest, where there are too many, in the transaction that has put one.
export async function evictTimelines(store) {
  const excess = (await request(store.count())) - mostTimelines;
  if (excess <= 0) return;
  const opening = store.index('usedAt').openKeyCursor();
  let removed = 0;
  await new Promise((resolve, reject) => {
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const cursor = opening.result;
      if (!cursor || removed === excess) return resolve();
      store.delete(cursor.primaryKey);
      removed += 1;
      return cursor.continue();
    };
  });
}

/// The result of a request, inside of a transaction.
export function request(asked) {
  return new Promise((resolve, reject) => {
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
}

function transact(db, names, mode, work) {
  return new Promise((resolve, reject) => {
    const tx = db.transaction(names, mode);
    let result;
    const fail = (error) => {
      reject(error);
      try {
        tx.abort();
      } catch {
        // It has ended by itself.
      }
    };
    // Again after a moment: a page that was frozen meanwhile may hear of the time first, and then of the end.
    let late = setTimeout(() => (late = setTimeout(() => fail(new Error('IndexedDB does not answer')), 500)), longestWait[mode]);
    tx.oncomplete = () => {
      clearTimeout(late);
      resolve(result);
    };
    tx.onabort = () => {
      clearTimeout(late);
      reject(tx.error ?? new Error('aborted'));
    };
    Promise.resolve(work(tx)).then((value) => (result = value), fail);
  });
}

// Resolves also where that is refused, or another tab holds it for longer than one waits for that: it goes once that lets go.
function deleteDatabase() {
  return new Promise((resolve) => {
    try {
      const deleting = indexedDB.deleteDatabase(name);
      deleting.onsuccess = deleting.onerror = deleting.onblocked = () => resolve();
      setTimeout(resolve, longestOpening);
    } catch {
      // Storage is forbidden: nothing was kept.
      resolve();
    }
  });
}

function openDatabase(onGone) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(name, version);
    opening.onupgradeneeded = () => {
      for (const [storeName, options] of Object.entries(stores)) {
        if (!opening.result.objectStoreNames.contains(storeName)) opening.result.createObjectStore(storeName, options);
      }
      const timelines = opening.transaction.objectStore('timelines');
      if (!timelines.indexNames.contains('usedAt')) timelines.createIndex('usedAt', 'usedAt');
    };
    const late = setTimeout(() => {
      reject(new Error('IndexedDB does not answer'));
      opening.onsuccess = () => opening.result.close();
    }, longestOpening);
    opening.onsuccess = () => {
      clearTimeout(late);
      // A newer page wants to change the stores, or the browser takes them away.
      opening.result.onversionchange = onGone;
      opening.result.onclose = onGone;
      resolve(opening.result);
    };
    opening.onerror = () => reject(opening.error);
    opening.onblocked = () => reject(new Error('blocked'));
  });
}

export const database = new Database();
