import { expect, test } from "bun:test";
import { KeyLayers } from "./key-layers.ts";
import { Keymap, type PressedKey, parseKey } from "./keymap.ts";

function pressed(name: string, held: Partial<PressedKey> = {}): PressedKey {
  return { name, ctrl: false, shift: false, meta: false, ...held };
}

test.each([
  { text: "enter", key: pressed("return") },
  { text: "Ctrl+O", key: pressed("o", { ctrl: true }) },
  { text: "alt+shift+up", key: pressed("up", { meta: true, shift: true }) },
  { text: "esc", key: pressed("escape") },
  { text: "+", key: pressed("+") },
  { text: "hyper+x", key: undefined },
  { text: "ctrl+", key: undefined },
  { text: "", key: undefined },
])("the key $text is read", ({ text, key }) => {
  expect(parseKey(text)).toEqual(key);
});

test("an action has its default keys, or those of the settings instead", () => {
  const keymap = new Keymap({ stop: "ctrl+x", newLine: ["f2", "alt+enter"] });
  expect(keymap.matches("stop", pressed("x", { ctrl: true }))).toBe(true);
  expect(keymap.matches("stop", pressed("escape"))).toBe(false);
  expect(keymap.matches("newLine", pressed("return", { meta: true }))).toBe(true);
  expect(keymap.matches("send", pressed("return"))).toBe(true);
  expect(keymap.matches("send", pressed("return", { shift: true }))).toBe(false);
  expect([keymap.labelOf("stop"), keymap.labelOf("transcript")]).toEqual(["ctrl+x", "ctrl+o"]);
});

test("Ctrl+J is recognised in terminals that send a line feed, and ? with or without Shift", () => {
  const keymap = new Keymap();
  expect(keymap.matches("newLine", pressed("linefeed"))).toBe(true);
  expect(keymap.matches("help", pressed("?"))).toBe(true);
  expect(keymap.matches("help", pressed("/", { shift: true, sequence: "?" }))).toBe(true);
});

test("an unknown action and an unreadable key are named", () => {
  expect(() => new Keymap({ stopp: "x" })).toThrow(
    'The setting ui.keys.stopp does not exist. Did you mean "stop"? Actions: send, newLine, stop, quit, complete, previous, next, searchHistory, transcript, tasks, editor, copy, model, inbox, runs, steer, editQueue, attachImage, fold, pageUp, pageDown, follow, suspend, help.',
  );
  expect(() => new Keymap({ stop: "hyper+x" })).toThrow(
    'The setting ui.keys.stop is "hyper+x", which is no key. Write it like ctrl+o, alt+enter or f2.',
  );
});

test.each([
  {
    keys: { copy: "a" },
    message: 'The setting ui.keys.copy is "a", which is typed into the input. Add ctrl or alt, such as ctrl+a.',
  },
  {
    keys: { send: ["enter", "shift+x"] },
    message: 'The setting ui.keys.send is "shift+x", which is typed into the input. Add ctrl or alt, such as ctrl+x.',
  },
  {
    keys: { stop: "space" },
    message: 'The setting ui.keys.stop is "space", which is typed into the input. Add ctrl or alt.',
  },
  {
    keys: { send: [] },
    message: "The setting ui.keys.send is an empty list: no message could be sent. Name a key, such as enter.",
  },
])("keys that would take away typing or sending are errors: $keys", ({ keys, message }) => {
  expect(() => new Keymap(keys)).toThrow(message);
});

test("an action of which all keys are taken away says so", () => {
  const keymap = new Keymap({ copy: [], help: "h" });
  expect(keymap.actionsWithoutKey()).toEqual(["copy"]);
  expect([keymap.labelOf("copy"), keymap.labelOf("help")]).toEqual(["(no key)", "h"]);
});

test("a changed key that another action has is an error, unless that one is changed, too", () => {
  expect(() => new Keymap({ editor: "ctrl+c" })).toThrow(
    'The setting ui.keys.editor is "ctrl+c", which is the key of "quit" already.',
  );
  expect(new Keymap({ editor: "ctrl+c", quit: "ctrl+q" }).keysOf("editor")).toEqual(["ctrl+c"]);
});

test("the newest layer receives a key first, and a modal one keeps it from those below", () => {
  const seen: string[] = [];
  const layers = new KeyLayers();
  const removeView = layers.push(({ name }) => {
    seen.push("view");
    return name === "a";
  });
  // Added later, and still below the view.
  layers.push(() => seen.push("app") > 0, { isBase: true });
  layers.dispatch(pressed("a"));
  layers.dispatch(pressed("b"));
  const removeDialog = layers.push(
    () => {
      seen.push("dialog");
      return false;
    },
    { isModal: true },
  );
  expect(layers.dispatch(pressed("a"))).toBe(false);
  removeDialog();
  removeView();
  expect(layers.dispatch(pressed("a"))).toBe(true);
  expect(seen).toEqual(["view", "view", "app", "dialog", "app"]);
});
