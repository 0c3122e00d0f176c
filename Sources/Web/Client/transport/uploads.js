// Files on their way up, with progress; one that was cut short goes on where the server has it.

import { ApiProblem, problemFrom, sessionHasEnded } from './api.js';

/// A connection on which nothing moves for this long is given up.
const stallTime = 30_000;

/// Uploads `{id, blob, name, kind, durationMs?, waveform?, wasTried?}`, until `signal` ends it. Throws ApiProblem; may be called
/// again after that.
export async function uploadFile(file, { onProgress, signal }) {
  const offset = file.wasTried ? await present(file) : 0;
  if (offset === 'complete') return;
  file.wasTried = true;
  await transmit(file, offset, { onProgress, signal });
}

// How much of it the server has; nothing where it knows none.
async function present(file) {
  let response;
  try {
    response = await fetch(`/v1/attachments/${file.id}`, { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(15_000) });
  } catch {
    throw new ApiProblem({});
  }
  if (response.status === 404) return 0;
  if (!response.ok) {
    const isOwn = response.headers.get('Content-Type')?.startsWith('application/problem+json');
    const code = response.status === 401 ? 'unauthenticated' : 'internal';
    throw problemFrom(isOwn ? { code } : null, { status: response.status, title: response.statusText, retryAfter: response.headers.get('Retry-After') });
  }
  if (response.headers.get('Upload-Complete') === '?1') return 'complete';
  return Math.max(0, Number.parseInt(response.headers.get('Upload-Offset') ?? '0', 10) || 0);
}

function transmit(file, offset, { onProgress, signal }) {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return void reject(new ApiProblem({}));
    const request = new XMLHttpRequest();
    const giveUp = () => request.abort();
    signal.addEventListener('abort', giveUp);
    open(request, file, offset);
    request.responseType = 'json';
    let stall;
    const feed = () => {
      clearTimeout(stall);
      stall = setTimeout(() => request.abort(), stallTime);
    };
    const end = (finish) => () => {
      clearTimeout(stall);
      signal.removeEventListener('abort', giveUp);
      finish();
    };
    request.upload.addEventListener('progress', (event) => {
      feed();
      onProgress(Math.min((offset + event.loaded) / Math.max(file.blob.size, 1), 1));
    });
    request.addEventListener('load', end(() => (request.status < 300 ? resolve(request.response) : reject(problemOf(request)))));
    request.addEventListener('error', end(async () => reject(new ApiProblem((await isReadable(file.blob)) ? {} : { status: 400, code: 'fileUnreadable' }))));
    request.addEventListener('abort', end(() => reject(new ApiProblem({}))));
    feed();
    request.send(offset > 0 ? file.blob.slice(offset) : file.blob);
  });
}

// A file that was changed or deleted since it was chosen does not go up, whatever the network.
function isReadable(blob) {
  return blob.slice(0, 1).arrayBuffer().then(() => true, () => false);
}

function open(request, file, offset) {
  if (offset > 0) {
    request.open('PATCH', `/v1/attachments/${file.id}`);
    request.setRequestHeader('Content-Type', 'application/partial-upload');
    request.setRequestHeader('Upload-Offset', String(offset));
    request.setRequestHeader('Upload-Complete', '?1');
    return;
  }
  const query = new URLSearchParams({ kind: file.kind });
  if (file.name) query.set('name', file.name.slice(0, 200));
  if (file.durationMs != null) query.set('durationMs', String(Math.round(file.durationMs)));
  if (file.waveform) query.set('waveform', file.waveform.join(','));
  request.open('PUT', `/v1/attachments/${file.id}?${query}`);
  request.setRequestHeader('Content-Type', file.blob.type || 'application/octet-stream');
}

function problemOf(request) {
  const { status, statusText: title, response } = request;
  const problem = problemFrom(response, { status, title, retryAfter: request.getResponseHeader('Retry-After') });
  if (problem.isSessionOver) sessionHasEnded();
  // Another offset than the server has: it is asked again.
  if (status === 409 && request.getResponseHeader('Upload-Offset')) problem.isRetryable = true;
  return problem;
}
