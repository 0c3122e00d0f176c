// The one Trusted Types policy of the page: the addresses of its own workers, and nothing else.

const workers = new Set(['/sw.js']);

const policy = globalThis.trustedTypes?.createPolicy('parley', {
  createScriptURL(address) {
    if (!workers.has(address)) throw new TypeError('Not a worker of this page');
    return address;
  },
});

/// The address of a worker as `register()` takes it.
export function trustedScriptURL(address) {
  return policy ? policy.createScriptURL(address) : address;
}
