// The one Trusted Types policy of the page: the addresses of its own workers, and nothing else.

const workers = /^(\/sw\.js|\/app\/[0-9a-f]+\/text\/format-worker\.js)$/;

const policy = globalThis.trustedTypes?.createPolicy('parley', {
  createScriptURL(address) {
    if (!workers.test(address)) throw new TypeError('Not a worker of this page');
    return address;
  },
});

/// The address of a worker as `register()` and `Worker` take it.
export function trustedScriptURL(address) {
  return policy ? policy.createScriptURL(address) : address;
}
