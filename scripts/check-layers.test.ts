import { expect, test } from "bun:test";
import { checkLayersOf } from "./check-layers.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

const UPWARD =
  "An import points down the layers, never up: move the shared part to a lower room, or pass it in as an option.";
const SIDEWAYS = "Rooms of one layer do not know each other: move the shared part to a lower room.";
const FOLDERS =
  "Within a room imports point one way, from a folder to those below it in the order of scripts/layers.json: move the shared part down.";
const INNER =
  "Another room is imported only through its index.ts, or a face that scripts/layers.json opens to the importer: export the name there, or keep it private.";
const OWN_INDEX = "Inside a room import the file that has the name, not the room's own index.ts or another face.";
const PACKAGE = "A room uses only the packages that scripts/layers.json lists for it.";
const PROCESS =
  "Only cli/ reads the process (arguments, environment, working directory, exit; kill and the runtime's own facts are free): take the value as an option.";

/** The messages for a repository that holds just these files. */
async function problemsOf(files: { readonly [path: string]: string }): Promise<readonly string[]> {
  await using folder = await createTemporaryFolder();
  await folder.write(files);
  return (await checkLayersOf(folder.path)).problems;
}

test("an import of a higher layer is an error, as a value, as a type, dynamically and in a type expression", async () => {
  const problems = await problemsOf({
    "src/cli/index.ts": "export type Main = 1;\n",
    "src/graph/run.ts": [
      'import { main } from "../cli/index.ts";',
      "",
      'import type { Main } from "../cli/index.ts";',
      'export const load = () => import("../cli/index.ts");',
      'export type Again = import("../cli/index.ts").Main;',
      'export * from "../cli/index.ts";',
    ].join("\n"),
  });
  const detail = `graph (layer 2) imports cli (layer 5) ("../cli/index.ts"). ${UPWARD}`;
  expect(problems).toEqual([1, 3, 4, 5, 6].map((line) => `src/graph/run.ts:${line} upward-import: ${detail}`));
});

test("an import between rooms of one layer is an error", async () => {
  const problems = await problemsOf({ "src/discovery/agents.ts": '\nimport { graph } from "../graph/index.ts";\n' });
  expect(problems).toEqual([
    `src/discovery/agents.ts:2 sideways-import: discovery (layer 2) imports graph (layer 2) ("../graph/index.ts"). ${SIDEWAYS}`,
  ]);
});

test("within a room, an import of a folder above or on the same level, or of a file above the folders, is an error", async () => {
  const problems = await problemsOf({
    "src/clients/policy/decide.ts": 'import type { A } from "../vendors/claude/session.ts";\n',
    "src/clients/turn/structured/read-answer.ts": 'import "../agent-turn.ts";\nimport "../../create-client.ts";\n',
    "src/clients/vendors/claude/session.ts":
      'import { B } from "../../policy/decide.ts";\nimport "../claude-settings/guard.ts";\nimport "../opencode/session.ts";\n',
    "src/clients/create-client.ts": 'import "./vendors/claude/session.ts";\n',
    "src/graph/state/annotation.ts": 'import "../nodes/agents/agent-node.ts";\n',
    "src/graph/nodes/agents/agent-node.ts": 'import "../../state/annotation.ts";\nimport "./agent-session.ts";\n',
  });
  expect(problems).toEqual([
    `src/clients/policy/decide.ts:1 folder-order: clients/policy imports clients/vendors/claude ("../vendors/claude/session.ts"), which is above it. ${FOLDERS}`,
    `src/clients/turn/structured/read-answer.ts:2 folder-order: clients/turn imports "../../create-client.ts", which is above the folders. ${FOLDERS}`,
    `src/clients/vendors/claude/session.ts:3 folder-order: clients/vendors/claude imports clients/vendors/opencode ("../opencode/session.ts"), which is beside it. ${FOLDERS}`,
    `src/graph/state/annotation.ts:1 folder-order: graph/state imports graph/nodes/agents ("../nodes/agents/agent-node.ts"), which is above it. ${FOLDERS}`,
  ]);
});

test("a folder that the order of its room does not list is an error", async () => {
  const problems = await problemsOf({ "src/graph/helpers/text.ts": "export const a = 1;\n" });
  expect(problems).toEqual([
    'src/graph/helpers/text.ts:1 unknown-folder: "graph/helpers" is not listed. Every folder of this room stands in its order in scripts/layers.json.',
  ]);
});

