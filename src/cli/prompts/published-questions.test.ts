import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentQuestion, noRedaction } from "../../contracts/index.ts";
import { type PublishedQuestion, PublishedQuestions, readPublishedQuestions } from "./published-questions.ts";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-asks-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const NEVER = new AbortController().signal;
const COLOUR: AgentQuestion = {
  ...{ id: "q1", sessionId: "s1", question: "Which one?", isMultiple: false, step: "worker 2" },
  options: [{ label: "Red" }, { label: "Blue" }],
};

/** The questions of a run's agents, and the next one that they publish. */
function create(waitMs = 60_000) {
  const arrivals: ((one: PublishedQuestion) => void)[] = [];
  const questions = new PublishedQuestions({
    ...{ waitMs, waitText: "1m", redactor: noRedaction },
    onPublish: (one) => arrivals.shift()?.(one),
  });
  questions.begin(folder);
  /** Asks, and waits until other processes can read the question. */
  const ask = async (question: AgentQuestion, signal = NEVER) => {
    const arrival = new Promise<PublishedQuestion>((resolve) => arrivals.push(resolve));
    const answer = questions.handler(question, { signal });
    return { answer, id: (await arrival).id };
  };
  return { questions, ask };
}

test.each([
  { title: "an option", change: {}, given: "Red", values: ["Red"] },
  { title: "a text of the person's own", change: {}, given: "Green", values: ["Green"] },
  { title: "several options", change: { isMultiple: true }, given: ["Red", "Blue"], values: ["Red", "Blue"] },
])("a published question takes $title, once", async ({ change, given, values }) => {
  const { questions, ask } = create();
  const { id, answer } = await ask({ ...COLOUR, ...change });
  expect(readPublishedQuestions(folder)).toEqual([
    { id, question: { ...COLOUR, ...change }, askedAt: expect.any(Number), deadline: expect.any(Number) },
  ]);
  expect(questions.take(id, given)).toBe(true);
  expect(await answer).toEqual({ type: "answer", values });
  expect(readPublishedQuestions(folder)).toEqual([]);
  expect(() => questions.take(id, "Red")).toThrow(`It is too late: "${id}" was answered already.`);
});

test("what is no answer is rejected, and the question stays open", async () => {
  const { questions, ask } = create();
  const { id } = await ask(COLOUR);
  expect(questions.take("permission-1", "Red")).toBe(false);
  expect(() => questions.take("agent-question-0", "Red")).toThrow('No agent of the run asks "agent-question-0".');
  for (const given of [7, "", [], ["Red", 7]])
    expect(() => questions.take(id, given)).toThrow(`"${id}" takes a text, or a list of texts.`);
  expect(() => questions.take(id, ["Red", "Blue"])).toThrow(`"${id}" takes one answer, and these are 2.`);
  expect(readPublishedQuestions(folder).map((one) => one.id)).toEqual([id]);
  questions.take(id, "Red");
});

test("without an answer a question is declined at its deadline", async () => {
  const { questions, ask } = create(1);
  const { id, answer } = await ask(COLOUR);
  expect(await answer).toEqual({ type: "decline", reason: "Nobody answered the question within 1m." });
  expect(() => questions.take(id, "Red")).toThrow(
    `It is too late: "${id}" was declined after 1m, because nobody had answered.`,
  );
});

test("a question of a turn that ends is withdrawn", async () => {
  const { questions, ask } = create();
  const turn = new AbortController();
  const { id, answer } = await ask(COLOUR, turn.signal);
  turn.abort();
  expect(await answer).toEqual({ type: "decline", reason: "The turn was cancelled." });
  expect(readPublishedQuestions(folder)).toEqual([]);
  expect(() => questions.take(id, "Red")).toThrow(`It is too late: "${id}" was withdrawn: the agent no longer waits.`);
});

test.each<{ title: string; forged: unknown }>([
  { title: "null", forged: null },
  { title: "an id alone", forged: { id: "agent-question-ffffff" } },
  { title: "an option that is null", forged: forgedWith({ question: { ...COLOUR, options: [null] } }) },
  { title: "a header that is an object", forged: forgedWith({ question: { ...COLOUR, header: {} } }) },
  { title: "a deadline that is no date", forged: forgedWith({ deadline: 1e300 }) },
  { title: "the id of another file", forged: forgedWith({ id: "agent-question-eeeeee" }) },
])("a file with $title is left out alone, and named", async ({ forged }) => {
  const { questions, ask } = create();
  const { id } = await ask(COLOUR);
  const path = join(folder, "agent-questions", "agent-question-ffffff.json");
  await writeFile(path, JSON.stringify(forged));
  const problems: string[] = [];
  expect(readPublishedQuestions(folder, (text) => problems.push(text)).map((one) => one.id)).toEqual([id]);
  expect(problems).toEqual([
    `Left out: ${path} is no request that Atomic wrote. If another program wrote it, remove it.`,
  ]);
  questions.take(id, "Red");
});

function forgedWith(change: object): unknown {
  return { id: "agent-question-ffffff", question: COLOUR, askedAt: 1, deadline: 2, ...change };
}
