// The messages of a conversation: a window of rows over what is known, brought on from both ends, that keeps the reader's
// place whatever is added, changed or taken away around it.

import { loadAround, loadNewer, loadNewest, loadOlder, trimAround } from '../../store/history.js';
import { store } from '../../store/store.js';
import { containing, listOfSegment, newest, placeOf } from '../../store/timeline.js';
import { t } from '../../text/catalogue.js';
import { attempt } from '../components/tried.js';
import { h, keyed, View } from '../element.js';
import { onceAfterFrame, onceInFrame, onceWhenIdle } from '../idle.js';
import { dayNow } from '../passing-time.js';
import { focusStop, keepTabStop } from '../roving.js';
import { JumpButton } from './jump-button.js';
import { ListEnds } from './list-ends.js';
import { updateMessageRow } from './message-row.js';
import { ReadMark } from './read-mark.js';
import { onRowKey } from './row-controls.js';
import { fewRows, nearby, usualRow } from './row-limits.js';
import { RowTools } from './row-tools.js';
import { RowWindow } from './row-window.js';
import { entriesOf } from './rows.js';
import { ScrollAnchor } from './scroll-anchor.js';
import { SpareRows } from './spare-rows.js';

export class MessageList extends View {
  conversationId = null;
  #rows = new RowWindow();
  #place = null; // a number in the segment that is shown; null: that with the newest
  #isScheduled = false;
  #segment = null;
  #isFilling = false;
  #spare = new SpareRows();
  unreadFrom = null;
  // At the end nothing is asked of the layout before a frame makes it: once, for all that has changed until then.
  #settleInFrame = onceInFrame(() => this.isConnected && this.#settle());
  #fillAfterFrame = onceAfterFrame(() => this.#fillOn());
  // Rows that go above move all the others: many at once, and seldom, and not while something waits to be shown.
  #trimWhenIdle = onceWhenIdle(() => this.isConnected && this.#trim(), { timeout: 1_000 });

  render() {
    this.classList.add('messages');
    this.dataset.region = '';
    this.ends = new ListEnds(() => this.refresh());
    this.list = h('ul', { class: 'messages__list', 'aria-label': t('conversation.messages') });
    this.room = h('div', { class: 'messages__room', 'aria-hidden': 'true' });
    this.inner = h('div', { class: 'messages__inner' }, this.room, this.ends.top, this.list, this.ends.bottom);
    this.box = h('div', { class: 'messages__scroll' }, this.inner);
    this.tools = new RowTools(this.list);
    this.anchor = new ScrollAnchor(this.box, this.list, this.room);
    this.mark = new ReadMark(this.box, this.list);
    this.jump = new JumpButton(attempt(() => this.showNewest()), this.box);
    this.append(this.box, this.jump.node);
    this.list.addEventListener('keydown', (event) => onRowKey(event, this.list));
  }

