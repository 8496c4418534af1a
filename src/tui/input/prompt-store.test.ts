import { describe, expect, test } from "bun:test";
import type { CommandDefinition } from "../commands/command.ts";
import { CommandRegistry } from "../commands/command-registry.ts";
import type { ChatHost } from "../host/chat-host.ts";
import { draftOf } from "./input-history.ts";
import { PromptStore } from "./prompt-store.ts";
import type { TextEditor } from "./text-editor.ts";
import type { CursorText } from "./vi-keys.ts";

/** A text field in memory. */
class MemoryEditor implements TextEditor {
  #text: CursorText = { text: "", cursor: 0 };
  readonly #past: CursorText[] = [];
  read = (): CursorText => this.#text;
  rows = () => ({ isFirst: true, isLast: true });
  reset({ text, cursor }: CursorText): void {
    this.#text = { text, cursor };
  }
  write(text: CursorText): void {
    this.#past.push(this.#text);
    this.#text = { text: text.text, cursor: text.cursor };
  }
  insert(more: string): void {
    const { text, cursor } = this.#text;
    this.write({ text: text.slice(0, cursor) + more + text.slice(cursor), cursor: cursor + more.length });
  }
  hasSelection = (): boolean => false;
  focus(): void {}
  undo(): void {
    this.#text = this.#past.pop() ?? this.#text;
  }
  moveToLineEnd(): void {
    this.#text = { ...this.#text, cursor: this.#text.text.length };
  }
}

function command(name: string, more: Partial<CommandDefinition> = {}): CommandDefinition {
  return { name, description: name, category: "builtin", execute: () => ({ success: true }), ...more };
}

async function open(host: Partial<ChatHost> = {}) {
  const commands = new CommandRegistry();
  for (const each of [command("model"), command("mode"), command("reviewer", { category: "agent" })])
    commands.register(each);
  const errors: unknown[] = [];
  const store = new PromptStore({ commands, host, onError: (error) => errors.push(error) });
  const editor = new MemoryEditor();
  const detach = store.attach(editor);
  await store.loadHistory();
  const type = (text: string): void => {
    editor.insert(text);
    store.sync();
  };
  const rows = (): readonly string[] => {
    const list = store.list();
    if (list.type === "commands") return list.rows.map(({ name }) => name);
    if (list.type === "mentions") return list.rows.map(({ value }) => value);
    return list.type === "search" ? list.rows.map(({ draft }) => draft.text) : [];
  };
  return { store, editor, detach, commands, errors, type, rows };
}

describe("suggestions", () => {
  test("follow the typed name and the commands that are registered later", async () => {
    const { store, commands, type, rows } = await open();
    type("/m");
    expect(rows()).toEqual(["mode", "model"]);
    commands.register(command("mcp"));
    expect(rows()).toEqual(["mcp", "mode", "model"]);
    type("odel");
    expect(rows()).toEqual(["model"]);
    store.completeCommand("model");
    expect([store.snapshot().draft.text, store.snapshot().hint]).toEqual([
      "/model ",
      { type: "showing-hint", commandName: "model" },
    ]);
  });

  test("the selection moves around the ends, and starts at the top after a key", async () => {
    const { store, type } = await open();
    type("/mo");
    store.select(-1, 2);
    expect([store.snapshot().selected, store.snapshot().hasSelected]).toEqual([1, true]);
    store.select(1, 2);
    expect(store.snapshot().selected).toBe(0);
    type("d");
    expect([store.snapshot().selected, store.snapshot().hasSelected]).toEqual([0, false]);
  });
});

