// Modules by their paths, where the server has joined many into one file: `define` keeps how one is made, `need` makes it once.

const definitions = new Map();
const made = new Map();

/// The address of a file of the client.
function at(path) {
  return new URL(path, import.meta.url).href;
}

export function define(path, make) {
  if (!definitions.has(path)) definitions.set(path, make);
}

/// What a module exports. Of one that is being made, as modules that need each other see it, the functions.
export function need(path) {
  let exports = made.get(path);
  if (!exports) {
    exports = {};
    made.set(path, exports);
    definitions.get(path)(need, at, exports);
  }
  return exports;
}
