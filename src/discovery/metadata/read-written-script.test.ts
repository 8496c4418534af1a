import { expect, test } from "bun:test";
import { readWrittenScript } from "./read-written-script.ts";

const META = 'export const meta = { name: "x", description: "X" };\n';
const read = (text: string) => readWrittenScript("script.js", META + text);

test("a script's commands and workflows are listed, each once", async () => {
  const text = 'await shell("npm test"); await shell(`npm test`); await workflow("review", {}); await agent("go");';
  const { problems, commands, calledWorkflows, body } = await read(text);
  expect({ problems, commands, calledWorkflows, agents: body?.outline.agents.length }).toEqual({
    problems: [],
    commands: ["npm test"],
    calledWorkflows: ["review"],
    agents: 1,
  });
});

test.each([
  'agent.constructor("return process")()',
  'agent["constructor"]',
  "agent[`constructor`]",
  "({ constructor: escape } = agent)",
  'const { "__proto__": parent } = {}',
  "Reflect.ownKeys({})",
  "globalThis.agent",
  "new Proxy({}, {})",
  "Object.getPrototypeOf(agent)",
  "Error.prepareStackTrace = (error, frames) => frames",
  "function f() { return f.caller; }",
  "class A { static prototype2 = A.prototype }",
])("%p is a problem", async (text) => {
  const { problems } = await read(`await agent("go");\n${text};`);
  expect(problems.map(({ message, line }) => [message.replace(/^"\w+"/, "It"), line])).toEqual([
    ["It is not allowed in a script that an agent wrote.", 3],
  ]);
});

test("the word this is a problem, also in functions", async () => {
  const { problems } = await read("function f() { return this; }\nawait agent(String(f()));");
  expect(problems.map(({ message }) => message)).toEqual(['"this" is not allowed in a script that an agent wrote.']);
});

test.each([
  "await shell(args.command)",
  "await shell(`rm ${args}`)",
  "const run = shell",
  "const all = { shell }",
  "[shell].map((run) => run(args))",
])("a command that cannot be read before the run is a problem: %p", async (text) => {
  const { problems } = await read(`${text}; await agent("go");`);
  expect(problems.map(({ message, remedy }) => [message, remedy])).toEqual([
    [
      "What shell() is called with cannot be read before the script runs.",
      'Call it directly, with a text in quotes that has no values in it: shell("…").',
    ],
  ]);
});

test("prompts and names of properties may have these words", async () => {
  const text =
    'await agent("constructor"); const about = { shell: 1, workflow: 2 }; return about.shell + ["prototype"].length;';
  expect((await read(text)).problems).toEqual([]);
});

test("a text without meta says how to begin", async () => {
  expect((await readWrittenScript("script.js", "return 1;")).problems).toEqual([
    {
      path: "script.js",
      message: 'Its first statement is not the export "meta".',
      remedy: 'Begin it with export const meta = { name: "…", description: "…" }.',
      severity: "error",
    },
  ]);
});
