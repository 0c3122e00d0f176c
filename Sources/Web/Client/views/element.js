// Elements without markup: everything that people wrote becomes text nodes, never HTML.

const properties = new Set(['value', 'checked', 'disabled', 'hidden', 'selected', 'indeterminate', 'readOnly', 'multiple', 'open']);
const forbidden = new Set(['style', 'innerhtml', 'outerhtml', 'srcdoc']);
const safeSchemes = new Set(['http:', 'https:', 'mailto:', 'tel:', 'blob:']);

/// Makes an element. `props` has attributes by their names (`class`, `id`, `role`, `aria-label` …), `dataset`, `css` (custom
/// properties) and `on` (handlers by event). Null, undefined and false leave an attribute out. Children: nodes, text,
/// arrays of both; null and false are left out.
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) setProperty(element, name, value);
  append(element, children);
  return element;
}

function setProperty(element, name, value) {
  if (name === 'on') {
    for (const [type, handler] of Object.entries(value)) element.addEventListener(type, handler);
  } else if (name === 'dataset') {
    for (const [key, data] of Object.entries(value)) if (data != null) element.dataset[key] = data;
  } else if (name === 'css') {
    for (const [key, data] of Object.entries(value)) element.style.setProperty(key, data);
  } else if (properties.has(name)) {
    if (value != null) element[name] = value;
  } else if (value != null && value !== false) {
    setAttribute(element, name, value === true ? '' : String(value));
  }
}

function setAttribute(element, name, value) {
  const lower = name.toLowerCase();
  if (forbidden.has(lower) || lower.startsWith('on')) throw new TypeError(`The attribute ${name} is not for h()`);
  if ((lower === 'href' || lower === 'src') && !isSafeAddress(value)) return;
  element.setAttribute(name, value);
}

/// Whether an address is a path of this server or has one of the schemes that run nothing.
export function isSafeAddress(address) {
  try {
    return safeSchemes.has(new URL(address, document.baseURI).protocol);
  } catch {
    return false;
  }
}

/// Appends nodes and texts.
export function append(parent, children) {
  for (const child of children) {
    if (child == null || child === false || child === true) continue;
    if (Array.isArray(child)) append(parent, child);
    else parent.append(child instanceof Node ? child : String(child));
  }
}

/// A screen or a part of one. `render` is called once, when it is first connected, `update` after that and whenever what it
/// watches has changed.
export class View extends HTMLElement {
  #ends = [];
  #rendered = false;

  connectedCallback() {
    if (!this.#rendered) {
      this.#rendered = true;
      this.render();
    }
    this.connected();
    this.update();
  }

  disconnectedCallback() {
    for (const end of this.#ends.splice(0)) end();
    this.disconnected();
  }

  render() {}
  /// Watches and listeners belong here: they end with the connection.
  connected() {}
  disconnected() {}
  update() {}

  /// Calls back (by default: `update`) when what `selector` takes from the state has changed, while connected.
  watch(store, selector, callback = () => this.update()) {
    this.#ends.push(store.subscribe(selector, callback));
  }

  /// A listener that is removed on disconnect.
  listen(target, type, handler, options) {
    target.addEventListener(type, handler, options);
    this.#ends.push(() => target.removeEventListener(type, handler, options));
  }

  /// Something else that ends with the connection.
  untilDisconnected(end) {
    this.#ends.push(end);
  }
}

/// Brings the children of `parent` in line with `items`, moving what is there instead of making it anew, so that focus and
/// scroll positions stay. `make(item)` returns an element, `update(element, item)` brings it up to date.
export function keyed(parent, items, keyOf, make, update = () => {}) {
  const known = parent.keyedChildren ?? (parent.keyedChildren = new Map());
  const kept = new Set();
  let next = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    if (kept.has(key)) continue;
    kept.add(key);
    let element = known.get(key);
    if (!element) known.set(key, (element = make(item)));
    update(element, item);
    if (element === next) next = next.nextElementSibling;
    else if (element.contains(document.activeElement)) next = movePast(parent, element, next);
    else parent.insertBefore(element, next);
  }
  for (const [key, element] of known) {
    if (kept.has(key)) continue;
    known.delete(key);
    element.remove();
  }
}

// An element that is moved loses its focus: what stands before it is moved behind it instead.
function movePast(parent, element, next) {
  while (next && next !== element) {
    const following = next.nextElementSibling;
    parent.insertBefore(next, element.nextSibling);
    next = following;
  }
  return element.nextElementSibling;
}
