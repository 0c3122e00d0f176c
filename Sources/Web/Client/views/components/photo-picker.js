// Choosing a picture of a person or a group: it is shown at once, and uploaded as an attachment of one's own, whose id then
// stands for it.

import { limits } from '../../store/limits.js';
import { formatBytes, t } from '../../text/catalogue.js';
import { ApiProblem, problemOf } from '../../transport/api.js';
import { h } from '../element.js';
import { withSameId } from '../same-id.js';

const types = ['image/jpeg', 'image/png', 'image/webp'];

/// Lets the person choose a file; resolves with it, or with null.
export function choosePicture() {
  return new Promise((resolve) => {
    const input = h('input', { type: 'file', accept: types.join(','), hidden: true });
    const answer = (file) => {
      input.remove();
      resolve(file);
    };
    input.addEventListener('change', () => answer(input.files[0] ?? null));
    input.addEventListener('cancel', () => answer(null));
    document.body.append(input);
    input.click();
  });
}

/// Uploads a picture and resolves with its attachment. Throws an ApiProblem with words for what is wrong with it.
export async function uploadPicture(file) {
  if (!types.includes(file.type)) throw refusal('notAnImage', t('photo.notAnImage'));
  const { maxImageBytes } = await limits();
  if (file.size > maxImageBytes) throw refusal('tooLarge', t('photo.tooLarge', { size: formatBytes(maxImageBytes) }));
  const { name, size, type, lastModified } = file;
  return withSameId({ name, size, type, lastModified }, (id) => upload(file, id));
}

async function upload(file, id) {
  const answer = await send(file, id);
  if (answer.ok) return answer.json();
  if (answer.status === 415) throw refusal('notAnImage', t('photo.notAnImage'));
  if (answer.status === 422) throw refusal('broken', t('photo.broken'));
  throw await problemOf(answer);
}

async function send(file, idempotencyKey) {
  const query = new URLSearchParams({ kind: 'image', name: file.name.slice(0, 200) || 'photo' });
  try {
    return await fetch(`/v1/attachments?${query}`, {
      method: 'POST',
      headers: { 'Content-Type': file.type, 'Idempotency-Key': idempotencyKey },
      body: file,
      signal: AbortSignal.timeout(120_000),
    });
  } catch (error) {
    throw new ApiProblem({ title: String(error?.message ?? error) });
  }
}

function refusal(code, detail) {
  return new ApiProblem({ status: 422, code: `picture.${code}`, title: detail, detail });
}
