import { afterEach, expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import pc from "picocolors";
import type { PermissionDecision, PermissionRequest } from "../../contracts/index.ts";
import { Keys } from "../fixtures/keys.ts";
import { RUN_TESTS } from "../fixtures/permission-request.ts";
import { TextStream } from "../fixtures/text-stream.ts";
import { createLiveReporter, type RunReporter } from "../progress/run-reporter.ts";
import { createPermissionPrompt } from "./ask-permission.ts";
import { createOneAtATime } from "./one-at-a-time.ts";

const opened: RunReporter[] = [];

afterEach(() => {
  for (const reporter of opened.splice(0)) reporter.close();
});

class Prompt {
  readonly stdin = new PassThrough();
  readonly stderr = new TextStream({ isTTY: true, columns: 60, rows: 15 });
  readonly abort = new AbortController();
  cancelCount = 0;
  readonly #ask: ReturnType<typeof createPermissionPrompt>;

  constructor() {
    const reporter = createLiveReporter(this.stderr, pc.createColors(false));
    opened.push(reporter);
    this.#ask = createPermissionPrompt({
      oneAtATime: createOneAtATime(),
      gatheringMs: 0,
      streams: { input: this.stdin, output: this.stderr },
      reporter,
      onCancel: () => {
        this.cancelCount++;
      },
    });
  }

  ask(changes: Partial<PermissionRequest> = {}, signal = this.abort.signal): Promise<PermissionDecision> {
    return this.#ask({ ...RUN_TESTS, ...changes }, { signal });
  }

  /** Presses keys one after the other when the question is visible. */
  async answer(question: string, keys: readonly string[]): Promise<void> {
    await this.stderr.waitFor(question);
    await this.stderr.waitFor("No", this.stderr.text.lastIndexOf(question));
    for (const key of keys) {
      const before = this.stderr.text.length;
      this.stdin.write(key);
      await this.stderr.waitFor("\n", before);
    }
  }
}

test.each([
  { title: "once", keys: [Keys.enter], expected: { type: "allow", scope: "once", answered: "at the terminal" } },
  {
    title: "for the session",
    keys: [Keys.down, Keys.enter],
    expected: { type: "allow", scope: "session", answered: "at the terminal" },
  },
  {
    title: "for good, in this project",
    keys: [Keys.down, Keys.down, Keys.enter],
    expected: { type: "allow", scope: "project", answered: "at the terminal" },
  },
  {
    title: "no",
    keys: [Keys.up, Keys.enter],
    expected: { type: "deny", reason: "The user said no.", answered: "at the terminal" },
  },
  {
    title: "no, by Escape",
    keys: [Keys.escape],
    expected: { type: "deny", reason: "The user said no.", answered: "at the terminal" },
  },
])("a person decides: $title", async ({ keys, expected }) => {
  const prompt = new Prompt();
  const decision = prompt.ask();
  await prompt.answer("Allow shell: Run npm test", keys);
  expect<unknown>(await decision).toEqual(expected);
  expect(prompt.cancelCount).toBe(0);
});

test("Ctrl+C denies the call and cancels the run", async () => {
  const prompt = new Prompt();
  const decision = prompt.ask();
  await prompt.answer("Allow shell: Run npm test", [Keys.ctrlC]);
  expect(await decision).toEqual({ type: "deny", reason: "The user left the question unanswered." });
  expect(prompt.cancelCount).toBe(1);
});

test("cancelling a turn withdraws its question and cancels nothing else", async () => {
  const prompt = new Prompt();
  const decision = prompt.ask();
  await prompt.stderr.waitFor("Allow shell");
  prompt.abort.abort();
  expect(await decision).toEqual({ type: "deny", reason: "The question was withdrawn." });
  expect(prompt.stderr.text).toContain("The question is withdrawn: the agent no longer waits for an answer.\n");
  expect(prompt.cancelCount).toBe(0);
  expect(await prompt.ask()).toEqual({ type: "deny", reason: "The turn was cancelled." });
});

test("two requests follow one another", async () => {
  const prompt = new Prompt();
  const decisions = [prompt.ask({ title: "Run first" }), prompt.ask({ title: "Run second" })];
  await prompt.stderr.waitFor("Run first");
  expect(prompt.stderr.text).not.toContain("Run second");
  await prompt.answer("Run first", [Keys.enter]);
  await prompt.answer("Run second", [Keys.up, Keys.enter]);
  expect(await Promise.all(decisions)).toEqual([
    { type: "allow", scope: "once", answered: "at the terminal" },
    { type: "deny", reason: "The user said no.", answered: "at the terminal" },
  ]);
});

