// What draws attention: the count in the title and on the app's icon, a banner for another conversation, and notifications,
// which go when what they tell was read, here or elsewhere.

import { observeArrivals } from '../store/arrivals.js';
import { renewPush, worker } from '../store/push.js';
import { store } from '../store/store.js';
import { t } from '../text/catalogue.js';
import { hideBanner, showBanner } from './components/banner.js';
import { currentRoute, navigate } from './router.js';

let title = 'Parley';

/// Sets what the page is called; the count of unread messages stands before it.
export function showTitle(words) {
  title = words;
  showCount();
}

/// To be called once, when the first screen is there.
export function startAttention() {
  store.subscribe((state) => state.totalUnreadUnmuted, showCount);
  store.subscribe((state) => state.session, onSession);
  store.subscribe(readConversations, (ids) => forget(ids.split(' ')));
  observeArrivals(announce);
  navigator.serviceWorker?.addEventListener('message', ({ data }) => {
    if (data?.type === 'open' && typeof data.path === 'string' && data.path.startsWith('/')) navigate(data.path);
  });
  onSession(store.state.session);
}

function showCount() {
  const count = store.state.session === 'open' ? store.state.totalUnreadUnmuted : 0;
  document.title = count > 0 ? t('title.unread', { count, title }) : title;
  const shown = count > 0 ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.();
  shown?.catch(() => {});
}

async function onSession(session) {
  showCount();
  if (session !== 'open') return hideBanner();
  const registration = await worker();
  registration?.active?.postMessage({ type: 'keep', addresses: loadedAssets() });
  renewPush().catch(() => {});
}

function loadedAssets() {
  return performance.getEntriesByType('resource').map(({ name }) => new URL(name)).filter(({ origin, pathname }) => origin === location.origin && pathname.startsWith('/app/')).map(({ pathname }) => pathname);
}

/// Says that somebody has written in a conversation that is not looked at.
function announce({ conversationId, message, sender }) {
  const { conversations, me } = store.state;
  const conversation = conversations.get(conversationId);
  if (document.visibilityState !== 'visible' || message.senderId === me?.id || message.kind === 'system') return;
  if (currentRoute().params.id === conversationId || !isLoud(conversation, message, me)) return;
  showBanner({ conversation, message, sender });
}

/// Muted conversations are silent, and so is what the person does not want to be told of.
function isLoud(conversation, message, me) {
  const view = conversation?.me;
  if (!view) return true;
  if (view.mutedUntil && Date.parse(view.mutedUntil) > Date.now()) return false;
  if (view.notificationLevel === 'none') return false;
  const isMentioned = (message.mentions ?? []).some(({ userId, type }) => userId === me?.id || type === 'all');
  return view.notificationLevel !== 'mentions' || isMentioned;
}

/// The conversations without anything unread, as one value that changes when they do.
function readConversations(state) {
  const ids = [];
  for (const [id, { unreadCount }] of state.conversations) if (unreadCount === 0) ids.push(id);
  return ids.join(' ');
}

async function forget(ids) {
  const read = new Set(ids);
  hideBanner((id) => read.has(id));
  const registration = await navigator.serviceWorker?.getRegistration('/');
  const notifications = (await registration?.getNotifications()) ?? [];
  for (const notification of notifications) if (read.has(notification.tag)) notification.close();
}
