// What the server takes at most, which is for those to say who run it. It is asked once, when that matters first.

import { api } from '../transport/api.js';

/// What holds at a server that says nothing else, and as long as it does not answer.
const usual = { maxFileBytes: 25 * 1024 * 1024, maxImageBytes: 10 * 1024 * 1024, maxImagePixels: 50_000_000 };
/// In milliseconds: somebody waits for it.
const patience = 4_000;

let asked = null;

/// `{maxFileBytes, maxImageBytes, maxImagePixels}`: of files and audio, and of pictures as they come.
export function limits() {
  asked ??= ask();
  return asked;
}

async function ask() {
  try {
    const { body } = await api.get('/v1/server', { timeout: patience });
    return { ...usual, ...body.limits };
  } catch {
    asked = null;
    return usual;
  }
}
