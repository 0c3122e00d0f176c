// What the first screen waits for: asked for before the rest of the client is drawn, so that both go on at once.

import { prepareFormats, useLanguage } from './text/catalogue.js';
import * as session from './store/session.js';

// From a turn of its own: a browser works out from which line something is asked for, and with the whole client on the stack it
// would read all of that a second time.
const turn = Promise.resolve();

/// Resolves when texts are in the reader's language.
export const language = turn.then(() => useLanguage());
/// Resolves when what is known from before is in the store.
export const restored = turn.then(() => session.restore({ isBrief: location.pathname === '/' }));
turn.then(prepareFormats);
