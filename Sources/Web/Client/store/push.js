// Notifications when no page is open: this browser's address with its push service, as the server has to know it.

import { api } from '../transport/api.js';
import { newId } from '../transport/ids.js';
import { trustedScriptURL } from '../transport/trusted.js';
import { preference, setPreference } from './preferences.js';
import { store } from './store.js';

/// `on`, `off`, `denied` by the person in the browser's settings, or `unsupported` by the browser or the server.
export async function pushState() {
  if (!isSupported()) return 'unsupported';
  if (Notification.permission === 'denied') return 'denied';
  const subscription = await (await worker())?.pushManager.getSubscription();
  return subscription && ownDevice() ? 'on' : 'off';
}

/// Asks the person and the push service, and tells the server. Throws where either refuses.
export async function startPush(preview = preference('preview', 'full')) {
  if ((await Notification.requestPermission()) !== 'granted') throw pushProblem('denied');
  const key = await serverKey();
  if (!key) throw pushProblem('unsupported');
  const registration = await worker();
  const subscription = await subscribe(registration, key);
  const userId = store.state.me?.id;
  const id = ownDevice() ?? newId();
  await api.put(`/v1/devices/${id}`, { platform: 'webpush', subscription: subscription.toJSON(), preview, locale: document.documentElement.lang });
  setPreference('device', id);
  setPreference('deviceOwner', userId);
  setPreference('preview', preview);
}

/// Ends it, here and at the server.
export async function stopPush() {
  const id = ownDevice();
  if (id) await api.delete(`/v1/devices/${id}`).catch(ignoreGone);
  setPreference('device', null);
  await leavePush();
}

/// Ends it here alone, as for a person who signs out: the server may not hear of that for long.
export async function leavePush() {
  const registration = await navigator.serviceWorker?.getRegistration('/');
  const subscription = await registration?.pushManager?.getSubscription();
  await subscription?.unsubscribe();
}

/// Tells the server again once a day, as addresses that nobody renews end. Where the browser has changed it, the worker does.
export async function renewPush() {
  if ((await pushState()) !== 'on') return;
  if (Date.now() - Number(preference('pushRenewedAt', 0)) < 86_400_000) return;
  await startPush();
  setPreference('pushRenewedAt', String(Date.now()));
}

/// A session has begun here: the server knows no device of it yet, and is told of it at once where this person wants that.
export function forgetPushRenewal() {
  setPreference('pushRenewedAt', null);
}

// Who was here before may have wanted notifications; that says nothing of who is here now.
function ownDevice() {
  const userId = store.state.me?.id;
  return userId && preference('deviceOwner') === userId ? preference('device') : null;
}

/// The worker, registered where it was not yet. Nothing where the browser has none, as in private windows of some.
export async function worker() {
  if (!('serviceWorker' in navigator)) return null;
  try {
    await navigator.serviceWorker.register(trustedScriptURL('/sw.js'), { scope: '/' });
    return await navigator.serviceWorker.ready;
  } catch {
    return null;
  }
}

function isSupported() {
  return 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;
}

async function serverKey() {
  const { body } = await api.get('/v1/server');
  return body.push?.webPushKey ?? null;
}

async function subscribe(registration, key) {
  const applicationServerKey = bytesOf(key);
  const present = await registration.pushManager.getSubscription();
  if (present && sameKey(present.options.applicationServerKey, applicationServerKey)) return present;
  // Made for another key of the server, it would reach nobody.
  await present?.unsubscribe();
  return registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
}

function bytesOf(base64url) {
  const binary = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function sameKey(buffer, bytes) {
  const known = new Uint8Array(buffer ?? []);
  return known.length === bytes.length && known.every((byte, index) => byte === bytes[index]);
}

function pushProblem(code) {
  return Object.assign(new Error(code), { code: `push.${code}` });
}

function ignoreGone(problem) {
  if (problem.status !== 404) throw problem;
}
