// Requests to the server: JSON in and out, problems as errors, a deadline for each. The session travels as a cookie.

import { checkTime } from './clock.js';
import { expectAnswer } from './slowness.js';

const deadline = 20_000;

/// What something on the way answers that does not let this server be asked, now: it says nothing of the request.
const passing = new Set([401, 404, 407, 408, 425, 429]);

/// What the server refused, or that it could not be asked (`isOffline`).
export class ApiProblem extends Error {
  constructor({ status = 0, code = 'offline', title = '', detail = '', errors = [], retryable, retryAfter = null }) {
    super(title || code);
    this.name = 'ApiProblem';
    Object.assign(this, { status, code, title, detail, errors, retryAfter });
    this.isOffline = status === 0;
    // Not where something on the way asks who this is.
    this.isSessionOver = code === 'unauthenticated' || code === 'tokenExpired';
    this.isRetryable = retryable ?? (status === 0 || status === 429 || status >= 500);
  }
}

const listeners = new Set();
let sessions = 0; // how many have begun in this page

/// Calls back when the server says that the session has ended.
export function onSessionEnded(callback) {
  listeners.add(callback);
  return () => listeners.delete(callback);
}

export function sessionHasBegun() {
  sessions += 1;
}

/// Says so to whoever listens; the stream learns it by its own way.
export function sessionHasEnded() {
  for (const listener of listeners) listener();
}

export const api = {
  get: (path, options) => request('GET', path, undefined, options),
  put: (path, body, options) => request('PUT', path, body, options),
  post: (path, body, options) => request('POST', path, body, options),
  patch: (path, body, options) => request('PATCH', path, body, options),
  delete: (path, options = {}) => request('DELETE', path, options.body, options),
};

/// Resolves to `{body, status, position, response}`. `waitFor` is a position or a stream cursor that the answer must include.
/// That it is refused ends no session that has begun since it was asked. With `keepalive` it goes out also where the page goes.
async function request(method, path, body, { query, waitFor, signal, idempotencyKey, timeout = deadline, raw = false, keepalive = false } = {}) {
  const headers = { Accept: 'application/json' };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (waitFor) headers['Parley-Wait-For'] = waitFor;
  if (idempotencyKey) headers['Idempotency-Key'] = idempotencyKey;
  const limit = AbortSignal.timeout(timeout);
  const session = sessions;
  // What may take longer than others, such as an export, says nothing of the connection.
  const ended = timeout > deadline ? () => {} : expectAnswer();
  let response;
  try {
    response = await fetch(address(path, query), {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      credentials: 'same-origin',
      redirect: 'error',
      cache: 'no-store',
      keepalive,
    });
    checkTime(response.headers.get('Date'));
    if (!response.ok) throw await problemOf(response);
    const result = { status: response.status, position: response.headers.get('Parley-Position'), response, body: null };
    if (!raw && response.status !== 204 && response.status !== 202) result.body = await response.json();
    return result;
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof ApiProblem) {
      if (session === sessions && error.isSessionOver) sessionHasEnded();
      throw error;
    }
    throw new ApiProblem({ title: String(error?.message ?? error) });
  } finally {
    ended(response !== undefined);
  }
}

function address(path, query) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) if (value != null) search.set(name, value);
  return search.size ? `${path}?${search}` : path;
}

/// The problem that an answer tells; also where it is none of this server's, such as a proxy's page.
export async function problemOf(response) {
  let body = null;
  try {
    body = await response.json();
  } catch {
    // Not JSON: the status has to do.
  }
  return problemFrom(body, { status: response.status, title: response.statusText, retryAfter: response.headers.get('Retry-After') });
}

/// The same from a body that was read, null for none, and the text of the header `Retry-After`.
export function problemFrom(body, { status, title, retryAfter }) {
  const seconds = Number.parseFloat(retryAfter ?? '');
  const answer = { status, retryAfter: Number.isFinite(seconds) ? seconds : null };
  if (typeof body?.code === 'string') return new ApiProblem({ ...body, ...answer });
  return new ApiProblem({ ...answer, code: 'internal', title, retryable: status >= 500 || passing.has(status) });
}