test("a call can be allowed only after all its pages were shown", async () => {
  const prompt = new Prompt();
  const command = Array.from({ length: 12 }, (_, index) => `echo line-${index}`).join("\n");
  const decision = prompt.ask({ command });
  const pages: string[] = [];
  for (const more of ["9 more lines", "3 more lines"]) {
    await prompt.stderr.waitFor(`Show more (${more})`);
    pages.push(prompt.stderr.text);
    prompt.stdin.write(Keys.enter);
  }
  await prompt.answer("Allow this?", [Keys.enter]);
  expect(await decision).toEqual({ type: "allow", scope: "once", answered: "at the terminal" });
  expect(
    pages.map((page) => ["line-2", "line-3", "line-8", "line-9", "Yes"].filter((text) => page.includes(text))),
  ).toEqual([["line-2"], ["line-2", "line-3", "line-8"]]);
  expect(prompt.stderr.text).toContain("  │ echo line-11\n");
});

test("a call can be denied before its last page", async () => {
  const prompt = new Prompt();
  const decision = prompt.ask({ command: "x\n".repeat(100) });
  await prompt.answer("Show more (98 more lines)", [Keys.up, Keys.enter]);
  expect(await decision).toEqual({ type: "deny", reason: "The user said no.", answered: "at the terminal" });
  expect(prompt.stderr.text).not.toContain("Yes");
});

test("a long line is shown to its end, and invisible characters are escaped", async () => {
  const prompt = new Prompt();
  const command = `echo ${"x".repeat(170)} ; rm -rf ~ \u001b]0;x\u0007\u202e`;
  const decision = prompt.ask({ title: command, command });
  await prompt.answer("Show more (3 more lines)", [Keys.enter]);
  await prompt.answer("Allow this?", [Keys.enter]);
  expect((await decision).type).toBe("allow");
  for (const line of [
    `  │ echo ${"x".repeat(50)}`,
    `  ┆ ${"x".repeat(55)}`,
    `  ┆ ${"x".repeat(10)} ; rm -rf ~ \\u001b]0;x\\u0007\\u202e`,
    "  Warning: it contains characters that cannot be seen: U+00",
  ])
    expect(prompt.stderr.text).toContain(`${line}\n`);
});

test("the rest of a long request can be shown at once", async () => {
  const prompt = new Prompt();
  const decision = prompt.ask({ command: `${"x\n".repeat(99)}the-end` });
  await prompt.answer("Show all of it at once", [Keys.down, Keys.enter]);
  await prompt.stderr.waitFor("  │ the-end\n");
  await prompt.answer("Allow this?", [Keys.enter]);
  expect(await decision).toEqual({ type: "allow", scope: "once", answered: "at the terminal" });
});

test("resizing the terminal restarts the pages", async () => {
  const prompt = new Prompt();
  const decision = prompt.ask({ command: `first-word ${"x".repeat(200)}` });
  await prompt.stderr.waitFor("Show more");
  const before = prompt.stderr.text.length;
  prompt.stderr.columns = 100;
  prompt.stdin.write(Keys.enter);
  await prompt.stderr.waitFor("first-word", before);
  await prompt.answer("Allow this?", [Keys.enter]);
  expect(await decision).toEqual({ type: "allow", scope: "once", answered: "at the terminal" });
});

test("a call that requires approval every time offers only a single approval", async () => {
  const prompt = new Prompt();
  const decision = prompt.ask({ kind: "edit", toolName: "edit", paths: ["package.json"], isOnce: true });
  await prompt.answer("Allow this?", [Keys.down, Keys.enter]);
  expect(await decision).toEqual({ type: "deny", reason: "The user said no.", answered: "at the terminal" });
  expect(prompt.stderr.text).not.toMatch(/session|project/);
});

test("a closed standard input denies this call and the next ones", async () => {
  const prompt = new Prompt();
  const decision = prompt.ask();
  await prompt.stderr.waitFor("Allow this?");
  prompt.stdin.end();
  const denied = { type: "deny", reason: "Nobody can answer: standard input is closed." } as const;
  expect([await decision, await prompt.ask()]).toEqual([denied, denied]);
  expect(prompt.stderr.text).toContain("Denied: standard input is closed, so nobody can answer.\n");
  expect(prompt.cancelCount).toBe(0);
});

test("the end of a turn does not change the terminal's mode during another turn's question", async () => {
  const prompt = new Prompt();
  const modes: boolean[] = [];
  Object.assign(prompt.stdin, { isTTY: true, setRawMode: (isRaw: boolean) => modes.push(isRaw) });
  const first = prompt.ask();
  await prompt.answer("Allow this?", [Keys.enter]);
  await first;
  const other = new AbortController();
  const second = prompt.ask({ title: "Run second" }, other.signal);
  await prompt.stderr.waitFor("Run second");
  await prompt.stderr.waitFor("Allow this?", prompt.stderr.text.indexOf("Run second"));
  const before = modes.length;
  prompt.abort.abort();
  expect(modes.slice(before)).toEqual([]);
  other.abort();
  expect(await second).toEqual({ type: "deny", reason: "The question was withdrawn." });
  expect(modes.at(-1)).toBe(false);
});
