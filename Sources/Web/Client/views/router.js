// Addresses and screens: the shell is told of the route, and links of this page are followed without loading it anew.

const routes = [];
const listeners = new Set();
let current = { pattern: null, params: {}, query: new URLSearchParams(), Screen: null, load: null, path: '' };

/// Names the screen of a path. In the pattern, `:name` stands for one component. `load` returns a promise of a module whose
/// default export is a View subclass with `static pane` ('list' | 'detail' | 'alone'); one for the list with `keepsDetail` leaves
/// beside it what is open there.
export function onRoute(pattern, load) {
  const names = [];
  const source = pattern.replace(/:([a-z]+)/gi, (_, name) => {
    names.push(name);
    return '([^/]+)';
  });
  const route = { pattern, names, expression: new RegExp(`^${source}/?$`), Screen: null };
  // Remembered: `import()` answers after other tasks and frames even where the module is there already.
  route.load = async () => (route.Screen ??= (await load()).default);
  routes.push(route);
}

/// Goes to a path of this page.
export function navigate(path, { replace = false, state = {} } = {}) {
  const depth = (history.state?.depth ?? 0) + (replace ? 0 : 1);
  history[replace ? 'replaceState' : 'pushState']({ ...state, depth }, '', path);
  follow();
}

/// One step back where this page has one, else to `fallback`.
export function back(fallback = '/') {
  if ((history.state?.depth ?? 0) > 0) history.back();
  else navigate(fallback, { replace: true });
}

/// Keeps something with the present address, for when it is loaded anew or come back to.
export function keepWithAddress(name, value) {
  history.replaceState({ ...history.state, [name]: value }, '');
}

export function keptWithAddress(name) {
  return history.state?.[name];
}

export function currentRoute() {
  return current;
}

/// Calls back with each new route, and with the present one at once.
export function observeRoute(callback) {
  listeners.add(callback);
  if (current.load) callback(current);
  return () => listeners.delete(callback);
}

/// Begins to load the screen of the present address, before anything can show it.
export function loadAhead() {
  loadScreens(location.pathname);
}

/// Begins to load the screens of some paths.
export function loadScreens(...paths) {
  for (const path of paths) {
    match(path)?.load().catch(() => {
      // The shell asks for it again, and says so where it does not come.
    });
  }
}

/// The route of a path of this page: `Screen` where that has been loaded already, and `load`, which resolves to it.
export function routeOf(path) {
  return match(path) ?? match('/');
}

export function startRouter() {
  addEventListener('popstate', follow);
  document.addEventListener('click', followLink);
  follow();
}

function follow() {
  current = routeOf(location.pathname);
  for (const listener of listeners) listener(current);
}

function match(path) {
  for (const route of routes) {
    const found = route.expression.exec(path);
    if (!found) continue;
    const params = {};
    route.names.forEach((name, index) => (params[name] = decode(found[index + 1])));
    return { pattern: route.pattern, params, query: new URLSearchParams(location.search), Screen: route.Screen, load: route.load, path };
  }
  return null;
}

function decode(component) {
  try {
    return decodeURIComponent(component);
  } catch {
    return component;
  }
}

function followLink(event) {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target.closest?.('a[href]');
  if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return;
  if (link.pathname.startsWith('/v1/')) return;
  event.preventDefault();
  if (link.href !== location.href) navigate(link.pathname + link.search + link.hash);
}
