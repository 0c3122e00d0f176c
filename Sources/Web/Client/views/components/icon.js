// The client's own icons: lines on a grid of 24, drawn in the colour of the text around them.

const namespace = 'http://www.w3.org/2000/svg';

const paths = {
  send: 'M4 11.5 20 4l-6 16-3-6.5z M11 13.5 20 4',
  attach: 'M19 11.5 11.8 18.7a4.6 4.6 0 0 1-6.5-6.5l7.6-7.6a3 3 0 0 1 4.3 4.3l-7.6 7.6a1.5 1.5 0 0 1-2.1-2.1l6.8-6.9',
  mic: 'M12 3a3 3 0 0 0-3 3v6a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3z M5.5 11.5a6.5 6.5 0 0 0 13 0 M12 18v3',
  play: 'M8 5v14l11-7z',
  pause: 'M9 5v14 M15 5v14',
  back: 'M19 12H5 M11 6l-6 6 6 6',
  close: 'M6 6l12 12 M18 6 6 18',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14z M16.2 16.2 21 21',
  more: 'M12 5.5v.01 M12 12v.01 M12 18.5v.01',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  checks: 'M2 12.5l4.5 4.5L15 8 M11 16.2l.8.8L21 7.5',
  clock: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17z M12 7.5V12l3 2',
  alert: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17z M12 8v5 M12 16.2v.01',
  star: 'M12 3.8l2.5 5.2 5.7.8-4.1 4 1 5.6-5.1-2.7-5.1 2.7 1-5.6-4.1-4 5.7-.8z',
  pin: 'M9 4h6 M10 4v6l-3 3.5h10L14 10V4 M12 13.5V21',
  mute: 'M6 9.5a6 6 0 0 1 9.6-4.8 M18 10v4l1.5 3H9 M6 9.5V14l-1.5 3H7 M10.5 20h3 M4 4l16 16',
  bell: 'M6 10a6 6 0 0 1 12 0v4l1.5 3h-15L6 14z M10.5 20h3',
  archive: 'M4 5h16v4H4z M5.5 9v10h13V9 M10 13h4',
  trash: 'M5 7h14 M9.5 7V4.5h5V7 M7 7l.8 12.5h8.4L17 7 M10.5 10.5v5.5 M13.5 10.5v5.5',
  edit: 'M5 19l1-4L16 5l3 3L9 18z M14 7l3 3',
  copy: 'M9 9h10v11H9z M15 9V5H5v10h4',
  reply: 'M10 6l-6 5.5L10 17 M4 11.5h9a7 7 0 0 1 7 7',
  forward: 'M14 6l6 5.5L14 17 M20 11.5h-9a7 7 0 0 0-7 7',
  emoji: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17z M9 10v.01 M15 10v.01 M8.5 14a4.2 4.2 0 0 0 7 0',
  camera: 'M4 8h3.5L9 5.5h6L16.5 8H20v11H4z M12 10a3.3 3.3 0 1 0 0 6.6 3.3 3.3 0 0 0 0-6.6z',
  image: 'M4 5h16v14H4z M4 16l4.5-4.5L13 16l2.5-2.5L20 18 M15.5 9v.01',
  file: 'M7 3.5h7L18 8v12.5H7z M14 3.5V8h4',
  download: 'M12 4v11 M7 10.5l5 5 5-5 M5 20h14',
  upload: 'M12 15V4 M7 8.5l5-5 5 5 M5 20h14',
  person: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8z M4.5 20a7.5 7.5 0 0 1 15 0',
  people: 'M9 5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z M2.5 19.5a6.5 6.5 0 0 1 13 0 M16 5.3a3.5 3.5 0 0 1 0 6.4 M18 14a6.5 6.5 0 0 1 3.5 5.5',
  group: 'M9 5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z M2.5 19.5a6.5 6.5 0 0 1 13 0 M19 8v6 M16 11h6',
  chats: 'M4 5h16v11H10l-4.5 4V16H4z M8 9h8 M8 12h5',
  link: 'M10 14a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.7L12 6.3 M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1',
  block: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17z M6 6l12 12',
  down: 'M6 9.5l6 6 6-6',
  next: 'M5 12h14 M13 6l6 6-6 6',
  'sign-out': 'M13 4H5v16h8 M10 12h10 M16 8l4 4-4 4',
  flag: 'M6 21V4 M6 4.5h11l-2.5 4 2.5 4H6',
  lock: 'M6 10.5h12v9.5H6z M8.5 10.5V8a3.5 3.5 0 0 1 7 0v2.5',
  calendar: 'M4.5 6h15v14h-15z M4.5 10.5h15 M8.5 3.5V7 M15.5 3.5V7',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z',
  device: 'M4 5h16v11H4z M9 20h6 M12 16v4',
};

/// Those that point along the line of writing, and so turn round with it.
const directed = new Set(['send', 'back', 'next', 'reply', 'forward', 'sign-out', 'chats']);
const filled = new Set(['play']);

/// An icon. Without a label it says nothing to those who listen: what is around it has to.
export function icon(name, { label, small = false } = {}) {
  const svg = document.createElementNS(namespace, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('fill', filled.has(name) ? 'currentColor' : 'none');
  svg.setAttribute('stroke', 'currentColor');
  svg.setAttribute('stroke-width', name === 'more' ? '3' : '1.8');
  svg.setAttribute('stroke-linecap', 'round');
  svg.setAttribute('stroke-linejoin', 'round');
  svg.setAttribute('class', ['icon', small && 'icon--small', directed.has(name) && 'icon--mirrored'].filter(Boolean).join(' '));
  if (label) {
    svg.setAttribute('role', 'img');
    svg.setAttribute('aria-label', label);
  } else {
    svg.setAttribute('aria-hidden', 'true');
  }
  const path = document.createElementNS(namespace, 'path');
  path.setAttribute('d', paths[name] ?? paths.alert);
  svg.append(path);
  return svg;
}
