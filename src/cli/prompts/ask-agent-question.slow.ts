import { expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import type { AgentQuestion, AgentQuestionAnswer } from "../../contracts/index.ts";
import { Keys } from "../fixtures/keys.ts";
import { TextStream } from "../fixtures/text-stream.ts";
import { createQuestionPrompt } from "./ask-agent-question.ts";
import { createOneAtATime } from "./one-at-a-time.ts";

const COLOURS: AgentQuestion = {
  id: "q1",
  sessionId: "s1",
  header: "Colour",
  question: "Which one?",
  options: [{ label: "Red" }, { label: "Blue", description: "like the sky" }],
  isMultiple: false,
};

class Prompt {
  readonly stdin = new PassThrough();
  readonly stderr = new TextStream({ isTTY: true });
  readonly abort = new AbortController();
  cancelCount = 0;
  readonly #ask = createQuestionPrompt({
    oneAtATime: createOneAtATime(),
    streams: { input: this.stdin, output: this.stderr },
    reporter: { pause: () => () => undefined },
    onCancel: () => {
      this.cancelCount++;
    },
  });

  ask(changes: Partial<AgentQuestion> = {}): Promise<AgentQuestionAnswer> {
    return this.#ask({ ...COLOURS, ...changes }, { signal: this.abort.signal });
  }

  /** Waits for a text, then presses all keys at once. */
  async press(text: string, keys: readonly string[]): Promise<void> {
    await this.stderr.waitFor(text);
    this.stdin.write(keys.join(""));
  }
}

test.each([
  { title: "one of the options", changes: {}, keys: [Keys.down, Keys.enter], values: ["Blue"] },
  {
    title: "several of them",
    changes: { isMultiple: true },
    keys: [" ", Keys.down, " ", Keys.enter],
    values: ["Red", "Blue"],
  },
  { title: "text when there are no options", changes: { options: [] }, keys: ["G", Keys.enter], values: ["G"] },
])("a person answers with $title", async ({ changes, keys, values }) => {
  const prompt = new Prompt();
  const answer = prompt.ask(changes);
  await prompt.press("Colour: Which one?", keys);
  expect(await answer).toEqual({ type: "answer", values });
});

test("a person may type an answer that is not among the options", async () => {
  const prompt = new Prompt();
  const answer = prompt.ask();
  await prompt.press("Which one?", [Keys.up, Keys.enter]);
  await prompt.press("Your answer", ["N", "o", Keys.enter]);
  expect(await answer).toEqual({ type: "answer", values: ["No"] });
});

test("an empty answer is rejected with a hint", async () => {
  const prompt = new Prompt();
  const answer = prompt.ask({ options: [] });
  await prompt.press("Which one?", [" ", Keys.enter]);
  await prompt.press("Type an answer, or press Ctrl+C to stop.", ["G", Keys.enter]);
  expect(await answer).toEqual({ type: "answer", values: [" G"] });
});

test("Ctrl+C declines and cancels the run", async () => {
  const prompt = new Prompt();
  const answer = prompt.ask();
  await prompt.press("Which one?", [Keys.ctrlC]);
  expect(await answer).toEqual({ type: "decline", reason: "The user left the question unanswered." });
  expect(prompt.cancelCount).toBe(1);
});

test("Escape leaves the question unanswered, and the agent continues", async () => {
  const prompt = new Prompt();
  const answer = prompt.ask();
  await prompt.press("Which one?", [Keys.escape]);
  expect(await answer).toEqual({ type: "decline", reason: "The user left the question unanswered." });
  expect(prompt.cancelCount).toBe(0);
});

test.each([{ options: COLOURS.options }, { options: [] }])(
  "a closed standard input declines the question: %j",
  async (changes) => {
    const prompt = new Prompt();
    const answer = prompt.ask(changes);
    await prompt.stderr.waitFor("Which one?");
    prompt.stdin.end();
    const closed = { type: "decline", reason: "Nobody can answer: standard input is closed." } as const;
    expect(await answer).toEqual(closed);
    expect([await prompt.ask(changes), prompt.cancelCount]).toEqual([closed, 0]);
  },
);

test("a key pressed before the question is visible does not answer it", async () => {
  const prompt = new Prompt();
  prompt.stdin.write(Keys.enter);
  const answer = prompt.ask();
  await prompt.press("Which one?", [Keys.down, Keys.enter]);
  expect(await answer).toEqual({ type: "answer", values: ["Blue"] });
});

test("cancelling a turn withdraws its question", async () => {
  const prompt = new Prompt();
  const answer = prompt.ask();
  await prompt.stderr.waitFor("Which one?");
  prompt.abort.abort();
  expect(await answer).toEqual({ type: "decline", reason: "The question was withdrawn." });
  expect(prompt.cancelCount).toBe(0);
  expect(await prompt.ask()).toEqual({ type: "decline", reason: "The turn was cancelled." });
});

test("two questions follow one another, without control sequences", async () => {
  const prompt = new Prompt();
  const answers = [prompt.ask({ question: "First\u001b]0;x\u0007?" }), prompt.ask({ question: "Second?" })];
  await prompt.stderr.waitFor("First\\u001b]0;x\\u0007?");
  expect(prompt.stderr.text).not.toContain("Second?");
  await prompt.press("\\u0007?", [Keys.enter]);
  await prompt.press("Second?", [Keys.down, Keys.enter]);
  expect(await Promise.all(answers)).toEqual([
    { type: "answer", values: ["Red"] },
    { type: "answer", values: ["Blue"] },
  ]);
});

test("the answers stay visible below a question that is longer than the terminal", async () => {
  const prompt = new Prompt();
  const question = Array.from({ length: 40 }, (_, index) => `Reason ${index + 1}.`).join("\n");
  const answer = prompt.ask({ question });
  await prompt.press("The question is above, 40 lines", [Keys.down, Keys.enter]);
  expect(await answer).toEqual({ type: "answer", values: ["Blue"] });
  // The question is drawn once, regardless of the keys.
  expect(prompt.stderr.text.split("Reason 7.")).toHaveLength(2);
});
