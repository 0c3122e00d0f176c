// Every address and the screen that it shows. Screens are loaded when they are first shown.

import { onRoute } from './router.js';

onRoute('/', () => import('./chats/chats-screen.js'));
onRoute('/conversations/:id', () => import('./conversation/conversation-screen.js'));
onRoute('/conversations/:id/info', () => import('./group/info-screen.js'));
onRoute('/group/new', () => import('./group/new-group-screen.js'));
onRoute('/people', () => import('./people/people-screen.js'));
onRoute('/profile', () => import('./profile/profile-screen.js'));
onRoute('/profile/devices', () => import('./profile/devices-screen.js'));
onRoute('/search', () => import('./search/search-screen.js'));
onRoute('/starred', () => import('./lists/starred-screen.js'));
onRoute('/scheduled', () => import('./lists/scheduled-screen.js'));
onRoute('/blocked', () => import('./lists/blocked-screen.js'));
onRoute('/invite/:code', () => import('./invite/invite-screen.js'));
onRoute('/sign-in', () => import('./sign-in/sign-in-screen.js'));
onRoute('/sign-up', () => import('./sign-in/sign-up-screen.js'));
onRoute('/forgot-password', () => import('./sign-in/forgot-screen.js'));
onRoute('/reset-password', () => import('./sign-in/reset-screen.js'));
onRoute('/verify-email', () => import('./sign-in/verify-screen.js'));
onRoute('/welcome', () => import('./sign-in/welcome-screen.js'));
