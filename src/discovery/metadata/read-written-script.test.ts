import { expect, test } from "bun:test";
import { readWrittenScript } from "./read-written-script.ts";

const META = 'export const meta = { name: "x", description: "X" };\n';
const read = (text: string) => readWrittenScript("script.js", META + text);

test("a script's commands are listed, each once", async () => {
  const { problems, commands, body } = await read(
    'await shell("npm test"); await shell(`npm test`); await agent("go");',
  );
  expect({ problems, commands, agents: body?.outline.agents.length }).toEqual({
    problems: [],
    commands: ["npm test"],
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
  'await shell("npm test                    ; rm x")',
  'await shell("npm test\\nrm x")',
])("a command that cannot be read before the run is a problem: %p", async (text) => {
  const { problems } = await read(`${text}; await agent("go");`);
  expect(problems.map(({ message, remedy }) => [message, remedy])).toEqual([
    [
      "What shell() is called with cannot be read before the script runs.",
      'Call it directly, with a text in quotes that has no values in it, in one line with single spaces: shell("…").',
    ],
  ]);
});

test.each([
  { text: 'await agent("go");\nexport default 1;', message: "It exports more than its meta." },
  { text: 'await agent("go");\nexport const other = 1;', message: "It exports more than its meta." },
  { text: `await agent("${"long ".repeat(14_000)}");`, message: "It has more than 65536 bytes." },
  { text: 'await agent("go");\n// harmless\rawait agent("a");', message: "It has a character that nobody sees." },
  {
    text: 'await shell("pwd", { workingDirectory: args }); await agent("go");',
    message: "A script that an agent wrote names no folder of a command.",
  },
  { text: 'await agent("go\u202e");', message: "It has a character that nobody sees." },
  { text: 'await agent("go");\u2028', message: "It has a character that nobody sees." },
  { text: 'const \u0430 = 1; await agent("go");', message: "It has a name with letters beyond a to z." },
  {
    text: 'await workflow("review", {}); await agent("go");',
    message: "A script that an agent wrote calls no workflows.",
  },
])("what a person could not read, or find as a script later, is a problem: $message", async ({ text, message }) => {
  expect((await read(text)).problems.map((problem) => problem.message)).toEqual([message]);
});

test("prompts and names of properties may have these words", async () => {
  const text =
    'await agent("constructor"); const about = { shell: 1, workflow: 2 }; return about.shell + about.workflow + ["prototype"].length;';
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
