import { afterEach, beforeEach, expect, test } from "bun:test";
import { TestEnvironment } from "../fixtures/test-environment.ts";
import { GATE, GREET, TWO_QUESTIONS, TYPED } from "../fixtures/workflow-files.ts";

const NAP = `import { graph, sleepNode } from "@bastani/atomic/graph";
export const defaultConfig = { seconds: 2 };
export default ({ seconds }: { seconds: number }) =>
  graph().start(sleepNode({ id: "nap", durationMs: seconds * 1000 })).end().compile();
`;

const ODD = `import { annotation, defineState, graph, toolNode } from "@bastani/atomic/graph";
const State = defineState({ large: annotation(10n), seen: annotation(new Map([["a", new Set([1n])]])), when: annotation(new Date(0)), nothing: annotation(null) });
export const defaultConfig = { limit: 5n, known: new Set(["a"]), decide: () => true, isStrict: false };
export default () => graph(State).start(toolNode({ id: "step", execute: () => 1 })).end().compile();
`;

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

test.each([
  {
    name: "hello",
    listed: [
      "Workflow greet: Greets",
      "",
      "Inputs, for --input NAME=VALUE:",
      "NAME    KIND    DEFAULT",
      'prompt  text    "the world"',
      "count   number  1",
      'answer  text    ""',
    ],
  },
  {
    name: "gate",
    listed: [
      "Workflow gate",
      "",
      "Inputs, for --input NAME=VALUE:",
      "NAME    KIND       DEFAULT",
      'topic   text       ""',
      "isDeep  yes or no  false",
      'answer  text       ""',
    ],
  },
  {
    name: "questions",
    listed: ["Workflow questions", "", "It takes any input, for --input NAME=VALUE: its state declares no fields."],
  },
  {
    name: "nap",
    listed: [
      "Workflow nap",
      "",
      "It takes any input, for --input NAME=VALUE: its state declares no fields.",
      "",
      "Settings, for --config NAME=VALUE:",
      "NAME     KIND    DEFAULT",
      "seconds  number  2",
    ],
  },
  {
    name: "odd",
    listed: [
      "Workflow odd",
      "",
      "Inputs, for --input NAME=VALUE:",
      "NAME     KIND    DEFAULT",
      'large    bigint  "10"',
      'seen     Map     [["a",["1"]]]',
      'when     Date    "1970-01-01T00:00:00.000Z"',
      "nothing  JSON    null",
      "",
      "Settings, for --config NAME=VALUE:",
      "NAME      KIND       DEFAULT",
      'limit     bigint     "5"',
      'known     Set        ["a"]',
      "decide    function",
      "isStrict  yes or no  false",
    ],
  },
  {
    name: "typed",
    listed: [
      "Workflow typed: Researches a topic",
      "",
      "Call: atomic run typed TOPIC [--input depth=2]",
      "",
      "Inputs, for --input NAME=VALUE:",
      "NAME     KIND               DEFAULT     DESCRIPTION",
      "topic    text               (required)  What to look for",
      "depth    whole number       1           How many rounds",
      "mode     one of fast, deep  (required)  How thorough",
      "isDraft  yes or no          false",
      "tags     list, each: text   []",
      "since    text or JSON",
    ],
  },
])("atomic run $name --help lists the inputs below the help", async ({ name, listed }) => {
  await environment.writeWorkflows({
    greet: GREET,
    gate: GATE,
    questions: TWO_QUESTIONS,
    nap: NAP,
    odd: ODD,
    typed: TYPED,
  });
  const { exitCode, stdout, stderr } = await environment.atomic("run", name, "--help");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toStartWith("Usage: atomic run [options] <workflow> [prompt]\n");
  expect(stdout).toEndWith(`\n\n${listed.join("\n")}\n`);
});

test("without a workflow there is the help alone, and an unknown one is an error below it", async () => {
  const alone = await environment.atomic("run", "-h");
  expect(alone.exitCode).toBe(0);
  expect(alone.stdout).toMatch(/-h, --help +display help for command and the inputs of the\s+workflow/);
  const unknown = await environment.atomic("run", "gone", "--help");
  expect(unknown.exitCode).toBe(2);
  expect(unknown.stdout).toBe(alone.stdout);
  expect(unknown.stderr).toStartWith('error: There is no workflow "gone".');
});

test("the help of a workflow asks for no trust, and runs nothing of an untrusted project", async () => {
  await environment.write({ "project/.atomic/workflows/greet.ts": GREET });
  const { exitCode, stderr } = await environment.atomic("run", "greet", "--help");
  expect(exitCode).toBe(2);
  expect(stderr).toContain("PROJECT_UNTRUSTED");
});

test("a run without a workflow is a wrong call", async () => {
  const { exitCode, stderr } = await environment.atomic("run");
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr:
      "error: missing required argument 'workflow'\n(List the workflows: atomic workflows list)\n(see: atomic run --help)\n",
  });
});

const AUDIT = `export const meta = { name: "audit", description: "Audits" };
const { depth } = args;
return await agent("Audit " + args.files.join() + depth);
`;

test("the inputs that a script reads are listed, and an input that it does not name is a note", async () => {
  await environment.write({ "home/.claude/workflows/audit.js": AUDIT });
  const { stdout } = await environment.atomic("run", "audit", "--help");
  expect(stdout).toEndWith("\nInputs, for --input NAME=VALUE, which it reads as args: depth, files\n");
  const inputs = ["files=[]", "dept=1", "other=2"].flatMap((input) => ["--input", input]);
  const { exitCode, stderr } = await environment.atomic("run", "audit", "--agent", "scripted", ...inputs);
  expect({ exitCode, notes: stderr.match(/^note: .*$/gm) }).toEqual({
    exitCode: 0,
    notes: [
      'note: The script does not read "dept" by its name. Did you mean "depth"?',
      'note: The script does not read "other" by its name. It reads: depth, files',
    ],
  });
});
