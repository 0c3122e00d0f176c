// Files that are dragged over an element and dropped on it.

import { t } from '../../text/catalogue.js';
import { icon } from '../components/icon.js';
import { h } from '../element.js';

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
