import { expect, test } from "bun:test";
import type { EntityType } from "./entity.ts";
import { parseOpenCodeConfig } from "./parse-opencode-config.ts";

const REMEDY = "Correct the entry; the others are used.";
const NOT_USED = "The definition is not used, because its limit of tools cannot be read.";

const options = { path: "/p/opencode.json", location: "project", expand: async (text: string) => text } as const;

async function read(config: unknown) {
  const { entities, problems } = await parseOpenCodeConfig(JSON.stringify(config, undefined, 1), options);
  return { names: entities.map(({ name }) => name), problems };
}

const good = { prompt: "Work." };

test.each([
  { config: { agent: { good, bad: 7 } }, line: 6, column: 3, message: "agent.bad must be an object" },
  {
    config: { agent: { good }, command: { c: { description: "Counts" } } },
    line: 8,
    column: 3,
    message: "command.c.template must be a text",
  },
  {
    config: { agent: { good, bad: { prompt: "x", temperature: "warm" } } },
    line: 8,
    column: 4,
    message: "agent.bad.temperature must be a number",
  },
  {
    config: { agent: { good, bad: { prompt: "x", tools: ["read"] } } },
    line: 8,
    column: 4,
    message: "agent.bad.tools must be an object",
  },
  {
    config: { agent: { good, bad: { prompt: "x", tools: { read: 5 } } } },
    line: 9,
    column: 5,
    message: "agent.bad.tools.read must be true or false",
  },
  {
    config: { agent: { good, bad: { prompt: "x", permission: { edit: "denied" } } } },
    line: 8,
    column: 4,
    message: 'agent.bad.permission must be "ask", "allow" or "deny", or an object of one of them for each tool',
  },
])("what OpenCode rejects is a problem with its place: $message", async ({ config, line, column, message }) => {
  const problem = { path: "/p/opencode.json", line, column, message, remedy: REMEDY, severity: "error" as const };
  const types: readonly EntityType[] = [message.startsWith("command") ? "command" : "agent"];
  expect(await read(config)).toEqual({ names: ["good"], problems: [{ ...problem, types }] });
});

test("a section that is no object is a problem", async () => {
  const { problems } = await read({ agent: 7, command: null });
  expect(problems.map(({ message, remedy }) => [message, remedy])).toEqual([
    ["agent must be an object", "Correct it; the rest of the file is used."],
    ["command must be an object", "Correct it; the rest of the file is used."],
  ]);
});

test("an entry is not used without a limit that is misspelled; other unknown fields are kept", async () => {
  const { names, problems } = await read({
    agent: { good: { ...good, reasoningEffort: "high" }, bad: { ...good, Tools: { write: false } } },
  });
  expect(names).toEqual(["good"]);
  expect(problems).toEqual([
    {
      path: "/p/opencode.json",
      line: 9,
      column: 4,
      message: 'Unknown field "Tools"; did you mean "tools"?',
      remedy: `Correct the name. ${NOT_USED}`,
      severity: "error",
      types: ["agent"],
    },
  ]);
});

test("a configuration that is nested without end is one problem", async () => {
  const text = `${'{"x":'.repeat(100_000)}1${"}".repeat(100_000)}`;
  expect((await parseOpenCodeConfig(text, options)).problems.map(({ message }) => message)).toEqual([
    "Its objects and lists are nested more than 100 deep",
  ]);
});
