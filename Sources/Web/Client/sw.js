// The service worker: notifications when no page looks, and a page that opens without a network. What is asked of the API,
// the stream above all, it never touches.

const version = '{{version}}';
const pageCache = 'parley-page';
const assetCache = `parley-assets-${version}`;
const assetsPath = `/app/${version}/`;
const patience = 4_000;

addEventListener('install', () => skipWaiting());

addEventListener('activate', (event) => event.waitUntil(takeOver()));

async function takeOver() {
  await keepMissingPage();
  await clients.claim();
}

addEventListener('message', (event) => {
  if (event.data?.type === 'keep') event.waitUntil(keep(event.data.addresses));
});

addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (request.mode === 'navigate' && !pathname.startsWith('/v1/')) event.respondWith(page(request));
  else if (pathname.startsWith('/app/') && pathname !== '/app/version') event.respondWith(asset(request));
});

// The page of the network where it answers in time, else the one that is kept. A proxy answers, too, while the server is away.
async function page(request) {
  const asked = fetch(request);
  const answered = asked.then((answer) => (answer.status < 500 ? answer : null), () => null);
  const kept = await caches.match('/', { cacheName: pageCache });
  if (!kept) return asked;
  const late = new Promise((resolve) => setTimeout(resolve, patience, null));
  return (await Promise.race([answered, late])) ?? kept;
}

// What stands under a hash never changes.
async function asset(request) {
  const kept = await caches.match(request);
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok && answer.type === 'basic' && new URL(request.url).pathname.startsWith(assetsPath)) {
    const copy = answer.clone();
    caches.open(assetCache).then((cache) => cache.put(request, copy)).catch(() => {});
  }
  return answer;
}

// A page is kept together with its files. Those of before go when one of this version tells what it has loaded: this worker may
// have come by itself, as with a notification, and until then a visit without a network opens what there is.
async function keep(addresses) {
  const isOfThisVersion = addresses.some((address) => address.startsWith(assetsPath));
  if (isOfThisVersion) await keepAssets(addresses);
  const old = (await caches.keys()).filter((name) => name.startsWith('parley-') && name !== pageCache && name !== assetCache);
  if (old.length === 0 || !isOfThisVersion) return keepMissingPage();
  if (await keepPage()) await Promise.all(old.map((name) => caches.delete(name)));
  return undefined;
}

// Returns whether it is kept. One of another version, or of a proxy, would open nothing.
async function keepPage() {
  try {
    const answer = await fetch('/', { cache: 'no-cache', redirect: 'error' });
    if (!answer.ok || !(await answer.clone().text()).includes(assetsPath)) return false;
    await (await caches.open(pageCache)).put('/', answer);
    return true;
  } catch {
    // Without a network or room the page opens with a network alone.
    return false;
  }
}

// Whatever prevented it when the worker began may be over.
async function keepMissingPage() {
  if (!(await caches.match('/', { cacheName: pageCache }))) await keepPage();
}

// The page tells what it has loaded before the worker was there.
async function keepAssets(addresses) {
  try {
    const cache = await caches.open(assetCache);
    const known = new Set((await cache.keys()).map((request) => new URL(request.url).pathname));
    const missing = addresses.filter((address) => address.startsWith(assetsPath) && !known.has(address));
    await cache.addAll(missing);
  } catch {
    // As above.
  }
}

addEventListener('push', (event) => event.waitUntil(receive(event.data)));

async function receive(data) {
  const message = parsed(data);
  // No icon's count keeps a notification waiting.
  await Promise.all([show(message), Number.isInteger(message.badge) ? showBadge(message.badge) : null]);
}

async function show(message) {
  if (message.kind === 'clear') return closeNotifications(message.conversationId);
  // Whoever looks at a page sees it there.
  if (await isWatched()) return undefined;
  return registration.showNotification(textOf(message.title) || 'Parley', {
    body: textOf(message.body),
    tag: textOf(message.conversationId) || 'parley',
    renotify: true,
    icon: `${assetsPath}icons/icon-192.png`,
    badge: `${assetsPath}icons/badge-96.png`,
    dir: 'auto',
    data: { conversationId: textOf(message.conversationId) },
  });
}

function parsed(data) {
  try {
    const message = data?.json();
    return typeof message === 'object' && message !== null ? message : {};
  } catch {
    return {};
  }
}

function textOf(value) {
  return typeof value === 'string' ? value.slice(0, 300) : '';
}

async function isWatched() {
  const pages = await clients.matchAll({ type: 'window' });
  return pages.some((client) => client.visibilityState === 'visible' && client.focused);
}

async function closeNotifications(conversationId) {
  for (const notification of await registration.getNotifications({ tag: conversationId })) notification.close();
}

async function showBadge(count) {
  try {
    await (count > 0 ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.());
  } catch {
    // Not an installed app.
  }
}

addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(event)));

// The browser has another address with its push service: the server has to know it, also where no page is opened for long.
// A session has one device, so that the worker need not remember which.
async function renew({ oldSubscription, newSubscription }) {
  const [sessions, devices] = await Promise.all([listed('/v1/sessions'), listed('/v1/devices')]);
  const session = sessions.find(({ current }) => current);
  const device = devices.find(({ sessionId, platform }) => sessionId === session?.id && platform === 'webpush');
  const options = oldSubscription?.options;
  if (!device || (!newSubscription && !options)) return;
  const subscription = newSubscription ?? (await registration.pushManager.subscribe(options));
  const { id, platform, preview, locale } = device;
  await fetch(`/v1/devices/${id}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ platform, subscription, preview, locale: locale ?? undefined }),
  });
}

async function listed(path) {
  const answer = await fetch(path, { cache: 'no-store' });
  return answer.ok ? (await answer.json()).items : [];
}

addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data?.conversationId));
});

async function open(conversationId) {
  const path = /^[0-9a-f-]{36}$/.test(conversationId ?? '') ? `/conversations/${conversationId}` : '/';
  const pages = await clients.matchAll({ type: 'window' });
  const present = pages.find((client) => client.focused) ?? pages[0];
  if (!present) return clients.openWindow(path);
  present.postMessage({ type: 'open', path });
  return present.focus();
}
