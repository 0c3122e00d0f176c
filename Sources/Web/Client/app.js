// The boot: language, what is known from before, the shell, then the connection.

import { language, restored } from './ahead.js';
import { drawn } from './store/drawn.js';
import { startKeepingFirstScreen } from './store/first-screen.js';
import * as session from './store/session.js';
import { startAttention } from './views/attention.js';
import { startLoadingNext } from './views/next-screens.js';
import { startRenewal } from './views/renewal.js';
import { loadAhead, startRouter } from './views/router.js';
import './views/routes.js';
import './views/shell.js';
import { applyTheme } from './views/theme.js';

applyTheme();
loadAhead();
await Promise.all([language, restored]);
document.body.append(document.createElement('parley-shell'));
startRouter();
// What is known from before comes first, and nothing else in the frame that shows it.
if (session.isOpen()) await drawn();
await session.restoreRest();
startKeepingFirstScreen();
startAttention();
startRenewal();
startLoadingNext();
await session.connect();
