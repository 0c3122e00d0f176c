// A conversation: who it is with, the messages, and where one writes.

import { blocksKnown } from '../../store/blocks.js';
import { openTimeline } from '../../store/history.js';
import { onRefusal } from '../../store/outbox-sending.js';
import { fetchConversation } from '../../store/one-conversation.js';
import { drawn } from '../../store/drawn.js';
import { refreshStars } from '../../store/stars.js';
import { store } from '../../store/store.js';
import { containing } from '../../store/timeline.js';
import { observeArrivals } from '../../store/arrivals.js';
import { t } from '../../text/catalogue.js';
import { problemWords } from '../components/field.js';
import { icon } from '../components/icon.js';
import { empty } from '../components/page.js';
import { toast } from '../components/toast.js';
import { attempt } from '../components/tried.js';
import { announce } from '../announcer.js';
import { showTitle } from '../attention.js';
import { h, View } from '../element.js';
import { conversationName, personName, summaryWords } from '../names.js';
import { currentRoute } from '../router.js';
import { focusStop } from '../roving.js';
import { closedWords } from './closed-words.js';
import './composer.js';
import './conversation-header.js';
import './message-list.js';
import { acceptDrops } from './file-inputs.js';
import { PinBar } from './pin-bar.js';

/// For so long the text of a refused change is offered to who is writing something else, in milliseconds.
const refusalTime = 60_000;

export default class ConversationScreen extends View {
  static pane = 'detail';
  static title = () => t('chats.title');
  #isSettled = false;

  get id() {
    return this.params.id;
  }

