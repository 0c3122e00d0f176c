// News as they come: whoever wants to tell the person of a message learns of it here, in every tab. What was missed and is
// caught up on is no news.

import { store } from './store.js';

const observers = new Set();
const ofDeletions = new Set();
const ofMembers = new Set();
const membership = new Set(['participant.added', 'participant.updated', 'participant.removed']);

/// Calls back with `{conversationId, message, sender}` of each message that has just been sent by anybody.
export function observeArrivals(callback) {
  observers.add(callback);
  return () => observers.delete(callback);
}

/// Calls back with `{conversationId, message}` of each message that has just been deleted.
export function observeDeletions(callback) {
  ofDeletions.add(callback);
  return () => ofDeletions.delete(callback);
}

/// Calls back with `{conversationId, participant}` of each member of a group who has just come, gone or become another.
export function observeMembers(callback) {
  ofMembers.add(callback);
  return () => ofMembers.delete(callback);
}

/// Says which events have just been applied.
export function tellArrivals(events) {
  if (!store.state.isUpToDate || events.some(({ event }) => event === 'ready' || event === 'hello')) return;
  for (const { event, data } of events) {
    if (event === 'message.created') for (const observer of observers) observer(data);
    if (event === 'message.deleted') for (const observer of ofDeletions) observer(data);
    if (membership.has(event)) for (const observer of ofMembers) observer(data);
  }
}
