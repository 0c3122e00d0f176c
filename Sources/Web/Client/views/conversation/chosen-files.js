// Files that somebody chose, dropped or pasted: made ready for the upload, or refused with the reason before anything is sent.

import { limits } from '../../store/limits.js';
import { newId } from '../../transport/ids.js';
import { formatBytes, t } from '../../text/catalogue.js';

const photoTypes = new Set(['image/jpeg', 'image/png', 'image/webp']);
const longestSide = 1920;

/// The most files of one message.
export const mostFiles = 10;

/// `{id, kind, name, blob, width?, height?}`. Throws an Error whose message is for the person.
export async function prepareFile(file) {
  if (file.size === 0) throw new Error(t('files.empty', { name: file.name }));
  if (file.type.startsWith('image/') && file.type !== 'image/svg+xml') return preparePhoto(file);
  return plain(file, file.type.startsWith('audio/') ? 'audio' : 'file');
}

async function plain(file, kind) {
  const { maxFileBytes } = await limits();
  if (file.size > maxFileBytes) throw new Error(t('files.tooLarge', { name: file.name, most: formatBytes(maxFileBytes) }));
  return { id: newId(), kind, name: file.name, blob: file };
}

// What the server takes goes up as it is, and is made small there; what it does not take is drawn anew here where this
// browser can read it, else it goes as a file.
async function preparePhoto(file) {
  const bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' }).catch(() => null);
  if (!bitmap) return plain(file, 'file');
  const { width, height } = bitmap;
  const { maxImageBytes, maxImagePixels } = await limits();
  const isGood = photoTypes.has(file.type) && file.size <= maxImageBytes && width * height <= maxImagePixels;
  const blob = isGood ? file : await redrawn(bitmap);
  bitmap.close();
  return { id: newId(), kind: 'image', name: file.name, blob, ...scaled(width, height) };
}

function scaled(width, height) {
  const scale = Math.min(1, longestSide / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

async function redrawn(bitmap) {
  const { width, height } = scaled(bitmap.width, bitmap.height);
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext('2d').drawImage(bitmap, 0, 0, width, height);
  return canvas.convertToBlob({ type: 'image/jpeg', quality: 0.88 });
}
