import { type PressedKey, textOf } from "./keymap.ts";

/** Receives keys. Returns whether it used the key: nothing below receives it then. */
export type KeyHandler = (key: PressedKey) => boolean;

/** Settings of a layer. */
export interface KeyLayerOptions {
  /** Keeps all keys from the layers below. @default false */
  readonly isModal?: boolean;
  /** Below all others, whenever it was added: the app's own keys. @default false */
  readonly isBase?: boolean;
}

interface KeyLayer extends KeyLayerOptions {
  readonly handle: KeyHandler;
}

/**
 * The receivers of keys, the newest on top: a dialog over a screen over the app. A modal layer keeps all keys from those
 * below, whether it uses them or not.
 */
export class KeyLayers {
  readonly #layers: KeyLayer[] = [];
  #textAt = Number.NEGATIVE_INFINITY;

  /** When a key was pressed last that types text, wherever it went. In milliseconds since 1970. */
  get textAt(): number {
    return this.#textAt;
  }

  /** Adds a layer on top, or at the bottom. Returns a function that removes it. */
  push(handle: KeyHandler, options: KeyLayerOptions = {}): () => void {
    const layer: KeyLayer = { handle, ...options };
    if (options.isBase === true) this.#layers.unshift(layer);
    else this.#layers.push(layer);
    return () => {
      const index = this.#layers.indexOf(layer);
      if (index !== -1) this.#layers.splice(index, 1);
    };
  }

  /**
   * Offers a key to the layers from the top. Returns whether it was used, or kept by a modal layer.
   *
   * @param at when it was pressed, in milliseconds since 1970. Default: not known
   */
  dispatch(key: PressedKey, at = this.#textAt): boolean {
    if (textOf(key) !== "") this.#textAt = at;
    // Shortcuts of the desktop, such as "select all": they must not count as the letter, which may approve something.
    if (key.super === true || key.hyper === true) return false;
    for (const { handle, isModal = false } of this.#layers.toReversed()) {
      if (handle(key)) return true;
      // The focused input of a modal layer still receives what the layer does not use.
      if (isModal) return false;
    }
    return false;
  }
}
