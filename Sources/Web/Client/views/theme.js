// Light, dark, or as the system has it.

import { preference, setPreference } from '../store/preferences.js';

/// Shows the chosen theme; to be called before the first screen.
export function applyTheme() {
  const theme = preference('theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

/// `light`, `dark` or `system`.
export function chooseTheme(theme) {
  setPreference('theme', theme === 'system' ? null : theme);
  applyTheme();
}

export function chosenTheme() {
  return preference('theme', 'system');
}
