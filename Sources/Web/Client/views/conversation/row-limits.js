// How many rows of a conversation are in the page: each that is there costs with every one that joins or goes.

/// Those that are drawn first, how many are added at an end at once, and how near it, in pixels, one has to come for that.
export const firstRows = 48;
export const stepRows = 12;
export const nearby = 900;
/// About how high a row is, in pixels.
export const usualRow = 38;
/// So few rows that are known, but not drawn, let the next page be asked for.
export const fewRows = 36;

/// As near as this, in pixels, one is at the end.
export const endDistance = 48;

const mostInAll = 96;
const lowestRow = 30;

/// The most rows for a window of a height in pixels. What is on the screen and near it has room among them, else one end would be
/// taken for the other's sake for ever.
export function mostRows(height) {
  return Math.max(mostInAll, Math.ceil((height + 2 * nearby) / lowestRow) + 2 * stepRows);
}

/// Those that stay at the end, where nothing is below.
export function mostAtEnd(height) {
  return Math.max(firstRows, Math.ceil((height + nearby) / lowestRow));
}

/// Where the rows begin and end that fill a window of a height in pixels, with the one at `index` of `count` at a part of it. Below
/// it there are as many as when it stands at the top, where nothing is above, and some more: this is not the end.
export function windowAround(index, part, height, count) {
  const above = Math.ceil((height * part) / lowestRow);
  const below = Math.ceil((height + 2 * endDistance) / lowestRow);
  return [Math.max(0, index - above), Math.min(count, index + below)];
}
