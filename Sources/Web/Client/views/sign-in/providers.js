// Buttons for Google and other issuers, where the server has them. They lead to the server, which leads on to the issuer: no
// script of theirs runs here.

import { t } from '../../text/catalogue.js';
import { api } from '../../transport/api.js';
import { h } from '../element.js';
import { deviceName, nextPath } from './entering.js';

/// A place that fills with buttons once the server has told which there are; without any it stays empty. `node.names` are what
/// people call them, once that is known.
export function providerButtons() {
  const node = h('div', { class: 'entry__providers', hidden: true });
  node.names = load(node).catch(() => []);
  return node;
}

async function load(node) {
  const { body } = await api.get('/v1/auth/providers');
  const providers = body.items ?? [];
  show(node, providers.map(providerButton));
  return providers.map(({ name }) => name);
}

function show(node, buttons) {
  if (buttons.length === 0) return;
  node.append(h('p', { class: 'entry__or' }, h('span', {}, t('signIn.or'))), ...buttons);
  node.hidden = false;
}

function providerButton({ provider, name }) {
  const query = new URLSearchParams({ returnTo: returnPath(), deviceName: deviceName() });
  const path = `/v1/auth/oidc/${encodeURIComponent(provider)}/start?${query}`;
  return h('a', { class: 'button button--outline button--block', href: path }, t('signIn.with', { provider: name }));
}

// Where somebody was on the way to, as far as the server takes it: paths of screens, and nothing that needs a second look.
function returnPath() {
  const path = nextPath();
  return /^(\/[\w.~%-]+)+$/.test(path) && path.length <= 512 ? path : '/';
}
