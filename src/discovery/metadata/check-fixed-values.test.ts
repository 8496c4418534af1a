import { expect, test } from "bun:test";
import { parseClaudeScript } from "./claude-scripts.ts";

test.each<[string, string]>([
  ["agent(5)", "The prompt of agent() is 5. Pass a text that is not empty."],
  ["agent()", "The prompt of agent() is undefined. Pass a text that is not empty."],
  ['agent(" ")', 'The prompt of agent() is " ". Pass a text that is not empty.'],
  ['agent("x", "opus")', 'The options of agent() are "opus". Pass an object.'],
  ['agent("x", { schema: "no" })', 'The option "schema" of agent() is "no". Pass a JSON Schema.'],
  ['agent("x", { isolation: "tree" })', 'The option "isolation" of agent() is "tree". Write "worktree".'],
  [
    'agent("x", { effort: 3 })',
    'The option "effort" of agent() is 3. Write one of: none, low, medium, high, xhigh, max.',
  ],
  ['agent("x", { label: "" })', 'The option "label" of agent() is "". Pass a text that is not empty.'],
  ['shell("ls", { timeoutMs: -1 })', 'The option "timeoutMs" of shell() is -1. Pass a number above 0.'],
  ["shell(/ls/)", "The command of shell() is a regular expression. Pass a text that is not empty."],
  ['ask("q?", "yes")', 'The answers of ask() are "yes". Pass a list: ask("…", ["yes", "no"]).'],
  ['ask("q?", [])', "The list of answers of ask() is empty. Pass at least one, or leave it out for any text."],
  ['ask("q?", { options: "yes" })', 'The option "options" of ask() is "yes". Pass a list of answers.'],
  ['parallel("x")', 'parallel() is given "x". Pass a list: parallel([() => agent("…")]).'],
  ['parallel([() => 1, "x"])', 'Element 1 of parallel() is "x". Pass functions: () => agent("…").'],
  ['pipeline("x", (item) => item)', 'The items of pipeline() are "x". Pass a list.'],
  ["pipeline([1], 5)", "Stage 1 of pipeline() is 5. Pass a function."],
  ['parallel(agent("x"))', 'parallel() is given a promise. Pass a list: parallel([() => agent("…")]).'],
  [
    'pipeline(agent("x"), (item) => item)',
    "The items of pipeline() are a promise. Wait for it: pipeline(await agent(…)).",
  ],
  ['agent(shell("ls"))', "The prompt of agent() is a promise. Wait for it: agent(await shell(…))."],
  ["phase()", "The name of phase() is undefined. Pass a text that is not empty."],
  ["phase(3)", "The name of phase() is 3. Pass a text that is not empty."],
  ['phase("")', 'The name of phase() is "". Pass a text that is not empty.'],
  ["workflow(5)", "The name of workflow() is 5. Pass a text that is not empty."],
])("a fixed value that a run rejects is a problem before it: %s", async (call, expected) => {
  const { problems } = await parseClaudeScript("/p/a.js", `export const meta = { name: "a" };\nawait ${call};`);
  expect(problems.map(({ message, remedy, severity, line }) => [`${message} ${remedy}`, severity, line])).toEqual([
    [expected, "error", 2],
  ]);
});

test("values that only a run knows, and those that it accepts, are no problem", async () => {
  const calls = [
    "agent(args)",
    "agent(`Look at ${args}`, args)",
    "agent(...args)",
    'agent("x", null)',
    'agent("x", { ...args, schema: args, label: undefined, isolation: "worktree", effort: `${args}` })',
    'shell("ls", { timeoutMs: 5, workingDirectory: "a" })',
    'ask("q?", ["yes", { label: "no" }])',
    'ask("q?", { options: ["yes"], header: "H" })',
    "parallel(args.map((one) => () => agent(one)))",
    "parallel([...args, () => 1])",
    "pipeline([1], (one) => one, args)",
    'workflow("other", 5)',
    "phase(args)",
    "phase(`Scan ${args}`)",
    'parallel(await agent("x"))',
    "parallel(makeAll())",
    "log(5)",
  ];
  const text = `export const meta = { name: "a" };\n${calls.map((call) => `await ${call};`).join("\n")}\nfunction makeAll() {}`;
  expect((await parseClaudeScript("/p/a.js", text)).problems).toEqual([]);
});

test("a function of the script's own may be called as one of the script's functions", async () => {
  const text = `export const meta = { name: "a" };\nfunction shell() { return []; }\nawait pipeline(shell("x"), (item) => item);`;
  expect((await parseClaudeScript("/p/a.js", text)).problems).toEqual([]);
});

test.each([
  [10, undefined],
  [11, "… and 1 more problem. Correct those before it first."],
  [13, "… and 3 more problems. Correct those before it first."],
  [50, "… and at least 10 more problems. Correct those before it first."],
])("of %i faults, the first ten are reported, and how many follow", async (count, last) => {
  const text = `export const meta = { name: "a" };${'\nawait agent("");'.repeat(count)}`;
  const { problems } = await parseClaudeScript("/p/a.js", text);
  const shown = problems.map(({ message, remedy, line, severity }) => [`${message} ${remedy}`, line, severity]);
  const fault = 'The prompt of agent() is "". Pass a text that is not empty.';
  expect(shown).toEqual([
    ...Array.from({ length: 10 }, (_, index) => [fault, index + 2, "error"]),
    ...(last === undefined ? [] : [[last, 12, "error"]]),
  ]);
});
