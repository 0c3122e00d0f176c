// What can be done with a group and its members; the server decides whether one may.

import { store } from '../../store/store.js';
import { api } from '../../transport/api.js';
import { newId } from '../../transport/ids.js';

const path = (id) => `/v1/conversations/${id}`;

/// A conversation as it is after all that the stream has told.
export async function loadConversation(id) {
  const { body } = await api.get(path(id), { waitFor: store.state.cursor });
  return body;
}

/// The members, page by page, until there are enough: a thousand, or what else is asked.
export async function loadMembers(id, isEnough = (members) => members.length >= 1_000) {
  const members = [];
  let cursor;
  do {
    const { body } = await api.get(`${path(id)}/participants`, { query: { cursor, limit: 200 }, waitFor: store.state.cursor });
    members.push(...body.items);
    cursor = body.nextCursor ?? undefined;
  } while (cursor && !isEnough(members));
  return members;
}

/// Changes what all members see; resolves with the conversation as it is then.
export async function changeGroup(id, changes) {
  const { body } = await api.patch(path(id), changes);
  return body;
}

export async function putMember(id, userId, role) {
  const { body } = await api.put(`${path(id)}/participants/${userId}`, role ? { role } : {});
  return body;
}

export const removeMember = (id, userId) => api.delete(`${path(id)}/participants/${userId}`);

/// Makes a group that is there already what is wanted: its name, its picture if there is one, and its members.
export async function bringGroupTo(id, { participantIds, ...changes }) {
  const present = (await loadMembers(id)).map(({ userId }) => userId);
  for (const userId of participantIds) if (!present.includes(userId)) await putMember(id, userId);
  for (const userId of present) if (userId !== store.state.me?.id && !participantIds.includes(userId)) await removeMember(id, userId);
  return changeGroup(id, changes);
}

export const leaveGroup = (id) => api.post(`${path(id)}/leave`);

export async function listInvites(id) {
  const { body } = await api.get(`${path(id)}/invites`);
  return body.items;
}

export async function createInvite(id) {
  const { body } = await api.post(`${path(id)}/invites`, {}, { idempotencyKey: newId() });
  return body;
}

export const endInvite = (id, code) => api.delete(`${path(id)}/invites/${encodeURIComponent(code)}`);

/// The address that an invite is given on as.
export function inviteAddress(code) {
  return `${location.origin}/invite/${encodeURIComponent(code)}`;
}

/// What a role lets a member of the group do.
export function rights(conversation) {
  const isLeader = conversation.me?.role === 'owner' || conversation.me?.role === 'admin';
  const may = (what) => isLeader || conversation.permissions?.[what] === 'everyone';
  return { isLeader, isOwner: conversation.me?.role === 'owner', changeInfo: may('changeInfo'), addMembers: may('addMembers') };
}
