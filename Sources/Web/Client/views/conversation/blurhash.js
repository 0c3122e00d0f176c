// The blur that stands in for a picture until it is there: blurhash (Wolt's format), drawn on 32 × 32 points.

import { h } from '../element.js';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~';
const side = 32;

/// A canvas with the blur; an empty one where the text is no blurhash.
export function drawBlurhash(text) {
  const canvas = h('canvas', { class: 'photo__blur', width: String(side), height: String(side), 'aria-hidden': 'true' });
  const colours = parse(text);
  const context = colours && canvas.getContext('2d');
  if (!context) return canvas;
  const image = context.createImageData(side, side);
  for (let y = 0; y < side; y += 1) for (let x = 0; x < side; x += 1) paint(image.data, x, y, colours);
  context.putImageData(image, 0, 0);
  return canvas;
}

function parse(text) {
  const values = [...text].map((digit) => digits.indexOf(digit));
  if (values.length < 6 || values.includes(-1)) return null;
  const number = (from, to) => values.slice(from, to).reduce((sum, digit) => sum * 83 + digit, 0);
  const across = (values[0] % 9) + 1;
  const down = Math.floor(values[0] / 9) + 1;
  if (values.length !== 4 + 2 * across * down) return null;
  const most = (values[1] + 1) / 166;
  const parts = [average(number(2, 6))];
  for (let index = 1; index < across * down; index += 1) parts.push(detail(number(4 + index * 2, 6 + index * 2), most));
  return { across, down, parts };
}

function average(value) {
  return [value >> 16, (value >> 8) & 255, value & 255].map(linear);
}

function detail(value, most) {
  return [Math.floor(value / 361), Math.floor(value / 19) % 19, value % 19].map((part) => {
    const signed = (part - 9) / 9;
    return Math.sign(signed) * signed * signed * most;
  });
}

function paint(data, x, y, { across, down, parts }) {
  const sum = [0, 0, 0];
  for (let j = 0; j < down; j += 1) {
    for (let i = 0; i < across; i += 1) {
      const weight = Math.cos((Math.PI * x * i) / side) * Math.cos((Math.PI * y * j) / side);
      for (let channel = 0; channel < 3; channel += 1) sum[channel] += parts[i + j * across][channel] * weight;
    }
  }
  const at = 4 * (x + y * side);
  for (let channel = 0; channel < 3; channel += 1) data[at + channel] = curved(sum[channel]);
  data[at + 3] = 255;
}

function linear(value) {
  const part = value / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

function curved(value) {
  const part = Math.max(0, Math.min(1, value));
  return Math.round((part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055) * 255);
}
