import { expect, test } from "bun:test";
import type { PressedKey } from "../keys/keymap.ts";
import { KeyGuard } from "./key-guard.ts";

/** A keyboard, a clock, and a dialog whose only answer is `y`. */
class Desk {
  time = 5_000;
  typed = "";
  readonly answers: number[] = [];
  readonly guard: KeyGuard;
  #timers: { readonly at: number; readonly run: () => void }[] = [];

  constructor() {
    this.guard = new KeyGuard({
      now: () => this.time,
      onTyped: (text) => {
        this.typed += text;
      },
      schedule: (run, delayMs) => {
        const timer = { at: this.time + delayMs, run };
        this.#timers.push(timer);
        return () => {
          this.#timers = this.#timers.filter((one) => one !== timer);
        };
      },
    });
  }

  wait(milliseconds: number): this {
    this.time += milliseconds;
    const due = this.#timers.filter(({ at }) => at <= this.time);
    this.#timers = this.#timers.filter(({ at }) => at > this.time);
    for (const { run } of due) run();
    return this;
  }

  press(name: string, held: Partial<PressedKey> = {}): this {
    const key = { name, ctrl: false, shift: false, meta: false, sequence: name === "space" ? " " : name, ...held };
    if (!this.guard.accepts(key) || this.guard.takeTyping(key)) return this;
    if (name === "y") this.guard.answerAlone(key, () => this.answers.push(this.time));
    else this.guard.keep(key);
    return this;
  }

  /** Types a text, a key each so many milliseconds. */
  type(text: string, everyMs: number): this {
    for (const character of text) this.press(character === " " ? "space" : character).wait(everyMs);
    return this;
  }
}

function drawn(): Desk {
  const desk = new Desk();
  desk.guard.begin();
  return desk;
}

test("a letter alone is an answer after 200 ms", () => {
  const desk = drawn().wait(300).press("y").wait(199);
  expect(desk.answers).toEqual([]);
  desk.wait(1);
  expect(desk.answers).toEqual([5_500]);
  expect(desk.typed).toBe("");
});

test.each([
  { title: "at once", run: (desk: Desk) => desk.press("y").wait(299).press("y").wait(799).press("y").wait(500) },
  { title: "before the dialog was drawn", run: (desk: Desk) => desk.press("y").wait(5_000) },
  { title: "in a text, however slow", run: (desk: Desk) => desk.type("say yes to gypsy y", 290).wait(500) },
  { title: "as the first of a text", run: (desk: Desk) => desk.wait(2_000).type("yes", 90).wait(500) },
  { title: "as the last of a text", run: (desk: Desk) => desk.wait(2_000).type("x hello y", 90).wait(500) },
  { title: "in one burst", run: (desk: Desk) => desk.wait(2_000).type("hello y world", 0).wait(500) },
  { title: "before another key", run: (desk: Desk) => desk.wait(2_000).press("y").press("down").wait(500) },
])("a letter $title is no answer", ({ title, run }) => {
  const desk = title.includes("before the dialog") ? new Desk() : drawn();
  run(desk);
  expect(desk.answers).toEqual([]);
});

test("what was typed for the input is kept, in order", () => {
  const desk = drawn().wait(100).type("go ", 90).wait(2_000).type("y y", 90).wait(500);
  expect(desk.typed).toBe("go y y");
});

test("the first letter of a text is kept, also when it is no answer and the dialog takes answers already", () => {
  const desk = drawn().wait(2_000).type("hello y", 90).wait(2_000).press("x").wait(2_000).press("return");
  expect([desk.typed, desk.answers]).toEqual(["hello yx", []]);
});

test("who typed just before the dialog appeared answers only after a pause", () => {
  const typedAgo = (milliseconds: number): Desk => {
    const desk = new Desk();
    desk.guard.begin(desk.time - milliseconds);
    return desk.wait(799).press("y").wait(200);
  };
  expect([typedAgo(799).typed, typedAgo(799).answers]).toEqual(["y", []]);
  expect([typedAgo(800).typed, typedAgo(800).answers]).toEqual(["", [5_999]]);
});

test.each([
  { title: "slow typing", everyMs: 500 },
  { title: "typing with long pauses", everyMs: 799 },
])("$title answers nothing, from its second letter on", ({ everyMs }) => {
  const desk = new Desk();
  desk.guard.begin();
  desk.wait(1_000).type("so why", everyMs).wait(1_000);
  expect([desk.typed, desk.answers]).toEqual(["so why", []]);
  desk.press("y").wait(200);
  expect(desk.answers).toHaveLength(1);
});

test("a paste is typing, and a key that comes with it is a part of it", () => {
  const desk = new Desk();
  desk.guard.begin();
  desk.wait(1_000).guard.notePaste();
  desk.press("y").wait(99).press("return").wait(300).press("y").wait(1_000);
  expect([desk.typed, desk.answers]).toEqual(["yy", []]);
  desk.press("y").wait(200);
  expect(desk.answers).toHaveLength(1);
});

test("keys that were queued while nothing was drawn count neither", () => {
  const desk = new Desk();
  desk.press("y").wait(900).press("y");
  desk.guard.begin();
  desk.wait(500);
  expect(desk.answers).toEqual([]);
  desk.wait(400).press("y").wait(200);
  expect(desk.answers).toHaveLength(1);
});

test("a key that is held since before the dialog appeared answers nothing, whenever its repeats start", () => {
  for (const delayMs of [250, 300, 500, 660, 1_000]) {
    const desk = drawn().wait(delayMs).type("y".repeat(100), 30).wait(500);
    expect(desk.answers).toEqual([]);
  }
});

test("after the dialog, nothing is answered", () => {
  const desk = drawn().wait(300).press("y");
  desk.guard.end();
  desk.wait(500);
  expect(desk.answers).toEqual([]);
});
