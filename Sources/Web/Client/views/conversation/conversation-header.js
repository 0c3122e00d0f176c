// The head of a conversation: name, picture, who is there or typing, and the way to its page.

import { watchPresence } from '../../store/presence.js';
import { partnerOf } from '../../store/conversations.js';
import { store } from '../../store/store.js';
import { formatList, t } from '../../text/catalogue.js';
import { avatar, updateAvatar } from '../components/avatar.js';
import { iconButton } from '../components/page.js';
import { chatMenu } from '../chats/chat-menu.js';
import { h, View } from '../element.js';
import { conversationFace, conversationName, personName, typingWords } from '../names.js';
import { presenceWords } from '../people/person-row.js';
import { navigate } from '../router.js';

const mostNames = 6;

class ConversationHeader extends View {
  conversationId = null;

  render() {
    this.classList.add('conversation__header');
    this.dataset.region = '';
    const id = this.conversationId;
    this.face = avatar({ id, name: '' });
    this.name = h('h1', { class: 'conversation__name clip', tabindex: '-1', dir: 'auto' });
    this.about = h('p', { class: 'conversation__about clip', dir: 'auto' });
    this.typing = h('p', { class: 'conversation__typing clip', dir: 'auto', role: 'status' });
    const more = iconButton('more', t('action.more'), () => chatMenu(more, id));
    const back = iconButton('back', t('action.back'), () => navigate('/'));
    back.classList.add('conversation__back');
    const link = h('a', { class: 'conversation__link', href: `/conversations/${id}/info`, 'aria-label': t('conversation.about') });
    this.append(back, h('div', { class: 'conversation__who' }, this.face, h('div', { class: 'conversation__words' }, this.name, this.about, this.typing), link),
      iconButton('search', t('conversation.search'), () => navigate(`/search?conversation=${id}`)), more);
  }

  connected() {
    const id = this.conversationId;
    this.watch(store, (state) => state.conversations.get(id));
    this.watch(store, (state) => state.typing.get(id));
    this.watch(store, (state) => state.presence);
    this.watch(store, (state) => state.usersRevision);
    this.watch(store, (state) => state.connection);
    this.untilDisconnected(() => watchPresence(this, []));
  }

  update() {
    const { state } = store;
    const conversation = state.conversations.get(this.conversationId);
    if (!conversation) return;
    const face = conversationFace(state, conversation);
    updateAvatar(this.face, face);
    write(this.name, conversationName(state, conversation));
    const typing = typingWords(state, conversation);
    write(this.typing, typing);
    this.about.hidden = typing !== '';
    write(this.about, aboutWords(state, conversation));
    this.#watch(conversation);
  }

  #watch(conversation) {
    const partner = partnerOf(conversation, store.state.me?.id);
    const ids = partner ? [partner] : [];
    if (ids.join() === this.watched) return;
    this.watched = ids.join();
    watchPresence(this, ids);
  }
}

function aboutWords(state, conversation) {
  const partner = partnerOf(conversation, state.me?.id);
  if (partner) return presenceWords(state.presence.get(partner));
  const others = (conversation.participants ?? []).filter(({ userId }) => userId !== state.me?.id);
  if (others.length === 0) return t('conversation.members', { count: conversation.participantCount });
  const names = others.slice(0, mostNames).map(({ userId }) => personName(state, userId));
  const rest = conversation.participantCount - names.length - 1;
  if (rest > 0) names.push(t('system.others', { count: rest }));
  return formatList([...names, t('people.youAmong')]);
}

function write(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

customElements.define('parley-conversation-header', ConversationHeader);
