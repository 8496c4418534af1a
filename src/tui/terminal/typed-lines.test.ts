import { describe, expect, test } from "bun:test";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { FakeProcess } from "../fixtures/fake-process.ts";
import type { TerminalProcess } from "./terminal-process.ts";
import { TypedLines } from "./typed-lines.ts";

/** A terminal that keeps a line until Enter, unless it is raw. */
class Terminal extends PassThrough {
  isTTY = true;
  readonly modes: boolean[] = [];
  #kept = "";

  type(text: string): void {
    this.#kept += text;
    const end = this.#kept.lastIndexOf("\n") + 1;
    if (end > 0) this.write(this.#kept.slice(0, end));
    this.#kept = this.#kept.slice(end);
  }

  setRawMode(isRaw: boolean): void {
    this.modes.push(isRaw);
    if (isRaw && this.#kept !== "") this.write(this.#kept);
    if (isRaw) this.#kept = "";
  }
}

function open({ isInForeground = true } = {}) {
  const stdin = new Terminal();
  const process = new FakeProcess({
    // The cast is true for what is used of a stream here.
    stdin: stdin as unknown as TerminalProcess["stdin"],
    isInForeground: () => isInForeground,
  });
  const typed = new TypedLines(process.asProcess());
  const lines: string[] = [];
  const reader = createInterface({ input: typed.stream });
  const closed = new Promise((resolve) => reader.on("line", (line) => lines.push(line)).on("close", resolve));
  return { stdin, typed, lines, closed };
}

describe("what is typed into a terminal", () => {
  test("is read line by line, and without what was taken", async () => {
    const { stdin, typed, lines, closed } = open();
    stdin.type("one\n");
    stdin.type("1");
    expect(await typed.takeTyped()).toBe("1");
    expect(await Promise.all([typed.takeTyped(), typed.takeTyped()])).toEqual(["", ""]);
    stdin.type("two\n");
    stdin.end();
    await closed;
    expect([lines, stdin.modes]).toEqual([
      ["one", "two"],
      [true, false, true, false],
    ]);
  });

  test("stays in a terminal that belongs to another program, and where there is none", async () => {
    const { stdin, typed } = open({ isInForeground: false });
    stdin.type("1");
    expect([await typed.takeTyped(), stdin.modes]).toEqual(["", []]);
    const pipe = open();
    pipe.stdin.isTTY = false;
    expect([await pipe.typed.takeTyped(), pipe.stdin.modes]).toEqual(["", []]);
  });

  test("ends when it is closed, also while a terminal is waited for", async () => {
    const { stdin, typed, closed } = open();
    const taken = typed.takeTyped();
    typed.close();
    await closed;
    expect([await taken, stdin.modes]).toEqual(["", [true, false]]);
    expect([stdin.listenerCount("data"), stdin.isPaused()]).toEqual([0, true]);
  });
});
