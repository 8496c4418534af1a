import { afterEach, expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import pc from "picocolors";
import type { PermissionDecision, PermissionRequest } from "../contracts/index.ts";
import { createPermissionPrompt } from "./ask-permission.ts";
import { Keys } from "./fixtures/keys.ts";
import { TextStream } from "./fixtures/text-stream.ts";
import { createOneAtATime } from "./one-at-a-time.ts";
import { createLiveReporter, type RunReporter } from "./progress/run-reporter.ts";

const opened: RunReporter[] = [];

afterEach(() => {
  for (const reporter of opened.splice(0)) reporter.close();
});

const REQUEST: PermissionRequest = {
  id: "p1",
  sessionId: "s1",
  kind: "shell",
  toolName: "bash",
  title: "Run npm test",
  paths: [],
  command: "npm test",
};

class Prompt {
  readonly stdin = new PassThrough();
  readonly stderr = new TextStream({ isTTY: true });
  readonly abort = new AbortController();
  cancelCount = 0;
  readonly #ask: ReturnType<typeof createPermissionPrompt>;

  constructor() {
    const reporter = createLiveReporter(this.stderr, pc.createColors(false));
    opened.push(reporter);
    this.#ask = createPermissionPrompt({
      oneAtATime: createOneAtATime(),
      streams: { input: this.stdin, output: this.stderr },
      reporter,
      onCancel: () => {
        this.cancelCount++;
      },
    });
  }

  ask(changes: Partial<PermissionRequest> = {}): Promise<PermissionDecision> {
    return this.#ask({ ...REQUEST, ...changes }, { signal: this.abort.signal });
  }

  /** Presses keys when the question is on the screen, one after the other. */
  async answer(question: string, keys: readonly string[]): Promise<void> {
    await this.stderr.waitFor(question);
    for (const key of keys) {
      const before = this.stderr.text.length;
      this.stdin.write(key);
      await this.stderr.waitFor("\n", before);
    }
  }
}

test.each([
  { title: "once", keys: [Keys.enter], expected: { type: "allow", scope: "once" } },
  { title: "for the session", keys: [Keys.down, Keys.enter], expected: { type: "allow", scope: "session" } },
  {
    title: "for good, in this project",
    keys: [Keys.down, Keys.down, Keys.enter],
    expected: { type: "allow", scope: "project" },
  },
  { title: "no", keys: [Keys.up, Keys.enter], expected: { type: "deny", reason: "The user said no." } },
])("a person decides: $title", async ({ keys, expected }) => {
  const prompt = new Prompt();
  const decision = prompt.ask();
  await prompt.answer("Allow shell: Run npm test", keys);
  expect<unknown>(await decision).toEqual(expected);
  expect(prompt.cancelCount).toBe(0);
});

test("Ctrl+C denies the call and cancels the run: the prompt has taken the key from it", async () => {
  const prompt = new Prompt();
  const decision = prompt.ask();
  await prompt.answer("Allow shell: Run npm test", [Keys.ctrlC]);
  expect(await decision).toEqual({ type: "deny", reason: "The user left the question unanswered." });
  expect(prompt.cancelCount).toBe(1);
});

test("a turn that is cancelled takes its question away, and nothing else is cancelled", async () => {
  const prompt = new Prompt();
  const decision = prompt.ask();
  await prompt.stderr.waitFor("Allow shell");
  prompt.abort.abort();
  expect((await decision).type).toBe("deny");
  expect(prompt.cancelCount).toBe(0);
  expect(await prompt.ask()).toEqual({ type: "deny", reason: "The turn was cancelled." });
});

test("two calls are asked about one after the other", async () => {
  const prompt = new Prompt();
  const decisions = [prompt.ask({ title: "Run first" }), prompt.ask({ title: "Run second" })];
  await prompt.stderr.waitFor("Run first");
  expect(prompt.stderr.text).not.toContain("Run second");
  await prompt.answer("Run first", [Keys.enter]);
  await prompt.answer("Run second", [Keys.up, Keys.enter]);
  expect(await Promise.all(decisions)).toEqual([
    { type: "allow", scope: "once" },
    { type: "deny", reason: "The user said no." },
  ]);
});

test("the title of a call is one harmless line", async () => {
  const prompt = new Prompt();
  const decision = prompt.ask({ title: "Run a\u001b]0;x\u0007\nrm\u202e" });
  await prompt.answer("Allow shell: Run a rm\n", [Keys.enter]);
  expect((await decision).type).toBe("allow");
});
