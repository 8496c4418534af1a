import { afterEach, expect, test } from "bun:test";
import type { InboxItem } from "../host/runs-port.ts";
import { APPROVE, INSTALL, KEEP_API, NOW } from "./fixtures/inbox-items.ts";
import { openInbox } from "./fixtures/open-inbox.tsx";

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

async function open(...call: Parameters<typeof openInbox>) {
  const ui = await openInbox(...call);
  opened.push(ui.close);
  return ui;
}

test.each([
  { width: 100, rows: ["  y yes   a this run   p always   n no"] },
  { width: 60, rows: ["  y yes   a this run   p always   n no"] },
  { width: 40, rows: ["   y yes   a this run   p always   n no"] },
])("in 6 rows of $width columns a request is read to its end, and then allowed", async ({ width, rows }) => {
  const command = Array.from({ length: 3 }, (_, index) => `echo ${index}`).join("\n");
  const long = { ...INSTALL, request: { ...INSTALL.request, command } };
  const ui = await open([long, KEEP_API], { width, height: 6 });
  const first = (await ui.until(/then yes/)).split("\n");
  expect(first[0]).toMatch(/^ {1,2}Waiting for you +… 1 more +2$/);
  expect([first.length, first[4]?.trim(), rows[0]?.trim()]).toEqual([6, rows[0]?.trim(), rows[0]?.trim()]);
  ui.settle();
  await ui.type("y");
  await ui.until(/Read all of it first/);
  expect(ui.runs.calls).toEqual([]);
  const seen: string[] = [];
  for (let page = 0; page < 20; page++) {
    await ui.act(() => ui.mockInput.pressKey("\u001b[6~"));
    seen.push((await ui.draw()).split("\n")[2] ?? "");
  }
  expect(seen.filter((row) => row.includes("echo 2"))).not.toEqual([]);
  ui.settle();
  await ui.type("y");
  await ui.until(/Answered/);
  expect(ui.runs.calls).toEqual([["answerPermission", INSTALL.runId, "permission-1", "yes"]]);
});

test.each([100, 60, 40])("in 4 rows of %i columns the inbox takes no yes, and says so", async (width) => {
  const ui = await open([INSTALL, KEEP_API, APPROVE], { width, height: 4 });
  expect(await ui.until(/Enlarge the window for yes\./)).not.toContain("always");
  ui.settle();
  await ui.type("a");
  expect(await ui.draw()).not.toContain("yes, for this run");
  expect(ui.runs.calls).toEqual([]);
});

/** What an agent asks in the middle of its turn. */
const OF_AGENT: InboxItem = {
  ...{ runId: "0vr8z8579gzr", workflow: "ralph", type: "question", askedAt: NOW - 1_000, deadline: NOW + 3_600_000 },
  request: {
    ...{ id: "agent-question-1", nodeId: "worker 2", question: "Which one?", askedAt: NOW - 1_000, acceptsText: true },
    options: [{ label: "Red" }, { label: "Blue" }],
  },
};

test.each([100, 60, 40])("in %i columns an agent's own question takes an option or a text", async (width) => {
  const ui = await open([OF_AGENT], { width });
  expect(await ui.until(/Which one/)).toContain("worker 2: Which");
  await ui.enter();
  expect(await ui.until(/Something else/)).toContain("2  Blue");
  ui.settle();
  await ui.type("Green");
  await ui.until(/› 3 {2}Green/);
  await ui.enter();
  await ui.until(/Answered/);
  expect(ui.runs.calls).toEqual([["answer", OF_AGENT.runId, "agent-question-1", "Green"]]);
});

test("what is answered elsewhere vanishes with a sentence", async () => {
  const ui = await open([OF_AGENT, APPROVE]);
  await ui.until(/worker 2/);
  ui.runs.inbox = [APPROVE];
  const screen = await ui.until(/No longer open/);
  expect(screen.split("\n").at(-1)).toBe("  No longer open: worker 2: Which one?");
  expect(screen).toContain("› ? atomic");
});

/** A question whose answer is an object, one question for each field. */
const FORM: InboxItem = {
  ...{ runId: "0vr8z8579gzr", workflow: "form", type: "question", askedAt: NOW - 1_000 },
  request: {
    ...{ id: "parallel_1[4]/obj", nodeId: "obj", question: "Fill in", askedAt: NOW - 1_000 },
    schema: {
      ...{ type: "object", required: ["name", "count", "ok"] },
      properties: { name: { type: "string" }, count: { type: "number" }, ok: { type: "boolean" } },
    },
  },
};

test("an answer that the run rejects is open again at the field that is wrong, with what was typed and the whole reason", async () => {
  const ui = await open([FORM], { width: 60, height: 20 });
  const answers: unknown[] = [];
  const reason =
    'The answer to "parallel_1[4]/obj" was rejected: count: Too small: expected number to be larger than a hundred thousand; ok: No.';
  ui.runs.answer = async (_runId, _requestId, value) => {
    answers.push(value);
    if (answers.length < 3) throw new Error(reason);
  };
  await ui.until(/enter answer/);
  await ui.enter();
  await ui.until(/esc back/);
  ui.settle();
  await ui.type("Näme");
  await ui.until(/› 1 {2}Näme/);
  await ui.enter();
  await ui.until(/2 of 3/);
  ui.settle();
  await ui.type("abc");
  await ui.enter();
  expect(await ui.until(/Type a number/)).toContain("2 of 3");
  for (let count = 0; count < 3; count++) await ui.act(() => ui.mockInput.pressBackspace());
  await ui.type("4");
  await ui.enter();
  await ui.until(/3 of 3/);
  ui.settle();
  await ui.type("1");
  const rejected = await ui.until(/thousand; ok: No/);
  const whole = rejected.replace(/\s+/g, " ");
  expect(whole).toContain("Question 2 of 3");
  expect(whole).toContain(reason);
  expect(rejected).toMatch(/› 1 {2}4/);
  ui.settle();
  await ui.type("2");
  await ui.enter();
  await ui.until(/3 of 3/);
  ui.settle();
  await ui.enter();
  expect(await ui.until(/thousand; ok: No/)).toMatch(/› 1 {2}42/);
  ui.settle();
  await ui.enter();
  await ui.until(/3 of 3/);
  ui.settle();
  await ui.enter();
  await ui.until(/Answered/);
  const answer = (count: number) => ({ name: "Näme", count, ok: true });
  expect(answers).toEqual([answer(4), answer(42), answer(42)]);
});
