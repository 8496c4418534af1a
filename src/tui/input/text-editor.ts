import type { TextareaRenderable } from "@opentui/core";
import type { CursorText } from "./vi-keys.ts";

/** The text field, as the store of the input uses it. */
export interface TextEditor {
  /** Undefined after the field was destroyed. */
  read(): CursorText | undefined;
  /** Whether the cursor is in the first and in the last visible row of the whole text. */
  rows(): { readonly isFirst: boolean; readonly isLast: boolean };
  /** Sets the text. An undo does not reach what was before. */
  reset(text: CursorText): void;
  /** Replaces the text. An undo brings the old one back. */
  write(text: CursorText): void;
  /** Types a text at the cursor, in place of what is selected. */
  insert(text: string): void;
  undo(): void;
  hasSelection(): boolean;
  /** Receives the keys again, after a click elsewhere. */
  focus(): void;
  /** Moves the cursor to the end of its row. */
  moveToLineEnd(): void;
}

/**
 * The text field of OpenTUI. It counts columns where JavaScript counts UTF-16 units; this class translates by asking for the
 * text up to an offset, since nobody but the field knows how wide it draws a character.
 */
export class TextareaEditor implements TextEditor {
  readonly #textarea: TextareaRenderable;

  constructor(textarea: TextareaRenderable) {
    this.#textarea = textarea;
  }

  read(): CursorText | undefined {
    if (this.#textarea.isDestroyed) return undefined;
    return { text: this.#textarea.plainText, cursor: this.#unitsAt(this.#textarea.cursorOffset) };
  }

  rows(): { readonly isFirst: boolean; readonly isLast: boolean } {
    const { visualCursor, scrollY, editorView } = this.#textarea;
    const row = scrollY + visualCursor.visualRow;
    return { isFirst: row === 0, isLast: row === editorView.getTotalVirtualLineCount() - 1 };
  }

  reset({ text, cursor }: CursorText): void {
    this.#textarea.setText(text);
    this.#textarea.cursorOffset = this.#offsetOf(cursor);
  }

  write({ text, cursor }: CursorText): void {
    if (this.#textarea.plainText !== text) this.#textarea.replaceText(text);
    this.#textarea.cursorOffset = this.#offsetOf(cursor);
  }

  insert(text: string): void {
    this.#textarea.insertText(text);
  }

  hasSelection(): boolean {
    return this.#textarea.hasSelection();
  }

  focus(): void {
    if (!this.#textarea.focused) this.#textarea.focus();
  }

  undo(): void {
    this.#textarea.undo();
    // OpenTUI would keep the height of the text before.
    this.#textarea.getLayoutNode().markDirty();
    this.#textarea.requestRender();
  }

  moveToLineEnd(): void {
    this.#textarea.gotoVisualLineEnd();
  }

  #unitsAt(offset: number): number {
    return offset === 0 ? 0 : this.#textarea.getTextRange(0, offset).length;
  }

  /** The largest offset in the text with at most so many units before it: after both columns of a wide character. */
  #offsetOf(units: number): number {
    let low = 0;
    // A tab has two columns, as a wide character has; nothing has more for each of its units.
    let high = units * 2;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#isInText(middle) && this.#unitsAt(middle) <= units) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #isInText(offset: number): boolean {
    return this.#textarea.editBuffer.offsetToPosition(offset) !== null;
  }
}
