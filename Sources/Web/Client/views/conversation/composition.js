// What is being written: a message, which may answer another one; or a change of a message, for whose time that is put aside.

export class Composition {
  /// The message that is answered, and the one that is changed.
  replyTo = null;
  editing = null;
  #field;
  #isTyped = false; // whether what is there was typed here, and taken from no draft
  #aside = null; // what was there before a change of a message began: {text, isTyped, replyTo}

  constructor(field) {
    this.#field = field;
  }

  /// The message, {text, isTyped, replyTo}, also while it is put aside.
  get message() {
    return this.#aside ?? { text: this.#field.value, isTyped: this.#isTyped, replyTo: this.replyTo };
  }

  set message(message) {
    if (this.#aside) this.#aside = message;
    else this.#show(message);
  }

  /// Whether something was typed into a change of a message.
  get isEditChanged() {
    const words = this.#field.value.trim();
    return this.editing !== null && words !== '' && words !== this.editing.text?.trim();
  }

  #show({ text, isTyped, replyTo }) {
    if (this.#field.value !== text) this.#field.value = text;
    this.#isTyped = isTyped;
    this.replyTo = replyTo;
  }

  typed() {
    this.#isTyped = true;
  }

  beginEdit(message, text) {
    this.#aside ??= this.message;
    this.editing = message;
    this.#show({ text, isTyped: false, replyTo: null });
  }

  endEdit() {
    if (!this.editing) return;
    const message = this.#aside;
    this.#aside = null;
    this.editing = null;
    this.#show(message);
  }
}
