import type { Keymap, PressedKey } from "../keys/keymap.ts";
import type { RowSpace } from "./transcript-cursor.ts";

/** What a key does in the transcript view while the person reads. */
export type TranscriptAction =
  | { readonly type: "leave" | "search" | "copy" | "export" | "comment" | "send" }
  | { readonly type: "move"; readonly delta: number }
  /** To the first or last row. */
  | { readonly type: "jump"; readonly to: "start" | "end" }
  | { readonly type: "match"; readonly delta: 1 | -1 }
  /** To the first line of the next or previous diff. */
  | { readonly type: "change"; readonly delta: 1 | -1 };

const LETTERS: Readonly<Record<string, TranscriptAction>> = {
  "/": { type: "search" },
  y: { type: "copy" },
  e: { type: "export" },
  c: { type: "comment" },
  s: { type: "send" },
  n: { type: "match", delta: 1 },
  N: { type: "match", delta: -1 },
  j: { type: "move", delta: 1 },
  k: { type: "move", delta: -1 },
  g: { type: "jump", to: "start" },
  G: { type: "jump", to: "end" },
};

/** What a key does while the person reads. Undefined for a key that does nothing here. */
export function actionOf(key: PressedKey, keymap: Keymap, { height }: RowSpace): TranscriptAction | undefined {
  const page = Math.max(1, height - 2);
  if (keymap.matches("stop", key) || keymap.matches("transcript", key)) return { type: "leave" };
  if (keymap.matches("previous", key)) return { type: "move", delta: -1 };
  if (keymap.matches("next", key)) return { type: "move", delta: 1 };
  if (keymap.matches("pageUp", key)) return { type: "move", delta: -page };
  if (keymap.matches("pageDown", key)) return { type: "move", delta: page };
  if (keymap.matches("follow", key)) return { type: "jump", to: "end" };
  if (key.ctrl || key.meta) return undefined;
  if (key.name === "home") return { type: "jump", to: "start" };
  if (key.name === "tab") return { type: "change", delta: key.shift ? -1 : 1 };
  const letter = key.name.length === 1 && key.shift ? key.name.toUpperCase() : key.name;
  return Object.hasOwn(LETTERS, letter) ? LETTERS[letter] : LETTERS[key.sequence ?? ""];
}
