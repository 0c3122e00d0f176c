// Who is signed in here: what is known from before is shown at once, then the server is asked.

import { api, ApiProblem, onSessionEnded, sessionHasBegun } from '../transport/api.js';
import { Backoff } from '../transport/backoff.js';
import { now } from '../transport/clock.js';
import { tabs } from '../transport/leader.js';
import { cachedList } from './cache.js';
import { database } from './database.js';
import { syncDrafts, takenUp } from './drafts.js';
import { firstScreen, forgetFirstScreen } from './first-screen.js';
import * as journal from './journal.js';
import { openRows } from './outbox-rows.js';
import { preference, setPreference } from './preferences.js';
import { forgetPushRenewal, leavePush } from './push.js';
import { pauseSync, startSync, stopSync } from './sync.js';
import { askSnapshotAhead, keep, showSnapshot, snapshotAhead, withName } from './snapshot.js';
import { store } from './store.js';

/// What was missed for longer than this is not told event by event: the client begins anew.
const longestAbsence = 30 * 86_400_000;
const freshTime = 4 * 60_000;
/// When somebody signed out whom the server has not heard yet, by its clock, in milliseconds.
const signOutDue = 'signOutDue';
/// Whether this browser keeps something, as far as can be known without opening its database.
const isKept = 'isKept';

const newer = new Error('a session has begun since');
const asking = new Backoff(); // who this is
const signingOut = { backoff: new Backoff(), request: null }; // a session that could not be ended at once
let isEntering = false; // a session is about to begin
let ahead = null; // who this is, asked for while the page is made
let reading = null; // whose things are kept, once that is asked
let isCopy = false; // what is shown is what was copied beside the database, which has not answered yet

/// Shows what this browser has kept, before anything is asked; with `isBrief`, the copy of the list's beginning first. Where nothing
/// is kept, the server is asked, and the database is opened only once the first list is shown, as making one keeps the page busy.
export async function restore({ isBrief = false } = {}) {
  const isNew = preference(isKept) === null;
  if (isNew) askAhead();
  const copy = isBrief && !isNew ? firstScreen() : null;
  isCopy = copy !== null;
  if (isCopy) return store.commit((state) => Object.assign(state, copy, { session: 'open' }));
  if (!isNew && !(await showKept())) askAhead();
  return undefined;
}

function keptAccount() {
  return (reading ??= readAccount());
}

async function readAccount() {
  await database.open();
  const account = await database.account();
  setPreference(isKept, account ? 'yes' : null);
  return account;
}

// Returns whether there was something.
async function showKept() {
  const account = await keptAccount();
  if (account) await show(account);
  return Boolean(account);
}

/// Whether it is known who is here, and what to show.
export function isOpen() {
  return store.state.session === 'open';
}

/// Puts what is kept in the place of its copy, once that is on the screen: even to ask for a database keeps the page busy.
export async function restoreRest() {
  if (!isCopy) return;
  isCopy = false;
  const account = await keptAccount();
  const { drafts, outbox, ...list } = await cachedList();
  if (store.state.session !== 'open') return;
  if (account?.userId !== store.state.me.id) {
    // The copy is of somebody who has left, or nothing is kept any more.
    forgetFirstScreen();
    store.clear('unknown');
    return void (account ? await show(account) : askAhead());
  }
  // What has been written in this moment stays.
  for (const [id, draft] of store.state.drafts) drafts.set(id, draft);
  for (const [id, rows] of store.state.outbox) outbox.set(id, [...(outbox.get(id) ?? []).filter(({ number }) => !rows.some((row) => row.number === number)), ...rows]);
  // Where the database has gone meanwhile, the list comes anew.
  if (database.isMemory) begun({ ...account, cursor: null }, {});
  else begun(account, { ...list, drafts, outbox, usersRevision: store.state.usersRevision + 1 });
}

function askAhead() {
  if (preference(signOutDue)) return;
  ahead = api.get('/v1/me');
  ahead.catch(() => {});
  askSnapshotAhead();
}

async function show(account) {
  begun(account, await cachedList());
}

function begun(account, list) {
  const { me, cursorAt = 0, blocks = [], totalUnread = 0, totalUnreadUnmuted = 0, totalMentions = 0, totalsAt = 0 } = account;
  const cursor = database.isWhole && Date.now() - cursorAt < longestAbsence ? account.cursor ?? null : null;
  // Who has signed in here and got no snapshot yet has nothing kept of them. An account from before they were kept opens offline, too.
  const areBlocksKnown = account.blocks !== undefined || account.cursor != null;
  const known = { ...list };
  if (list.outbox) known.outbox = openRows(list.outbox, account.userId);
  if (list.drafts) known.drafts = takenUp(list.drafts, known.outbox, list.conversations);
  store.commit((state) => Object.assign(state, known, { session: 'open', me, cursor, blocks: new Set(blocks), areBlocksKnown, totalUnread, totalUnreadUnmuted, totalMentions, totalsAt }));
  // The stream may be there before the database has answered.
  syncDrafts();
}

