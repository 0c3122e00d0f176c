// Where the bytes of a file are: in this browser for what is chosen or unsent, else at the server, which the session's cookie opens.
// An address of bytes in this browser holds them in memory, so it ends when its file is sent, withdrawn, or chosen no more.

import { store } from '../../store/store.js';

const local = new Map(); // id of a file → {address, isUnsent}
const over = new Set(); // ids of files whose bytes here are no longer needed, the latest of them
const mostOver = 1_000;

/// The address of a file's bytes.
export function sourceOf({ id, blob }) {
  if (!blob || over.has(id)) return `/v1/attachments/${id}/content`;
  if (!local.has(id)) local.set(id, { address: URL.createObjectURL(blob), isUnsent: false });
  return local.get(id).address;
}

/// Ends the address of a file that is not sent.
export function releaseSource({ id }) {
  const known = local.get(id);
  if (!known) return;
  URL.revokeObjectURL(known.address);
  local.delete(id);
}

const unsentFiles = ({ outbox }) => [...outbox.values()].flat().flatMap(({ files }) => files.map(({ id }) => id));

store.subscribe((state) => unsentFiles(state).join(), (_, state) => {
  const unsent = new Set(unsentFiles(state));
  // What was forgotten with its person is there again for the same one.
  for (const id of unsent) over.delete(id);
  for (const [id, known] of local) {
    if (unsent.has(id)) known.isUnsent = true;
    else if (known.isUnsent) {
      over.add(id);
      // Long before that, no row is left that has the bytes.
      if (over.size > mostOver) over.delete(over.values().next().value);
      releaseSource({ id });
    }
  }
});
