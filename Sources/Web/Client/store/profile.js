// What is said of oneself: it goes to the server, and what it answers is what this browser knows from then on.

import { api } from '../transport/api.js';
import { database } from './database.js';
import { store } from './store.js';

/// Changes name, photo or settings; absent stays. Resolves with the caller as the server has it.
export async function saveProfile(changes) {
  const { body } = await api.patch('/v1/me', changes);
  takeMe(body);
  return body;
}

/// Asks who the caller is by now: nothing tells what other devices have changed.
export async function refreshMe() {
  const { body } = await api.get('/v1/me');
  takeMe(body);
}

/// The caller, as an answer tells it.
function takeMe(answer) {
  const { warnings, ...me } = answer;
  // Somebody else may be here by now.
  if (store.state.me?.id !== me.id) return;
  store.commit((state) => {
    state.me = { ...state.me, ...me };
    const { displayName, photoURL } = me;
    state.users.set(me.id, { ...state.users.get(me.id), displayName, photoURL });
  });
  database.saveAccount({ me: store.state.me });
}