/// Asks the server who this is, and begins to follow what happens.
export async function connect() {
  if (preference(signOutDue)) return await finishSignOut();
  const isKnown = isOpen();
  if (isKnown) startSync();
  try {
    const asked = ahead ?? api.get('/v1/me');
    ahead = null;
    const { body: me } = await asked;
    asking.reset();
    if (!isKnown || me.id !== store.state.me?.id) return await beginAs(me);
    store.commit((state) => (state.me = withName(state.me, me)));
  } catch (problem) {
    if (problem.isRetryable) asking.wait(problem).then(() => store.state.isUpToDate || connect());
    if (store.state.session !== 'unknown') return undefined;
    // What is kept shows without a server as well.
    if (problem.isRetryable) await showKept();
    else store.commit((state) => (state.session = 'none'));
  }
  return undefined;
}

/// Begins the session that `ask` has the server make, which ends the one before it. Then the server is asked who this is: where it
/// knows nobody, the browser has kept no cookie.
export async function enter(ask) {
  isEntering = true;
  try {
    // The answer to a sign-out that is on its way would take the new cookie away.
    await signingOut.request?.catch(() => {});
    await ask();
    const { body: me } = await api.get('/v1/me').catch((problem) => {
      throw problem.code === 'unauthenticated' ? new ApiProblem({ status: 401, code: 'cookiesBlocked' }) : problem;
    });
    await beginAs(me);
  } finally {
    isEntering = false;
  }
}

// What somebody else left here is erased; the same person finds the unsent messages and drafts.
async function beginAs(me) {
  sessionHasBegun();
  // On a first visit the list is there before the database is.
  const snapshot = store.state.me ? null : await snapshotAhead(me);
  const shown = snapshot && (await showSnapshot(snapshot, { session: 'open' }));
  await keptAccount();
  // Who signs out has the browser clear its storage, which ends the connection to it.
  if (database.isMemory) await database.open();
  const account = await database.account();
  const isSame = account?.userId === me.id;
  if (account && !isSame) await database.erase();
  if (!isSame) forgetFirstScreen();
  if (!isSame) journal.clear((row) => row.userId !== me.id);
  if (store.state.me && store.state.me.id !== me.id) {
    stopSync();
    store.clear('unknown');
  }
  if (isSame && !shown && store.state.conversations.size === 0) await show(account);
  setPreference(signOutDue, null);
  setPreference(isKept, 'yes');
  forgetPushRenewal();
  // What is kept after this waits for it in the database; the other tabs are to find it there.
  database.saveAccount({ userId: me.id, me }).then(() => tabs.tell({ type: 'signedIn', userId: me.id })).catch(reportError);
  if (shown) await keep(shown);
  else store.commit((state) => Object.assign(state, { session: 'open', me }));
  // Who has signed out meanwhile follows nothing.
  if (isOpen() && store.state.me?.id === me.id) startSync();
}

/// Whether the person has signed in so lately that the server takes that for the password: within five minutes, one of which is
/// for thinking.
export async function hasJustBegun() {
  const { body } = await api.get('/v1/sessions');
  const current = body.items.find((session) => session.current);
  return current !== undefined && now() - Date.parse(current.createdAt) < freshTime;
}

/// The person signs out: nothing stays in this browser. The other tabs are told before one of them could lead.
export async function end() {
  pauseSync();
  forgetFirstScreen();
  leavePush().catch(() => {});
  await api.post('/v1/auth/logout').catch((problem) => problem.isRetryable && setPreference(signOutDue, String(now())));
  await database.erase();
  tabs.tell({ type: 'signedOut', userId: store.state.me?.id });
  stopSync();
  store.clear('none');
  if (preference(signOutDue)) finishSignOut();
}

// The server was not there when the person signed out, and the browser still has the session: nobody is let in by it.
async function finishSignOut() {
  if (store.state.session !== 'none') store.clear('none');
  while (preference(signOutDue)) {
    let refusal = null;
    if (!isEntering) {
      signingOut.request = endSessionOf(Number(preference(signOutDue)));
      refusal = await signingOut.request.then(() => null, (problem) => problem);
      signingOut.request = null;
      if (!refusal?.isRetryable) setPreference(signOutDue, null);
      if (refusal === newer) return connect();
    }
    if (preference(signOutDue)) await signingOut.backoff.wait(refusal ?? {});
  }
  signingOut.backoff.reset();
  return undefined;
}

// Who has signed in since then by an issuer, whose answer is another page, has a newer one: that stays.
async function endSessionOf(time) {
  const { body } = await api.get('/v1/sessions');
  const present = body.items.find((session) => session.current);
  if (present && Date.parse(present.createdAt) > time) throw newer;
  await api.post('/v1/auth/logout');
}

// The server has ended the session: nothing is shown any more, and what is unsent waits for the same person.
function lock() {
  if (store.state.session !== 'open') return;
  stopSync();
  store.commit((state) => (state.session = 'ended'));
}

onSessionEnded(lock);

addEventListener('online', () => {
  asking.wake();
  signingOut.backoff.wake();
});

// What happens in one tab holds for all of them.
tabs.listen(({ type, userId }) => {
  if (type === 'signedOut') {
    database.rest();
    journal.clear((row) => row.userId === userId);
    if (store.state.session !== 'open' && store.state.session !== 'ended') return;
    stopSync();
    store.clear('none');
  } else if (type === 'signedIn' && (store.state.session !== 'open' || store.state.me?.id !== userId)) {
    location.reload();
  }
});
