// What draws attention: the count in the title and on the app's icon, a banner for another conversation, and notifications,
// which go when what they tell was read, here or elsewhere.

import { observeArrivals } from '../store/arrivals.js';
import { renewPush, worker } from '../store/push.js';
import { isListKnown, isMuted } from '../store/conversations.js';
import { store } from '../store/store.js';
import { t } from '../text/catalogue.js';
import { now } from '../transport/clock.js';
import { hideBanner, shownMessage, showBanner } from './components/banner.js';
import { onceWhenIdle, whenIdle } from './idle.js';
import { currentRoute, navigate } from './router.js';

let title = 'Parley';
/// The conversations that had something unread when the page last looked.
let unread = new Set();

/// Sets what the page is called; the count of unread messages stands before it.
export function showTitle(words) {
  title = words;
  showCount();
}

/// To be called once, when the first screen is there.
export function startAttention() {
  store.subscribe((state) => state.totalUnreadUnmuted, showCount);
  store.subscribe((state) => state.session, onSession);
  store.subscribe(isListKnown, (isKnown) => isKnown && startWorker());
  unread = unreadConversations(store.state);
  store.subscribe(unreadSum, forgetRead);
  store.subscribe((state) => state.isUpToDate, (isUpToDate) => isUpToDate && forget((id) => store.state.conversations.has(id) && !unread.has(id)));
  store.subscribe((state) => isRead(state, shownMessage()), (isOver) => isOver && hideBanner());
  observeArrivals(announce);
  navigator.serviceWorker?.addEventListener('message', ({ data }) => {
    if (data?.type === 'open' && typeof data.path === 'string' && data.path.startsWith('/')) navigate(data.path);
  });
  if (navigator.serviceWorker) startKeepingAssets();
  onSession(store.state.session);
  if (isListKnown(store.state)) startWorker();
}

function showCount() {
  const count = shownCount();
  document.title = count > 0 ? t('title.unread', { count, title }) : title;
  showBadge();
}

// Of the app's icon, which nobody looks at while a screen is made.
const showBadge = onceWhenIdle(() => {
  const count = shownCount();
  const shown = count > 0 ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.();
  shown?.catch(() => {});
}, { timeout: 1_000 });

function shownCount() {
  return store.state.session === 'open' ? store.state.totalUnreadUnmuted : 0;
}

function onSession(session) {
  showCount();
  if (session !== 'open') hideBanner();
  if (session === 'none' || session === 'ended') forget(() => true);
}

// The worker is no part of the first screen, and a page that waits for its list only seems to be idle.
async function startWorker() {
  await new Promise((resolve) => whenIdle(resolve, { timeout: 1_000 }));
  keepAssets(await worker());
  // Who has signed out meanwhile gets no notifications here.
  if (store.state.session === 'open') renewPush().catch(() => {});
}

// What was asked for before the worker took the page over, or by one of another version, it has to be told, also where it comes
// after that.
function startKeepingAssets() {
  const keep = onceWhenIdle(() => keepAssets(null), { timeout: 1_000 });
  navigator.serviceWorker.addEventListener('controllerchange', keep);
  new PerformanceObserver((loaded) => loaded.getEntries().some(({ name }) => name.includes('/app/')) && keep()).observe({ type: 'resource' });
}

function keepAssets(registration) {
  const active = registration?.active ?? navigator.serviceWorker?.controller;
  active?.postMessage({ type: 'keep', addresses: loadedAssets() });
}

function loadedAssets() {
  return performance.getEntriesByType('resource').map(({ name }) => new URL(name)).filter(({ origin, pathname }) => origin === location.origin && pathname.startsWith('/app/')).map(({ pathname }) => pathname);
}

/// Says that somebody has written in a conversation that is not looked at.
function announce({ conversationId, message, sender }) {
  const { conversations, me, blocks } = store.state;
  const conversation = conversations.get(conversationId);
  if (document.visibilityState !== 'visible' || message.senderId === me?.id || message.kind === 'system' || blocks.has(message.senderId)) return;
  if (currentRoute().params.id === conversationId || !isLoud(conversation, message, me)) return;
  showBanner({ conversation, message, sender });
}

/// Muted conversations are silent, and so is what the person does not want to be told of.
function isLoud(conversation, message, me) {
  const view = conversation?.me;
  if (!view) return true;
  if (isMuted(conversation, now())) return false;
  if (view.notificationLevel === 'none') return false;
  const isMentioned = (message.mentions ?? []).some((id) => id === me?.id || id === '@all');
  return view.notificationLevel !== 'mentions' || isMentioned;
}

function unreadConversations({ conversations }) {
  const ids = new Set();
  for (const [id, { unreadCount }] of conversations) if (unreadCount > 0) ids.add(id);
  return ids;
}

/// Another number where other conversations have something unread: it is asked for with every change of the state, and a list of
/// all their ids would be dear to make and to compare.
function unreadSum({ conversations }) {
  let sum = 0;
  let place = 0;
  for (const { unreadCount } of conversations.values()) {
    place += 1;
    if (unreadCount > 0) sum = (Math.imul(sum, 31) + place) | 0;
  }
  return sum;
}

// Only what was unread and is so no more was read: a count comes a moment after its message, and until then says nothing.
function forgetRead() {
  const before = unread;
  unread = unreadConversations(store.state);
  forget((id) => before.has(id) && !unread.has(id));
}

function isRead({ conversations }, message) {
  return message?.seq != null && conversations.get(message.conversationId)?.me.readSeq >= message.seq;
}

async function forget(isMeant) {
  const registration = await navigator.serviceWorker?.getRegistration('/');
  const notifications = (await registration?.getNotifications()) ?? [];
  for (const notification of notifications) if (isMeant(notification.tag)) notification.close();
}