  connected() {
    this.watch(store, (state) => state.timelines.get(this.conversationId), () => this.#schedule());
    this.watch(store, (state) => state.outbox.get(this.conversationId), () => this.#schedule());
    this.watch(store, (state) => state.conversations.get(this.conversationId), () => this.#schedule());
    this.watch(store, (state) => state.usersRevision, () => this.#schedule());
    this.watch(store, (state) => state.blocks, () => this.#schedule());
    this.watch(store, (state) => state.stars, () => this.#schedule());
    this.watch(store, dayNow, () => this.#schedule());
    this.watch(store, (state) => state.connection, () => this.#retryEnds());
    this.listen(this.box, 'scroll', onceInFrame(() => this.#scrolled()), { passive: true });
    this.listen(document, 'visibilitychange', () => this.mark.advance(this.conversationId));
    const observer = new ResizeObserver((changes) => {
      this.#rows.height = changes.find(({ target }) => target === this.box)?.contentRect.height ?? this.#rows.height;
      this.anchor.restore();
      this.mark.advance(this.conversationId);
    });
    // Not what they stand in: its height changes with the room above them, in answer to this.
    for (const part of [this.box, this.ends.top, this.list, this.ends.bottom]) observer.observe(part);
    this.untilDisconnected(() => observer.disconnect());
  }

  #schedule() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => this.#isScheduled && this.isConnected && this.update());
  }

  update() {
    this.#isScheduled = false;
    if (!store.state.timelines.has(this.conversationId)) return;
    this.anchor.keep();
    this.#rows.slide(this.#read(), { isAtEnd: this.anchor.isAtEnd });
    this.#draw();
    if (this.anchor.isAtEnd) this.#settleInFrame();
    else this.#settle();
  }

  // Finds the segment that is shown, and returns the entries of what is known of it.
  #read() {
    const { state } = store;
    const timeline = state.timelines.get(this.conversationId);
    this.#segment = this.#place === null ? newest(timeline.segments) ?? timeline.segments.at(-1) ?? null : containing(timeline.segments, this.#place) ?? newest(timeline.segments);
    const isNewest = !this.#segment || !this.#segment.hasNewer;
    const messages = this.#segment ? listOfSegment(timeline, this.#segment) : [];
    return entriesOf(messages, isNewest ? state.outbox.get(this.conversationId) ?? [] : [], { me: state.me.id, unreadFrom: this.unreadFrom });
  }

  #settle() {
    this.anchor.restore();
    this.#afterDrawing();
  }

  #trim() {
    this.anchor.restore();
    if (!this.#isLongAtEnd) return;
    this.#rows.trimAtEnd();
    this.#draw();
    this.anchor.toEnd();
  }

  get #isLongAtEnd() {
    return this.#isAtNewest() && this.#rows.isLong;
  }

  #draw() {
    const conversation = store.state.conversations.get(this.conversationId);
    const focused = document.activeElement.closest('.messages__list > *');
    const at = focused ? [...this.list.children].indexOf(focused) : -1;
    keyed(this.list, this.#rows.shown, (entry) => entry.id, (entry) => this.#spare.take(entry), (row, entry) => updateMessageRow(row, entry, conversation));
    if (focused?.isConnected === false) this.#focusRow(at);
    keepTabStop(this.list);
    this.tools.request();
    this.anchor.missing = usualRow * (this.#rows.start + (this.#segment?.hasOlder ? Math.max(this.#segment.from, 1) : 0));
    this.#drawEnds();
  }

  // Who was at a row that has gone is at the one that stands in its place.
  #focusRow(index) {
    const row = this.list.children[index] ?? this.list.lastElementChild;
    if (row) focusStop(this.list, row);
  }

  #drawEnds() {
    const isBeginning = this.#rows.start === 0 && this.#segment?.hasOlder === false;
    const { isStale = false } = store.state.timelines.get(this.conversationId) ?? {};
    this.ends.show({ isBeginning, hasNewer: this.#segment?.hasNewer === true, isEmpty: !this.#segment, needsNewest: isStale || !this.#segment });
  }

  #afterDrawing() {
    const conversation = store.state.conversations.get(this.conversationId);
    const isShowingEnd = this.#isAtNewest();
    // The button goes: who has come by it and by keys goes on from there.
    if (isShowingEnd && this.jump.node.matches(':focus-visible')) focusStop(this.list, this.list.lastElementChild);
    this.jump.show({ isHidden: isShowingEnd, count: conversation?.unreadCount ?? 0 });
    this.mark.advance(this.conversationId);
    this.#fill();
    if (this.#isLongAtEnd) this.#trimWhenIdle();
  }

  #isAtNewest() {
    return this.anchor.isAtEnd && this.#hasNewest();
  }

  #hasNewest() {
    return this.#rows.hasLast && !this.#segment?.hasNewer;
  }

  #scrolled() {
    this.anchor.note();
    // What comes at the end scrolls there, too, and may not keep on coming between.
    if (!this.anchor.isAtEnd) this.tools.postpone();
    this.#afterDrawing();
  }

  #fillOn() {
    this.#isFilling = false;
    this.#fill();
  }

  // Brings more rows, or more messages, where an end is near; rows once in a frame.
  #fill() {
    if (this.#isFilling || !this.isConnected || this.box.clientHeight === 0 || this.#rows.entries.length === 0) return;
    if (this.anchor.above < nearby) this.#extendUp();
    if (this.anchor.below < nearby) this.#extendDown();
  }

  #extendUp() {
    if (this.#rows.start > 0) this.#move(() => this.#rows.growUp());
    if (this.#rows.start < fewRows && this.#segment?.hasOlder && this.ends.isFree('older')) {
      this.#bring('older', loadOlder(this.conversationId, this.#segment));
    }
  }

  #extendDown() {
    if (!this.#rows.hasLast) {
      this.#move(() => this.#rows.growDown());
    } else if (this.#segment?.hasNewer && this.ends.isFree('newer')) {
      this.#bring('newer', loadNewer(this.conversationId, this.#segment));
    }
  }

  #move(grow) {
    this.anchor.keep();
    grow();
    this.#draw();
    this.anchor.restore();
    const middle = this.#rows.middle?.message;
    if (middle) {
      // What is shown is found by a number in it, also when other segments come and go.
      if (this.#place !== null || !this.#rows.hasLast) this.#place = placeOf(middle) || this.#place;
      trimAround(this.conversationId, placeOf(middle));
    }
    this.#spare.prepare(this.#rows.next, store.state.conversations.get(this.conversationId));
    this.#isFilling = true;
    requestAnimationFrame(() => this.#fillOn());
  }

  async #bring(end, promise) {
    if (!(await this.ends.bring(end, promise))) this.#drawEnds();
    // It may not have been enough.
    requestAnimationFrame(() => this.#fill());
  }

  #retryEnds() {
    if (store.state.connection !== 'online') return;
    this.ends.retry();
    this.#schedule();
  }

  /// Brings the newest page anew, as what is kept may be old. Resolves to whether it has come: where it is needed and has not,
  /// words say so.
  async refresh() {
    const hadFocus = this.ends.bottom.contains(document.activeElement);
    const hasCome = await this.ends.bring('newest', loadNewest(this.conversationId));
    if (this.isConnected) this.#drawEnds();
    if (hadFocus && hasCome) queueMicrotask(() => this.#focusRow(-1));
    return hasCome;
  }

  /// Goes to the newest message, also from far away. Throws ApiProblem, and stays, where that cannot be had.
  async showNewest() {
    const timeline = store.state.timelines.get(this.conversationId);
    if (!timeline || !newest(timeline.segments)) await loadNewest(this.conversationId);
    this.#place = null;
    if (this.#rows.entries.length > 0 && this.#hasNewest()) {
      // The rows stay; what is new joins them when the store tells it, in the same frame.
      this.anchor.stickToEnd();
      this.#schedule();
      return;
    }
    this.#rows.entries = [];
    this.anchor.stickToEnd();
    this.update();
    this.anchor.toEnd();
    this.#afterDrawing();
  }

  /// Goes to a message by its id, or to where the unread begin; false where there is no such message.
  async showMessage(id, { seq = null, isMarked = true } = {}) {
    let message = store.state.timelines.get(this.conversationId)?.messages.get(id);
    if (!message) {
      const page = await loadAround(this.conversationId, id ?? String(seq));
      message = id ? page.items.find((item) => item.id === id) : page.items.find((item) => item.seq === seq) ?? page.items.at(-1);
    }
    if (!message) return false;
    this.#place = placeOf(store.state.timelines.get(this.conversationId).messages.get(message.id) ?? message);
    this.anchor.unstick();
    this.#rows.entries = this.#read();
    const at = this.#rows.entries.findIndex((entry) => entry.id === message.id);
    if (at < 0) {
      this.#rows.entries = [];
      this.update();
      return false;
    }
    const part = isMarked ? 0.35 : 0.2;
    this.#rows.moveTo(at, part);
    this.#isScheduled = false;
    this.#draw();
    this.anchor.toRow(this.rowOf(message.id), part);
    // What is on the screen first.
    this.#isFilling = true;
    this.#fillAfterFrame();
    this.#afterDrawing();
    if (isMarked) this.rowOf(message.id)?.mark();
    return true;
  }

  rowOf(id) {
    return this.list.keyedChildren?.get(id) ?? null;
  }

  /// The last message of this person that may be edited.
  lastOwn() {
    return this.#rows.entries.findLast(({ message }) => message.senderId === store.state.me.id && message.kind !== 'system' && !message.deletedAt && !message.forwardedFrom && message.text)?.message;
  }

  /// What is on the screen counts as read from now on.
  beginReading() {
    this.mark.begin(this.conversationId);
  }
}

customElements.define('parley-messages', MessageList);
