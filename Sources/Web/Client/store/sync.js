// Following what happens. The leading tab takes a snapshot where it has no cursor, then the stream's events, and tells the
// other tabs; these apply the same events in the same way.

import { sessionHasEnded } from '../transport/api.js';
import { Backoff } from '../transport/backoff.js';
import { now, setTime } from '../transport/clock.js';
import { tabs } from '../transport/leader.js';
import { onSlowness } from '../transport/slowness.js';
import { EventStream } from '../transport/stream.js';
import { forgetAccepted } from './answers.js';
import { tellArrivals } from './arrivals.js';
import { askBlocks } from './blocks.js';
import { keepBlocks, keepEvents } from './cache.js';
import { orderOf } from './conversations.js';
import { database } from './database.js';
import { followServer } from './drafts.js';
import { isUnderstood } from './event-shapes.js';
import { applyEvent, conversationIdOf } from './events.js';
import { forgetWhoIsThere, presenceIsFresh, startPresence } from './presence.js';
import { deliverAll, delivered } from './receipts.js';
import { recount } from './history.js';
import { fetchConversation, takeConversation } from './one-conversation.js';
import { sharedState, takeSharedState } from './shared-state.js';
import { takeSnapshot } from './snapshot.js';
import { store } from './store.js';
import { expireTyping } from './typing.js';
import { checkVersion } from './version.js';
import { startOutbox } from './outbox-sending.js';
import { fetchUnheld } from './unheld.js';

/// What was missed beyond this many events comes by a snapshot: event by event, the page would be busy with nothing else.
const mostMissed = 2_000;

const anew = new Backoff(); // a server that always says so is asked less and less often, and not by all at once
let isRunning = false;
let missed = 0; // events of this connection that are from before it
let stream = null;
let slowTimer = null;
let leader = null; // the tab whose state this one took
let isFollowing = false; // another tab leads
let firstCursor = null; // with which this one began to follow

export function startSync() {
  if (isRunning) return;
  isRunning = true;
  startOutbox();
  startPresence();
  tabs.start({ lead, follow });
}

export function stopSync() {
  pauseSync();
  isRunning = false;
  leader = null;
  isFollowing = false;
  tabs.stop();
}

/// Ends the stream, and still leads: no other tab begins one.
export function pauseSync() {
  stream?.stop();
  stream = null;
}

/// Tries to connect at once.
export function wakeSync() {
  stream?.wake();
}

async function lead() {
  startOutbox();
  stream = new EventStream({
    cursor: () => store.state.cursor,
    onEvents: takeEvents,
    onState: showConnection,
    onEnded: sessionHasEnded,
    onBadCursor: reset,
  });
  const leading = stream;
  // Before it had the state of the one that led, it may have missed what that has told and kept.
  if (isFollowing && leader === null) store.commit((state) => (state.cursor = firstCursor));
  else if (isFollowing) await goBackToKept();
  isFollowing = false;
  if (store.state.cursor) loadBlocks();
  else await reset();
  // One that was under way for somebody who has gone brings nothing.
  if (stream === leading && !store.state.cursor) await reset();
  if (stream === leading) leading.start();
}

// What the tab that led before had told and not kept yet comes once more, or nothing of it would ever be kept.
async function goBackToKept() {
  const account = await database.account();
  if (account?.cursor && account.userId === store.state.me?.id) store.commit((state) => (state.cursor = account.cursor));
}

function follow() {
  if (!isFollowing) firstCursor = store.state.cursor;
  isFollowing = true;
  tabs.tell({ type: 'join', user: store.state.me.id });
}

// What the stream brought: applied here, told to the other tabs, and kept.
function takeEvents(received, cursor) {
  const events = received.filter(isUnderstood);
  for (const { event, data } of events) if (event === 'hello') hello(data);
  // After a reset the cursor counts only once there is a snapshot: a page that is gone before that begins with the old one again.
  if (events.some(({ event }) => event === 'reset')) return void beginAnew();
  if (!store.state.isUpToDate && (missed += events.length) > mostMissed) return void beginAnew();
  if (events.some(({ event }) => event === 'ready')) ready();
  const { state } = store;
  const before = apply(events, cursor);
  tabs.tell({ type: 'events', user: state.me?.id, events, cursor });
  keepEvents(state, events, cursor ?? state.cursor, before);
}

async function beginAnew() {
  const behind = stream;
  behind.stop();
  await anew.wait();
  if (stream !== behind) return;
  await reset();
  if (stream === behind) behind.start();
}