describe("mentions", () => {
  const listFiles = () => Promise.resolve(["src/cart.ts", "README.md"]);

  test("list files and agents; the chosen one is replaced and attached", async () => {
    const { store, type, rows } = await open({ listFiles });
    type("see @");
    expect([rows(), store.list()]).toMatchObject([["reviewer"], { isLoading: true }]);
    await new Promise<void>((resolve) => store.subscribe(resolve));
    expect([rows(), store.list()]).toMatchObject([
      ["reviewer", "src/", "README.md", "src/cart.ts"],
      { isLoading: false },
    ]);
    type("c");
    expect(rows()).toEqual(["src/cart.ts", "src/"]);
    const attachment = { label: "@src/cart.ts", part: { type: "file", path: "/work/src/cart.ts" } } as const;
    store.completeMention("src/cart.ts", attachment);
    expect([store.snapshot().draft, store.list()]).toEqual([
      { text: "see @src/cart.ts ", cursor: 17, attachments: [attachment] },
      { type: "none" },
    ]);
    expect(store.submit()).toEqual({ text: "see @src/cart.ts", attachments: [attachment] });
  });

  test("stay away after Escape until the next one, and in shell commands", async () => {
    const { store, type } = await open({ listFiles });
    type("@s");
    store.dismiss();
    type("r");
    expect(store.snapshot().mention).toBeUndefined();
    type(" @");
    expect(store.snapshot().mention).toEqual({ from: 4, query: "" });
    store.submit();
    type("!mail @");
    expect(store.snapshot().mention).toBeUndefined();
  });

  test("a failure to list files is reported", async () => {
    const { errors, type, store } = await open({ listFiles: () => Promise.reject(new Error("no git")) });
    const ended = new Promise<void>((resolve) => store.subscribe(() => errors.length > 0 && resolve()));
    type("@");
    await ended;
    expect(errors).toEqual([new Error("no git")]);
  });
});

describe("the history", () => {
  const history = { load: () => Promise.resolve(["one", "two", "one"]), append: () => Promise.resolve() };

  test("is walked through, and what was typed is kept", async () => {
    const { store, type, editor } = await open({ history });
    type("draft");
    const steps = ([-1, -1, -1, 1, 1, 1] as const).map((by) => [store.walk(by), editor.read().text, store.isWalking()]);
    expect(steps).toEqual([
      [true, "one", true],
      [true, "two", true],
      [false, "two", true],
      [true, "one", true],
      [true, "draft", false],
      [false, "draft", false],
    ]);
  });

  test("has the messages of this conversation with their attachments", async () => {
    const appended: string[] = [];
    const append = async (message: string): Promise<void> => void appended.push(message);
    const { store } = await open({ history: { ...history, append } });
    const paste = { label: "[pasted text, 2 lines]", part: { type: "text", text: "a\nb" } } as const;
    store.insert("fix ");
    store.insert(paste.label, paste);
    store.submit();
    store.walk(-1);
    expect(store.submit()).toEqual({ text: "fix [pasted text, 2 lines]", attachments: [paste] });
    expect(appended).toEqual(["fix a\nb", "fix a\nb"]);
  });

  test("recalled slash commands open no suggestions", async () => {
    const { store } = await open();
    store.submit("/model");
    store.walk(-1);
    expect([store.snapshot().draft.text, store.list()]).toEqual(["/model", { type: "none" }]);
  });

  test("is searched in place; Escape restores, Enter takes", async () => {
    const { store, type, rows, editor } = await open({ history });
    type("draft");
    store.startSearch();
    expect([editor.read().text, rows()]).toEqual(["", ["one", "two"]]);
    type("w");
    expect(rows()).toEqual(["two"]);
    store.dismiss();
    expect([editor.read(), store.list()]).toEqual([{ text: "draft", cursor: 5 }, { type: "none" }]);
    store.startSearch();
    store.endSearch(draftOf("two"));
    expect([editor.read().text, store.list()]).toEqual(["two", { type: "none" }]);
  });

  test("what cannot be loaded or stored is reported", async () => {
    const failing = {
      load: () => Promise.reject(new Error("unreadable")),
      append: () => Promise.reject(new Error("full")),
    };
    const { store, errors } = await open({ history: failing });
    store.submit("hello");
    await Promise.resolve();
    expect(errors).toEqual([
      new Error("The messages of earlier conversations cannot be read: unreadable", { cause: new Error("unreadable") }),
      new Error("The message is not in the history: full", { cause: new Error("full") }),
    ]);
  });
});

test("the draft outlives its text field", async () => {
  const { store, detach, type, editor } = await open();
  type("half a sen");
  editor.insert("t");
  detach();
  store.insert("ence");
  const next = new MemoryEditor();
  store.attach(next);
  expect(next.read()).toEqual({ text: "half a sentence", cursor: 15 });
});

test("blank texts are not submitted, and control sequences never reach the field", async () => {
  const { store, editor } = await open();
  expect(store.submit(" \n ")).toBeUndefined();
  store.setDraft(draftOf("a\u001b[31mred\u202e"));
  expect(editor.read()).toEqual({ text: "ared", cursor: 4 });
});