test("a folder's own packages are allowed in the folders below it, and in no other", async () => {
  const problems = await problemsOf({
    "src/clients/turn/structured/read-answer.ts": 'export { Ajv } from "ajv";\n',
    "src/clients/turn/agent-turn.ts": 'export { Ajv } from "ajv";\n',
  });
  expect(problems).toEqual([
    `src/clients/turn/agent-turn.ts:1 package-not-allowed: clients uses "ajv"; it may use node:*. ${PACKAGE}`,
  ]);
});

test("an import of a lower room that the table does not list, or of a file outside src/, is an error", async () => {
  const problems = await problemsOf({
    "src/workflows/agent.ts":
      'import "../clients/index.ts";\nimport "../../scripts/check.ts";\nimport "../../package.json";\n',
  });
  const rule = "A room imports only the rooms that scripts/layers.json lists for it.";
  expect(problems).toEqual([
    `src/workflows/agent.ts:1 undeclared-import: workflows (layer 3) imports clients (layer 2) ("../clients/index.ts"). ${rule}`,
    `src/workflows/agent.ts:2 undeclared-import: workflows imports "../../scripts/check.ts", which is outside src/. ${rule}`,
  ]);
});

test("imports of another room's inner file and of the own room's index.ts are errors", async () => {
  const problems = await problemsOf({
    "src/contracts/json.ts": "export type Json = string;\n",
    "src/graph/codec.ts": 'import type { Json } from "../contracts/json.ts";\nimport { run } from "./index.ts";\n',
    "src/index.ts": 'export { run } from "./graph/codec.ts";\n',
  });
  expect(problems).toEqual([
    `src/graph/codec.ts:1 inner-file-import: graph imports "../contracts/json.ts" instead of the index.ts of contracts. ${INNER}`,
    `src/graph/codec.ts:2 own-index-import: "./index.ts" is the index.ts of graph itself. ${OWN_INDEX}`,
    `src/index.ts:1 inner-file-import: (entry) imports "./graph/codec.ts" instead of the index.ts of graph. ${INNER}`,
  ]);
});

test("a further face of a room is open only to the rooms that the table names", async () => {
  const problems = await problemsOf({
    "src/cli/run.ts": 'import type { RunPort } from "../graph/engine.ts";\n',
    "src/cluster/port.ts": 'import type { RunPort } from "../graph/engine.ts";\n',
    "src/graph/compiled-graph.ts": 'import { Coordinator } from "./engine.ts";\n',
    "src/testkit/conformance/engine/port.ts": 'import type { RunPort } from "../../../graph/engine.ts";\n',
    "src/workflows/run.ts": 'import { Coordinator } from "../graph/engine.ts";\n',
  });
  const closed = (room: string) =>
    `${room} imports "../graph/engine.ts", a face of graph that is open to cluster, testkit only. ${INNER}`;
  expect(problems).toEqual([
    `src/cli/run.ts:1 inner-file-import: ${closed("cli")}`,
    `src/graph/compiled-graph.ts:1 own-index-import: "./engine.ts" is a face of graph itself. ${OWN_INDEX}`,
    `src/workflows/run.ts:1 inner-file-import: ${closed("workflows")}`,
  ]);
});

test("a package that the room does not list is an error, a vendor's outside its folder and Bun in the graph included", async () => {
  const problems = await problemsOf({
    "src/clients/vendors/claude/session.ts": 'import { query } from "@anthropic-ai/claude-agent-sdk/sdk";\n',
    "src/clients/vendors/opencode/session.ts": 'const sdk = await import("@anthropic-ai/claude-agent-sdk");\n',
    "src/contracts/clock.ts": 'import { hrtime } from "node:process";\nimport { readFile } from "node:fs";\n',
    "src/graph/run.ts":
      'import { $ } from "bun";\nimport { Database } from "bun:sqlite";\nexport const now = Bun.nanoseconds();\n',
    "src/testkit/suite.ts": 'import { test } from "bun:test";\nimport assert from "node:assert";\n',
  });
  expect(problems).toEqual([
    `src/clients/vendors/opencode/session.ts:1 package-not-allowed: clients/vendors/opencode uses "@anthropic-ai/claude-agent-sdk"; it may use node:*, @opencode-ai/sdk. ${PACKAGE}`,
    `src/contracts/clock.ts:1 process-outside-cli: contracts uses node:process. ${PROCESS}`,
    `src/contracts/clock.ts:2 package-not-allowed: contracts uses "node:fs"; it may use none. ${PACKAGE}`,
    `src/graph/run.ts:1 package-not-allowed: graph uses "bun"; it may use node:*. ${PACKAGE}`,
    `src/graph/run.ts:2 package-not-allowed: graph uses "bun:sqlite"; it may use node:*. ${PACKAGE}`,
    `src/graph/run.ts:3 package-not-allowed: graph uses the global Bun; it may use node:*. ${PACKAGE}`,
  ]);
});

