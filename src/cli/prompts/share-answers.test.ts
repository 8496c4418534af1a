import { expect, test } from "bun:test";
import type { PermissionDecision, PermissionRequest } from "../../contracts/index.ts";
import { RUN_TESTS } from "../fixtures/permission-request.ts";
import { createOneAtATime } from "./one-at-a-time.ts";
import { shareAnswers } from "./share-answers.ts";

const ONCE: PermissionDecision = { type: "allow", scope: "once" };
const SESSION: PermissionDecision = { type: "allow", scope: "session" };
const NO: PermissionDecision = { type: "deny", reason: "The user said no." };

interface Question {
  readonly request: PermissionRequest;
  readonly signal: AbortSignal;
  answer(decision: PermissionDecision): void;
}

/** A person who answers when the test says so. */
function createPerson() {
  const questions: Question[] = [];
  let notify = Promise.withResolvers<void>();
  const handler = shareAnswers(
    (request, signal) => {
      if (signal.aborted) throw new Error("Nobody waits for the answer.");
      const { promise, resolve } = Promise.withResolvers<PermissionDecision>();
      signal.addEventListener("abort", () => resolve({ type: "deny", reason: "The question was withdrawn." }));
      questions.push({ request, signal, answer: resolve });
      notify.resolve();
      notify = Promise.withResolvers();
      return promise;
    },
    { oneAtATime: createOneAtATime(), gatheringMs: 20 },
  );
  let count = 0;
  return {
    questions,
    ask: (changes: Partial<PermissionRequest> = {}, signal = new AbortController().signal) =>
      handler({ ...RUN_TESTS, id: `p${++count}`, sessionId: `s${count}`, ...changes }, { signal }),
    async question(index: number): Promise<Question> {
      for (;;) {
        const found = questions[index];
        if (found !== undefined) return found;
        await notify.promise;
      }
    },
  };
}

test("the same call of 15 branches is one question, and its answer is for all", async () => {
  const person = createPerson();
  const first = person.ask({ command: "ls", title: "ls" });
  const decisions = Array.from({ length: 15 }, (_, index) => person.ask({ step: `branch ${index}` }));
  (await person.question(0)).answer(NO);
  const second = await person.question(1);
  expect(second.request.step).toBe("branch 0, branch 1, branch 2 and 12 others");
  second.answer(ONCE);
  expect(await Promise.all([first, ...decisions])).toEqual([NO, ...Array.from({ length: 15 }, () => ONCE)]);
  expect(person.questions).toHaveLength(2);
});

test("an answer for once is only for the steps that the question names", async () => {
  const person = createPerson();
  const first = person.ask({ step: "a" });
  const question = await person.question(0);
  const late = person.ask({ step: "b" });
  const later = person.ask({ step: "c" });
  question.answer(ONCE);
  expect(await first).toEqual(ONCE);
  const next = await person.question(1);
  expect([question.request.step, next.request.step]).toEqual(["a", "b, c"]);
  next.answer(NO);
  expect(await Promise.all([late, later])).toEqual([NO, NO]);
});

test("a second call of one session has a question of its own", async () => {
  const person = createPerson();
  const decisions = [person.ask({ sessionId: "s" }), person.ask({ sessionId: "s" }), person.ask({ sessionId: "t" })];
  (await person.question(0)).answer(ONCE);
  (await person.question(1)).answer(NO);
  expect(await Promise.all(decisions)).toEqual([ONCE, NO, ONCE]);
});

test("a lasting answer is for the working directory in which the call was to be made", async () => {
  const person = createPerson();
  const first = person.ask();
  (await person.question(0)).answer(SESSION);
  await first;
  const elsewhere = person.ask({ workingDirectory: "/other" });
  (await person.question(1)).answer(NO);
  expect(await elsewhere).toEqual(NO);
});

test.each(["session", "project"] as const)(
  "an answer for the %s is for every later call of its kind, too",
  async (scope) => {
    const person = createPerson();
    const first = person.ask({ title: "First" });
    // It waits for the first question, whose answer covers it.
    const second = person.ask({ title: "Second" });
    (await person.question(0)).answer({ type: "allow", scope });
    expect(await Promise.all([first, second])).toEqual([{ type: "allow", scope }, SESSION]);
    expect(await person.ask({ title: "Third" })).toEqual(SESSION);
    const other = person.ask({ command: "npm run build" });
    (await person.question(1)).answer(NO);
    expect(await other).toEqual(NO);
  },
);

test.each([
  { title: "another command", changes: { command: "rm x" } },
  { title: "another tool", changes: { toolName: "Bash" } },
  { title: "another working directory", changes: { workingDirectory: "/other" } },
  { title: "another content", changes: { details: { type: "write", path: "/a", text: "x" } } as const },
])("$title is another question", async ({ changes }) => {
  const person = createPerson();
  const decisions = [person.ask(), person.ask(changes)];
  (await person.question(0)).answer(ONCE);
  (await person.question(1)).answer(NO);
  expect(await Promise.all(decisions)).toEqual([ONCE, NO]);
});

test("calls that can only be allowed once are questions of their own", async () => {
  const person = createPerson();
  const decisions = [person.ask({ isOnce: true }), person.ask({ isOnce: true })];
  (await person.question(0)).answer(SESSION);
  (await person.question(1)).answer(NO);
  expect(await Promise.all(decisions)).toEqual([SESSION, NO]);
});

test("an agent that no longer waits leaves the question to the others; the last one withdraws it", async () => {
  const person = createPerson();
  const [stopFirst, stopSecond] = [new AbortController(), new AbortController()];
  const first = person.ask({ step: "a" }, stopFirst.signal);
  const second = person.ask({ step: "b" }, stopSecond.signal);
  const { signal } = await person.question(0);
  stopFirst.abort();
  expect(await first).toEqual({ type: "deny", reason: "The turn was cancelled." });
  expect(signal.aborted).toBe(false);
  stopSecond.abort();
  expect(await second).toEqual({ type: "deny", reason: "The question was withdrawn." });
  expect(signal.aborted).toBe(true);
});

test("a question that nobody waits for any more is never asked, and the next agent asks again", async () => {
  const person = createPerson();
  const first = person.ask({ command: "ls" });
  const stop = new AbortController();
  const left = person.ask({}, stop.signal);
  const question = await person.question(0);
  stop.abort();
  expect(await left).toEqual({ type: "deny", reason: "The turn was cancelled." });
  const again = person.ask({ step: "again" });
  question.answer(NO);
  const next = await person.question(1);
  expect(next.request.step).toBe("again");
  next.answer(ONCE);
  expect([await first, await again]).toEqual([NO, ONCE]);
});
