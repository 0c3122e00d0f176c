// One id for all tries of the same: where the answer to one was lost, the server knows the next one for what it is.

import { newId } from '../transport/ids.js';

// What is tried, as text → its id, until an answer has come; the oldest goes where nobody tries again.
const ids = new Map();
const mostIds = 50;

/// Does `work(id)` for what `content` describes. Whoever tries it again has the same id, unless the server has answered.
export async function withSameId(content, work) {
  const key = JSON.stringify(content);
  if (!ids.has(key)) ids.set(key, newId());
  if (ids.size > mostIds) ids.delete(ids.keys().next().value);
  try {
    const result = await work(ids.get(key));
    ids.delete(key);
    return result;
  } catch (problem) {
    if (!problem.isRetryable) ids.delete(key);
    throw problem;
  }
}