test("the process is read only in cli, by any expression; a local name or a field called process is allowed", async () => {
  const problems = await problemsOf({
    "src/cli/main.ts": "export const args = process.argv;\n",
    "src/discovery/home.ts": [
      "export const home = process.env.HOME;",
      "export const same = globalThis.process.cwd();",
      "export const third = Bun.env.HOME;",
      "export const fourth = import.meta.env.HOME;",
      "export const fifth = { process };",
      "export type Sixth = typeof process;",
    ].join("\n"),
    "src/graph/run.ts": [
      "export interface Child { readonly process: number }",
      "export const idOf = (child: Child) => child.process;",
      "export function stop(process: { kill(): void }) { return () => process.kill(); }",
      "export function start() { const { process } = { process: 1 }; return { process }; }",
    ].join("\n"),
  });
  const uses = ["process", "process", "Bun.env", "import.meta.env", "process", "process"];
  expect(problems).toEqual(
    uses.map(
      (use, index) => `src/discovery/home.ts:${index + 1} process-outside-cli: discovery uses ${use}. ${PROCESS}`,
    ),
  );
});

test("ending a process that one started, and facts about the runtime, need no permission", async () => {
  const problems = await problemsOf({
    "src/clients/end.ts":
      'import { execPath, kill, versions } from "node:process";\nexport const end = () => kill(1);\n',
    "src/graph/end.ts": "export const end = () => process.kill(1);\nexport const all = [process].map(String);\n",
    "src/graph/more.ts": 'import { env, kill } from "node:process";\nimport all from "node:process";\n',
  });
  expect(problems).toEqual([
    `src/graph/end.ts:2 process-outside-cli: graph uses process. ${PROCESS}`,
    `src/graph/more.ts:1 process-outside-cli: graph uses node:process. ${PROCESS}`,
    `src/graph/more.ts:2 process-outside-cli: graph uses node:process. ${PROCESS}`,
  ]);
});

test("a variable at the top of a module and an unknown room are errors", async () => {
  const problems = await problemsOf({
    "src/graph/run.ts": "export let current: string | undefined;\nconst fixed = 1;\nfunction f() { let inner = 1; }\n",
    "src/helpers/text.ts": "export const a = 1;\n",
  });
  expect(problems).toEqual([
    "src/graph/run.ts:1 module-level-let: current is declared with let at the top of the module. No state that outlives a call at the top of a module: hold it in an object that the caller creates.",
    'src/helpers/text.ts:1 unknown-room: "helpers" is no room. Every folder directly under src/ is a room listed in scripts/layers.json.',
  ]);
});

test("test files and fixtures may import anything", async () => {
  const problems = await problemsOf({
    "src/graph/run.ts": "export const a = 1;\n",
    "src/graph/run.test.ts": 'import "./run.ts";\nimport "../cli/main.ts";\nimport "zod";\nlet state = process.env;\n',
    "src/graph/crash.soak.ts": 'import { test } from "bun:test";\nimport "../clients/vendors/claude/session.ts";\n',
    "src/graph/fixtures/child.ts": 'import "../index.ts";\nprocess.exit(3);\n',
  });
  expect(problems).toEqual([]);
});

test("only a test may import a test", async () => {
  const problems = await problemsOf({
    "src/graph/run.test.ts": "",
    "src/graph/run.ts": 'import "./run.test.ts";\nimport "./fixtures/child.ts";\n',
  });
  const rule = "Only tests import tests and what is in a folder named fixtures.";
  expect(problems).toEqual([
    `src/graph/run.ts:1 test-file-import: "./run.test.ts" serves tests. ${rule}`,
    `src/graph/run.ts:2 test-file-import: "./fixtures/child.ts" serves tests. ${rule}`,
  ]);
});

test("a file that does not parse is named with its line", async () => {
  await using folder = await createTemporaryFolder();
  await folder.write({ "src/graph/run.ts": "export const a = 1;\nexport const = 2;\n" });
  await expect(checkLayersOf(folder.path)).rejects.toThrow(/^src\/graph\/run\.ts:2 does not parse: /);
});
