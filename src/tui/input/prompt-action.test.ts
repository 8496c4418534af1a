import { describe, expect, test } from "bun:test";
import { Keymap, type PressedKey, parseKey } from "../keys/keymap.ts";
import { actionOf, type PromptAction, type PromptSituation } from "./prompt-action.ts";

const PLAIN: PromptSituation = {
  keymap: new Keymap(),
  text: "fix it",
  cursor: 6,
  attachments: [],
  list: "none",
  rowCount: 0,
  hint: "idle",
  vi: undefined,
  isFirstRow: true,
  isLastRow: true,
  hasSelection: false,
  isWalking: false,
  queueLength: 0,
  heldCount: 0,
};

function press(key: string, situation: Partial<PromptSituation> = {}): PromptAction | undefined {
  const pressed: PressedKey = parseKey(key) ?? { name: key, ctrl: false, shift: false, meta: false };
  return actionOf(pressed, { ...PLAIN, ...situation });
}

/** The cases with titles such as `enter on "a\\"`. */
function titled(cases: readonly Case[]): (Case & { readonly title: string })[] {
  return cases.map((each) => ({ ...each, title: `${each.key} ${JSON.stringify(each.situation ?? {})}` }));
}

interface Case {
  readonly key: string;
  readonly situation?: Partial<PromptSituation>;
  readonly action: PromptAction | undefined;
}

describe("in the text", () => {
  test.each(
    titled([
      { key: "enter", action: { type: "submit" } },
      { key: "kpenter", action: { type: "submit" } },
      { key: "enter", situation: { text: "", cursor: 0, heldCount: 1 }, action: { type: "send-held" } },
      { key: "enter", situation: { heldCount: 1 }, action: { type: "submit" } },
      { key: "enter", situation: { text: "a\\", cursor: 2 }, action: { type: "continue-line" } },
      { key: "shift+enter", action: { type: "new-line" } },
      { key: "alt+enter", action: { type: "new-line" } },
      { key: "ctrl+j", action: { type: "new-line" } },
      { key: "ctrl+s", action: { type: "steer" } },
      { key: "ctrl+r", action: { type: "search" } },
      { key: "ctrl+g", action: { type: "edit-outside" } },
      { key: "ctrl+v", action: { type: "attach-image" } },
      { key: "?", situation: { text: "", cursor: 0 }, action: { type: "help" } },
      { key: "?", action: undefined },
      { key: "escape", action: undefined },
      { key: "escape", situation: { hint: "showing-hint" }, action: { type: "dismiss" } },
      { key: "escape", situation: { hint: "showing-suggestions" }, action: undefined },
      { key: "end", action: { type: "line-end" } },
      { key: "end", situation: { text: "", cursor: 0 }, action: undefined },
      { key: "ctrl+c", action: { type: "clear" } },
      {
        key: "ctrl+c",
        situation: { list: "commands", rowCount: 2, hint: "showing-suggestions" },
        action: { type: "clear" },
      },
      { key: "ctrl+c", situation: { list: "search" }, action: { type: "dismiss" } },
      { key: "ctrl+c", situation: { text: "", cursor: 0 }, action: undefined },
      { key: "tab", action: undefined },
      { key: "x", action: undefined },
    ]),
  )("$title", ({ key, situation, action }) => {
    expect(press(key, situation)).toEqual(action);
  });
});

describe("up and down", () => {
  test.each(
    titled([
      { key: "up", action: { type: "walk", by: -1 } },
      { key: "up", situation: { isFirstRow: false }, action: undefined },
      { key: "up", situation: { text: "", cursor: 0, queueLength: 2 }, action: { type: "edit-queued" } },
      {
        key: "up",
        situation: { text: "", cursor: 0, queueLength: 2, isWalking: true },
        action: { type: "walk", by: -1 },
      },
      { key: "up", situation: { queueLength: 2 }, action: { type: "walk", by: -1 } },
      { key: "alt+up", situation: { queueLength: 1 }, action: { type: "edit-queued" } },
      { key: "alt+up", action: undefined },
      { key: "down", action: undefined },
      { key: "down", situation: { isWalking: true }, action: { type: "walk", by: 1 } },
      { key: "down", situation: { isWalking: true, isLastRow: false }, action: undefined },
    ]),
  )("$title", ({ key, situation, action }) => {
    expect(press(key, situation)).toEqual(action);
  });
});

describe("in a list", () => {
  const list: Partial<PromptSituation> = {
    list: "commands",
    rowCount: 2,
    hint: "showing-suggestions",
    text: "/m",
    cursor: 2,
  };
  test.each<Case>([
    { key: "up", action: { type: "select", by: -1 } },
    { key: "down", action: { type: "select", by: 1 } },
    { key: "tab", action: { type: "complete" } },
    { key: "enter", action: { type: "accept" } },
    { key: "escape", action: { type: "dismiss" } },
    { key: "shift+enter", action: { type: "new-line" } },
    { key: "o", action: undefined },
  ])("$key", ({ key, action }) => {
    expect(press(key, list)).toEqual(action);
  });

  test("without rows, the keys mean what they mean in the text", () => {
    const keys = ["up", "tab", "enter", "escape"].map((key) => press(key, { ...list, rowCount: 0 }));
    expect(keys).toEqual([{ type: "walk", by: -1 }, undefined, { type: "submit" }, undefined]);
  });
});

test.each<Case>([
  { key: "enter", action: { type: "accept" } },
  { key: "tab", action: { type: "accept" } },
  { key: "escape", action: { type: "dismiss" } },
  { key: "ctrl+r", action: { type: "select", by: 1 } },
  { key: "down", action: { type: "select", by: 1 } },
  { key: "up", action: { type: "select", by: -1 } },
  { key: "shift+enter", action: { type: "nothing" } },
  { key: "?", action: undefined },
  { key: "x", action: undefined },
])("in the search of the history, $key", ({ key, action }) => {
  expect(press(key, { list: "search", rowCount: 0, text: "", cursor: 0 })).toEqual(action);
});

test("one key removes the whole label before or after the cursor", () => {
  const attachments = [{ label: "[image 1]", part: { type: "image", mimeType: "image/png", data: "" } }] as const;
  const at = (cursor: number) => ({ text: "a [image 1] b", cursor, attachments });
  const range = { from: 2, to: 11 };
  expect([
    press("backspace", at(11)),
    press("delete", at(2)),
    press("backspace", at(10)),
    press("ctrl+backspace", at(11)),
    press("backspace", { ...at(11), hasSelection: true }),
  ]).toEqual([{ type: "delete", range }, { type: "delete", range }, undefined, undefined, undefined]);
});

test("with vi keys, letters are commands in the normal mode, and Escape first closes the list", () => {
  const normal = { mode: "normal", pending: "" } as const;
  const insert = { mode: "insert", pending: "" } as const;
  expect([
    press("x", { vi: normal, cursor: 5 }),
    press("x", { vi: insert }),
    press("escape", { vi: insert }),
    press("escape", { vi: insert, list: "commands", rowCount: 1 }),
    press("escape", { vi: normal }),
    press("enter", { vi: normal }),
  ]).toEqual([
    { type: "vi", result: { vi: normal, text: "fix i", cursor: 4 } },
    undefined,
    { type: "vi", result: { vi: normal, text: "fix it", cursor: 5 } },
    { type: "dismiss" },
    undefined,
    { type: "submit" },
  ]);
});
