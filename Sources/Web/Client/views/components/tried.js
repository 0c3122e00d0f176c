// Work that may be refused: the person is told why, and whoever asked for it learns that it was not done.

import { problemWords } from './field.js';
import { toast } from './toast.js';

/// The same work; where it fails, its problem is shown and thrown on.
export function tried(work) {
  return async (...values) => {
    try {
      return await work(...values);
    } catch (problem) {
      toast(problemWords(problem), { kind: 'error' });
      throw problem;
    }
  };
}

/// The same, for what nobody waits for.
export function attempt(work) {
  return (...values) => tried(work)(...values).catch(() => undefined);
}
