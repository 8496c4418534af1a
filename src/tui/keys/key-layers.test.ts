import { expect, test } from "bun:test";
import { KeyLayers } from "./key-layers.ts";
import type { PressedKey } from "./keymap.ts";

test.each<{ readonly title: string; readonly held: Partial<PressedKey>; readonly received: readonly string[] }>([
  { title: "a letter", held: {}, received: ["a"] },
  { title: "a letter with Super", held: { super: true }, received: [] },
  { title: "a letter with Hyper", held: { hyper: true }, received: [] },
])("$title reaches the layers as $received", ({ held, received }) => {
  const layers = new KeyLayers();
  const names: string[] = [];
  layers.push(({ name }) => names.push(name) > 0, { isModal: true });
  const isUsed = layers.dispatch({ name: "a", ctrl: false, shift: false, meta: false, ...held });
  expect({ isUsed, names }).toEqual({ isUsed: received.length > 0, names: [...received] });
});