// Returns what the conversation of each event was right before it: one batch may tell of somebody who comes, reads, and goes.
function apply(events, cursor) {
  const before = [];
  const followUps = [];
  store.commit((state) => {
    for (const event of events) {
      before.push(state.conversations.get(conversationIdOf(event)));
      followUps.push(...applyEvent(state, event, performance.now()));
    }
    for (const { event, data } of events) if (event === 'member.updated') followServer(state, data.conversationId, data.me);
    if (events.some(({ event }) => event === 'unread.updated')) state.totalsAt = now();
    forgetAccepted(state, events);
    state.order ??= orderOf(state.conversations);
    if (cursor) state.cursor = cursor;
  });
  if (events.some(({ event }) => event === 'typing.updated')) expireTyping();
  for (const { event, data } of events) if (event === 'message.created') delivered(data);
  tellArrivals(events);
  for (const followUp of followUps) run(followUp);
  return before;
}

function run(followUp) {
  if (followUp.recount) recount(followUp.recount);
  if (!tabs.isLeader) return;
  if (followUp.fetch) fetchUnheld(followUp.fetch, fetchConversation);
}

function hello({ serverTime }) {
  showConnection('online');
  setTime(serverTime);
  missed = 0;
  store.commit((state) => (state.isUpToDate = false));
  checkVersion();
}

function ready() {
  anew.reset();
  store.commit((state) => (state.isUpToDate = true));
  presenceIsFresh();
  deliverAll();
  startOutbox();
}

// A connection that is back within a moment is not worth a word.
function showConnection(connection) {
  clearTimeout(slowTimer);
  const show = () => {
    takeConnection(connection);
    tabs.tell({ type: 'connection', user: store.state.me?.id, connection });
  };
  if (connection === 'connecting' && store.state.connection === 'online') slowTimer = setTimeout(show, 1500);
  else if (store.state.connection !== connection) show();
}

function takeConnection(connection) {
  store.commit((state) => {
    state.connection = connection;
    if (connection !== 'online') forgetWhoIsThere(state);
  });
}

// The one way to begin anew: on the first visit, after a `reset`, and with a cursor that the server does not take.
let resetting = null;
function reset() {
  resetting ??= takeSnapshot().finally(() => {
    resetting = null;
    tabs.tell({ type: 'state', user: store.state.me?.id, isReset: true, state: sharedState() });
  });
  return resetting;
}

// Until they are known anew, those count that this browser has kept.
async function loadBlocks() {
  const me = store.state.me?.id;
  const blocks = await askBlocks().catch(() => null);
  if (!blocks || store.state.session !== 'open' || store.state.me?.id !== me) return;
  store.commit((state) => Object.assign(state, { blocks, areBlocksKnown: true }));
  keepBlocks(store.state);
}

tabs.listen((message) => {
  if (!isRunning || message.user !== store.state.me?.id) return;
  if (message.type === 'join' && tabs.isLeader) tabs.tell({ type: 'state', to: message.from, user: store.state.me.id, state: sharedState() });
  // Late from the tab that led before, whose cursor is not the one that is kept: its own stream brings it once more.
  else if (message.type === 'events') tabs.isOnlyLeader || takeLeadersEvents(message);
  else if (message.type === 'wake') wakeSync();
  else if (message.type === 'connection') takeConnection(message.connection);
  else if (message.type === 'conversation') takeConversation(message.body);
  else if (message.type === 'state' && !tabs.isLeader) takeLeadersState(message);
});

function takeLeadersState({ state, isReset, from }) {
  leader = from;
  takeSharedState(state, { isReset });
}

function takeLeadersEvents({ events, cursor, from }) {
  apply(events, cursor);
  for (const { event } of events) {
    if (event === 'hello' || event === 'ready') store.commit((state) => (state.isUpToDate = event === 'ready'));
    if (event === 'hello') checkVersion();
  }
  // Another tab leads than the one whose state was taken, as where that went before it could answer: what it knew is asked for.
  if (leader !== from && events.some(({ event }) => event === 'ready')) follow();
}

// The rest of the list comes to the leading tab alone, a while after a snapshot.
store.subscribe((state) => state.isListComplete, (isComplete) => {
  if (isComplete && tabs.isLeader) tabs.tell({ type: 'state', user: store.state.me?.id, state: sharedState() });
});

onSlowness((isSlow) => store.state.isSlow !== isSlow && store.commit((state) => (state.isSlow = isSlow)));

addEventListener('online', wakeSync);
addEventListener('offline', () => stream?.restart());
// Where somebody looks at another tab than the leading one, that may wait for long yet.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState !== 'visible') return;
  wakeSync();
  if (isRunning && !tabs.isLeader) tabs.tell({ type: 'wake', user: store.state.me?.id });
});
