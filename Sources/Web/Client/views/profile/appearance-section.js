// How this browser shows the client: theme and language. Both are choices of this browser alone.

import { chooseLanguage, chosenLanguage, languages, t } from '../../text/catalogue.js';
import { section, selectRow } from '../components/page.js';
import { chooseTheme, chosenTheme } from '../theme.js';

export function appearanceSection() {
  const themes = [['system', t('profile.themeSystem')], ['light', t('profile.themeLight')], ['dark', t('profile.themeDark')]];
  const tongues = [['', t('profile.languageSystem')], ...Object.entries(languages)];
  return section({
    title: t('profile.appearance'),
    children: [
      selectRow({ title: t('profile.theme'), value: chosenTheme(), options: themes, change: chooseTheme }),
      selectRow({ title: t('profile.language'), value: chosenLanguage() ?? '', options: tongues, change: changeLanguage }),
    ],
  });
}

/// Every screen is made anew in another language, the simplest way.
function changeLanguage(tag) {
  chooseLanguage(tag || null);
  location.reload();
}