  render() {
    this.classList.add('conversation');
    this.header = document.createElement('parley-conversation-header');
    this.pins = new PinBar(this.id, (id) => this.#show(id));
    this.messages = document.createElement('parley-messages');
    this.composer = document.createElement('parley-composer');
    this.closed = h('p', { class: 'conversation__closed', role: 'status', tabindex: '-1', hidden: true });
    for (const part of [this.header, this.messages, this.composer]) part.conversationId = this.id;
    this.append(this.header, this.pins.node, this.messages, this.composer, this.closed);
    acceptDrops(this, (files) => !this.composer.hidden && this.composer.addFiles(files));
  }

  connected() {
    this.watch(store, (state) => state.conversations.get(this.id));
    this.watch(store, (state) => state.timelines.get(this.id), (timeline) => this.pins.changed(timeline));
    this.watch(store, (state) => state.usersRevision);
    this.watch(store, (state) => state.blocks);
    this.watch(store, (state) => state.connection, (connection) => connection === 'online' && this.#refresh());
    this.watch(store, (state) => needsPage(state.timelines.get(this.id)), (needs) => needs && this.#isSettled && this.#refresh());
    this.listen(this, 'sent', attempt(() => this.#sent()));
    this.listen(this, 'toolong', () => toast(t('conversation.tooLong'), { kind: 'error' }));
    this.listen(this, 'editlast', () => this.messages.lastOwn() && this.composer.edit(this.messages.lastOwn()));
    this.listen(this, 'showmessage', ({ detail }) => this.#showAndFocus(detail.id));
    this.listen(document, 'answermessage', ({ detail }) => this.composer.answer(detail));
    this.listen(document, 'editmessage', ({ detail }) => this.composer.edit(detail));
    this.listen(this, 'keydown', (event) => this.#onKey(event));
    this.untilDisconnected(onRefusal((row, problem) => row.conversationId === this.id && this.#refused(row, problem)));
    this.untilDisconnected(observeArrivals((arrival) => this.#arrived(arrival)));
    this.#begin();
  }

  /// The same screen may be asked to show a message; another conversation is another screen's.
  routeChanged(params, query) {
    if (params.id !== this.id) return false;
    if (query.get('message')) this.#show(query.get('message'));
    return true;
  }

  async #begin() {
    const focused = document.activeElement;
    await openTimeline(this.id);
    if (!store.state.conversations.has(this.id) && !(await this.#find())) return;
    // A link may lead here before there is a list.
    await blocksKnown();
    const messageId = this.query.get('message');
    const refreshed = messageId || this.#needsPage() ? this.#refresh() : null;
    if (messageId) await this.#show(messageId);
    else await this.#showUnread(refreshed);
    await drawn();
    if (!this.isConnected) return;
    // What is known is on the screen: now comes all that may have changed since.
    if (!refreshed) this.#refresh();
    this.#isSettled = true;
    this.messages.beginReading();
    this.pins.load();
    refreshStars();
    // Who has gone elsewhere meanwhile, as to search, stays there.
    if (this.focusesItself && [focused, document.body, this.header.name].includes(document.activeElement)) this.composer.focusText();
  }

  /// Whether it puts the focus where one writes, if one may: not where that brings up a keyboard over the messages.
  get focusesItself() {
    return !matchMedia('(hover: none)').matches;
  }

  get #firstUnread() {
    const conversation = store.state.conversations.get(this.id);
    return conversation.unreadCount > 0 ? conversation.firstUnreadSeq : null;
  }

  // Whether what is to be shown first is not known.
  #needsPage() {
    const timeline = store.state.timelines.get(this.id);
    const first = this.#firstUnread;
    return !timeline || needsPage(timeline) || (first && !containing(timeline.segments, first));
  }

  // A conversation that is not in the list, as one that was cleared, or that a link leads to.
  async #find() {
    try {
      await fetchConversation(this.id);
      this.update();
      return true;
    } catch (problem) {
      const words = problem.status === 404 ? t('conversation.notFound') : problemWords(problem);
      const way = h('a', { class: 'button', href: '/' }, t('chats.title'));
      const hadFocus = document.activeElement === document.body || this.contains(document.activeElement);
      this.replaceChildren(empty({ icon: 'chats', title: words, action: way }));
      if (hadFocus) way.focus();
      return false;
    }
  }

  // The newest page is brought anew each time: what is kept may be old. Without a connection what is kept has to do.
  #refresh() {
    return this.messages.refresh();
  }

  // Where the unread begin, else the newest. What is known already shows without waiting.
  async #showUnread(refreshed) {
    const first = this.#firstUnread;
    this.messages.unreadFrom = first;
    if (refreshed) await Promise.race([refreshed, new Promise((resolve) => setTimeout(resolve, 2_000))]);
    if (first && (await this.#showSeq(first, store.state.timelines.get(this.id)))) return;
    await this.messages.showNewest().catch(() => this.messages.update());
  }

  async #showSeq(seq, timeline) {
    const known = [...(timeline?.messages.values() ?? [])].find((message) => message.seq === seq);
    try {
      return await this.messages.showMessage(known?.id ?? null, { seq, isMarked: false });
    } catch {
      return false;
    }
  }

  async #show(id) {
    try {
      if (!(await this.messages.showMessage(id))) toast(t('conversation.messageGone'));
    } catch (problem) {
      toast(problem.status === 404 ? t('conversation.messageGone') : problemWords(problem), { kind: 'error' });
    }
  }

  // Where the focus was is not in the page any more, where the way was far.
  async #showAndFocus(id) {
    await this.#show(id);
    const row = this.messages.rowOf(id);
    if (row && (document.activeElement === document.body || this.messages.contains(document.activeElement))) focusStop(this.messages.list, row);
  }

  // The text of a change that was refused is not lost; it comes between nobody and what is being written.
  #refused(row, problem) {
    const isChange = row.kind === 'edit';
    const isFree = this.composer.isFree;
    if (isChange && isFree) this.composer.takeUpDraft();
    const action = { label: t('action.edit'), run: () => this.composer.editAgain(row) };
    toast(problemWords(problem), { kind: 'error', ...(isChange && !isFree ? { action, time: refusalTime } : {}) });
  }

  #sent() {
    this.messages.unreadFrom = null;
    return this.messages.showNewest();
  }

  update() {
    const { state } = store;
    const conversation = state.conversations.get(this.id);
    if (!conversation) return;
    // It may be beside a search, whose title stands then.
    if (currentRoute().params.id === this.id) showTitle(conversationName(state, conversation));
    const reason = closedWords(state, conversation);
    const wasWriting = reason !== null && this.composer.contains(document.activeElement);
    this.composer.hidden = reason !== null;
    this.closed.hidden = reason === null;
    if (this.closed.textContent !== (reason ?? '')) this.closed.textContent = reason ?? '';
    if (wasWriting) this.closed.focus();
  }

  // Those who listen are told of what comes in the conversation that they are in; the list itself is silent.
  #arrived({ conversationId, message }) {
    const { me, blocks } = store.state;
    if (conversationId !== this.id || message.senderId === me?.id || message.kind === 'system' || blocks.has(message.senderId)) return;
    announce(`${personName(store.state, message.senderId)}: ${summaryWords(message)}`);
  }

  #onKey(event) {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    const isInList = this.messages.contains(event.target);
    if (!isInList) return;
    event.preventDefault();
    event.stopPropagation();
    this.composer.focusText();
  }
}

function needsPage(timeline) {
  return timeline !== undefined && (timeline.isStale || timeline.segments.length === 0);
}

customElements.define('parley-conversation', ConversationScreen);
