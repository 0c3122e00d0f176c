// How files come in: dropped on a conversation, pasted where one writes, or chosen.

import { t } from '../../text/catalogue.js';
import { icon } from '../components/icon.js';
import { h } from '../element.js';

/// Files that are dragged over an element, which says so, and dropped on it.
export function acceptDrops(element, take) {
  let depth = 0;
  const sign = h('div', { class: 'conversation__drop', hidden: true }, icon('attach'), h('p', {}, t('files.dropHere')));
  element.append(sign);
  const has = (event) => event.dataTransfer?.types.includes('Files');
  const end = () => {
    depth = 0;
    sign.hidden = true;
  };
  element.addEventListener('dragenter', (event) => {
    if (!has(event)) return;
    event.preventDefault();
    depth += 1;
    sign.hidden = false;
  });
  element.addEventListener('dragover', (event) => has(event) && event.preventDefault());
  element.addEventListener('dragleave', (event) => {
    if (has(event) && (depth -= 1) <= 0) end();
  });
  element.addEventListener('drop', (event) => {
    if (!has(event)) return;
    event.preventDefault();
    end();
    take([...event.dataTransfer.files]);
  });
}

/// Files that are pasted where one writes.
export function acceptPastes(node, take) {
  node.addEventListener('paste', (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    take(files);
  });
}

/// An input by which files are chosen; it is not seen.
export function fileChooser(take) {
  const node = h('input', { type: 'file', multiple: true, hidden: true, 'aria-hidden': 'true', tabindex: '-1' });
  node.addEventListener('change', () => {
    take([...node.files]);
    node.value = '';
  });
  return node;
}
