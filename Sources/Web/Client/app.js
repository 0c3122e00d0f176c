// The boot: language, what is known from before, the shell, then the connection.

import { useLanguage } from './text/catalogue.js';
import * as session from './store/session.js';
import { startAttention } from './views/attention.js';
import { startRenewal } from './views/renewal.js';
import { loadAhead, startRouter } from './views/router.js';
import './views/routes.js';
import './views/shell.js';
import { applyTheme } from './views/theme.js';

applyTheme();
loadAhead();
await Promise.all([useLanguage(), session.restore()]);
document.body.append(document.createElement('parley-shell'));
startRouter();
startAttention();
startRenewal();
await session.connect();
