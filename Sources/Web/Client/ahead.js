// What the first screen waits for: asked for before the rest of the client is made, so that both go on at once.

import { prepareFormats, useLanguage } from './text/catalogue.js';
import * as session from './store/session.js';

/// Resolves when texts are in the reader's language.
export const language = useLanguage();
/// Resolves when what is known from before is in the store.
export const restored = session.restore({ isBrief: location.pathname === '/' });
prepareFormats();
