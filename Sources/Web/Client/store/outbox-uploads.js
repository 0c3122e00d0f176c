// The files of unsent messages on their way up. Each one that is there is noted, so that a page that is loaded anew goes on with
// the next one; what is withdrawn, or whose person has gone, goes no further.

import { uploadFile } from '../transport/uploads.js';
import { forgetRow } from './cache.js';
import { database } from './database.js';
import { store } from './store.js';

const uploading = new Map(); // number of a row → what ends its upload

/// Uploads what a row has not uploaded yet. `present()` is the row as it is by now, or nothing; `isOver()` whether it must not be
/// kept any more. Throws ApiProblem; may be called again after that.
export async function uploadFiles(row, { present, isOver }) {
  const abort = new AbortController();
  uploading.set(row.number, abort);
  try {
    for (const file of row.files) {
      if (file.isDone) continue;
      await uploadFile(file, { signal: abort.signal, onProgress: (part) => store.commit((state) => state.uploads.set(file.id, part)) });
      file.isDone = true;
      const held = present();
      if (!held) return;
      await database.put('outbox', { ...held, files: row.files });
      // Another tab may have withdrawn it while it was kept.
      if (isOver()) await forgetRow(row.number);
    }
  } finally {
    uploading.delete(row.number);
  }
}

/// Ends the upload of a row that is withdrawn.
export function endUpload(number) {
  uploading.get(number)?.abort();
}

// What somebody has signed out of goes no further under the next person's name.
store.subscribe((state) => state.me?.id, () => {
  for (const abort of uploading.values()) abort.abort();
});
