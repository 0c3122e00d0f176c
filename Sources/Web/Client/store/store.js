// What this tab knows. Views read it and subscribe; only the modules of `store/` commit changes.
//
// The large maps stay the same objects; blocks, stars, drafts and presence are replaced as a whole. What either holds is replaced,
// never changed in place: so "the same object" means "nothing has changed", and a selector may return an entry.

export function emptyState() {
  return {
    session: 'unknown', // 'unknown' | 'none' | 'open' | 'ended' (by the server; what is unsent waits for the same person)
    me: null,
    connection: 'connecting', // 'connecting' | 'online' | 'offline'
    isSlow: false, // the server takes long to answer this tab
    isUpToDate: false, // all that happened before the connection is known
    cursor: null,
    conversations: new Map(), // id → Conversation
    order: [], // ids as the list shows them
    isListComplete: false,
    users: new Map(), // id → {displayName, photoURL, erased?}
    usersRevision: 0, // grows with every name or photo that is learned
    timelines: new Map(), // conversation id → timeline (store/timeline.js)
    snapshots: 0, // how many have been taken
    unheldChanges: new Map(), // conversation id → how many messages, and changes of them, came that no timeline here holds
    outbox: new Map(), // conversation id → [row], in the order in which they go out
    uploads: new Map(), // attachment id → 0…1
    presence: new Map(), // user id → {status, lastSeen}
    typing: new Map(), // conversation id → [{userId, until}]
    blocks: new Set(),
    stars: new Set(), // ids of the messages that this person has starred, as far as they are known (store/stars.js)
    areBlocksKnown: false, // as they were when this browser was here last, at least
    drafts: new Map(), // conversation id → {text, mentions, replyTo, editing, updatedAt, isSynced, isShared} (store/drafts.js)
    totalUnread: 0,
    totalUnreadUnmuted: 0,
    totalMentions: 0,
    totalsAt: 0, // when these were counted, in ms by the server's clock; 0 where that is not known
    revision: 0, // grows with every commit: for views that look for themselves what has changed
    newVersion: null, // of the server's page, where it is another than this one
  };
}

class Store {
  state = emptyState();
  #subscriptions = new Set();
  #isScheduled = false;

  /// Calls back with the new value when what `selector` returns is another value than before. Returns the way to end it.
  subscribe(selector, callback) {
    const subscription = { selector, callback, value: selector(this.state) };
    this.#subscriptions.add(subscription);
    return () => this.#subscriptions.delete(subscription);
  }

  /// Changes the state. Subscribers are told once for all changes of one turn.
  commit(change) {
    change(this.state);
    this.state.revision += 1;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => this.#tell());
  }

  /// Forgets everything, as on signing out.
  clear(session) {
    this.commit((state) => Object.assign(state, emptyState(), { session, revision: state.revision }));
  }

  #tell() {
    this.#isScheduled = false;
    for (const subscription of [...this.#subscriptions]) {
      if (!this.#subscriptions.has(subscription)) continue;
      const value = subscription.selector(this.state);
      if (Object.is(value, subscription.value)) continue;
      subscription.value = value;
      try {
        subscription.callback(value, this.state);
      } catch (error) {
        // One view that fails must not keep the others from the news.
        reportError(error);
      }
    }
  }
}

export const store = new Store();
