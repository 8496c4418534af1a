import { afterAll, beforeAll, expect, test } from "bun:test";
import { Sandbox } from "./fixtures/sandbox.ts";

let sandbox: Sandbox;

const CHATTY = `import { graph, toolNode } from "@bastani/atomic/graph";
console.log("top of the file");
export default () => graph().start(toolNode({ id: "talk", execute: async () => {
  console.log("one", { a: 1 });
  console.error("two\\nthree \\u001b[2J");
  process.stdout.write("fo");
  process.stdout.write("ur");
} })).end().compile();
`;

/** Writes past Atomic to the descriptor of standard output, as do its children. */
const RAW = `import { spawnSync } from "node:child_process";
import { writeSync } from "node:fs";
import { graph, toolNode } from "@bastani/atomic/graph";
export default () => graph().start(toolNode({ id: "talk", execute: async () => {
  writeSync(1, "written\\n");
  spawnSync("echo", ["child"], { stdio: "inherit" });
  await Bun.write(Bun.stdout, "by Bun\\n");
} })).end().compile();
`;

beforeAll(async () => {
  sandbox = await Sandbox.create();
  await sandbox.write({ ".atomic/workflows/chatty.ts": CHATTY, ".atomic/workflows/raw.ts": RAW });
  await sandbox.atomic("trust", "add");
});

afterAll(async () => {
  await sandbox.remove();
});

test("what a node writes is its log", async () => {
  const { exitCode, stdout, stderr } = await sandbox.atomic("run", "chatty");
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^completed {2}chatty {2}run \S+ {2}\S+\nSession: \S+\n$/);
  expect(stderr.replace(/\b[0-9a-z]{12}\b/, "ID").replace(/\d+ms/, "MS")).toBe(
    "top of the file\n▶ chatty  run ID\n· one { a: 1 }\n· two\n· three \n· four\n✔ talk  MS\n",
  );
});

test("with --json each text is an event, and nothing else is on standard output", async () => {
  const { exitCode, stdout, stderr, events } = await sandbox.atomic("run", "chatty", "--json");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout.trimEnd().split("\n")).toHaveLength(events.length);
  const logs = events.filter(({ type }) => type === "log").map(({ runId, at: _at, ...log }) => log);
  const node = { type: "log", nodeId: "talk", taskId: "talk" };
  expect<unknown>(logs).toEqual([
    { type: "log", message: "top of the file" },
    { ...node, message: "one { a: 1 }" },
    { ...node, message: "two\nthree \u001b[2J" },
    { ...node, message: "four" },
  ]);
});

test("with --json what a node and its children write to the descriptor itself is on standard error", async () => {
  const { exitCode, stdout, stderr, events } = await sandbox.atomic("run", "raw", "--json");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "written\nchild\nby Bun\n" });
  expect(stdout.trimEnd().split("\n")).toHaveLength(events.length);
});

test("a command that prints one value as JSON prints nothing else", async () => {
  const { exitCode, stdout, stderr } = await sandbox.atomic("workflows", "list", "--json");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(JSON.parse(stdout).problems).toEqual([
    {
      path: `${sandbox.project}/.atomic/workflows/chatty.ts`,
      message: 'It prints while it is loaded: "top of the file".',
      remedy: "Print in a node instead: this text appears before any run.",
      severity: "warning",
    },
  ]);
});
