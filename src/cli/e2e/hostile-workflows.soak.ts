import { afterAll, beforeAll, expect, test } from "bun:test";
import { findProcesses, waitForNoProcess } from "./fixtures/processes.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

const HEALTHY = `import { graph, toolNode } from "@bastani/atomic/graph";
export default () => graph().start(toolNode({ id: "work", execute: () => "done" })).end().compile();
`;

const FILES = {
  exits: `process.exit(7);\n${HEALTHY}`,
  loops: `for (;;);\n${HEALTHY}`,
  waits: `await new Promise(() => {});\n${HEALTHY}`,
  prints: `console.log("hello");\n${HEALTHY}`,
  rejects: `Promise.reject(new Error("unheard"));\n${HEALTHY}`,
  throws: `throw new Error("at once");\n${HEALTHY}`,
  fat: `export const description = "x".repeat(100_000_000);\n${HEALTHY}`,
  killed: `process.kill(process.pid, "SIGKILL");\n${HEALTHY}`,
  floods: `for (let i = 0; i < 100; i++) console.log("y".repeat(1_000_000));\n${HEALTHY}`,
  meddles: `import { writeSync } from "node:fs";\nfor (const fd of [1, 2, 3, 4, 5]) try { writeSync(fd, "{}\\n"); } catch {}\n${HEALTHY}`,
  cyclic: `const own: any = {}; own.own = own;\nexport const defaultConfig = own;\n${HEALTHY}`,
  healthy: HEALTHY,
};

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await Sandbox.create();
  const files = Object.entries(FILES).map(([name, text]) => [`.atomic/workflows/${name}.ts`, text]);
  await sandbox.write(Object.fromEntries(files));
  await sandbox.atomic("trust", "add");
});

afterAll(async () => {
  await sandbox.remove();
});

function fileOf(name: string): string {
  return `${sandbox.project}/.atomic/workflows/${name}.ts`;
}

test("a healthy workflow beside hostile ones runs as if it were alone", async () => {
  const { exitCode, stderr } = await sandbox.atomic("run", "healthy");
  expect({
    exitCode,
    stderr: stderr
      .replace("▸ work\n", "")
      .replace(/run \w+/, "run ID")
      .replace(/\d+ms/, "0ms"),
  }).toEqual({
    exitCode: 0,
    stderr: "▶ healthy  run ID\n✔ work  0ms\n",
  });
});

test("each hostile file is one problem in the list", async () => {
  const { exitCode, stdout, stderr } = await sandbox.atomic("workflows", "list");
  expect({ exitCode, names: stdout.split("\n").map((line) => line.split(" ")[0]) }).toEqual({
    exitCode: 0,
    names: ["WORKFLOW", "cyclic", "floods", "healthy", "meddles", "prints", "ralph", "atomic", "review", "write", ""],
  });
  const lines = stderr.trimEnd().split("\n");
  expect(lines).toEqual([
    `error: ${fileOf("exits")}:1:9: Loading it threw process.exit(7) was called, which would end Atomic itself. Return, or throw an error, instead. Correct the file; code outside its functions runs whenever Atomic loads the file.`,
    `error: ${fileOf("fat")}:1:1: The export "description" is the text "${"x".repeat(56)}…, but must be a text of at most 10,000 characters. Correct "description", or remove it.`,
    `warning: ${fileOf("floods")}: It prints while it is loaded: "${"y".repeat(200)}…". Print in a node instead: this text appears before any run.`,
    `error: ${fileOf("killed")}: Loading it ended its process (SIGKILL). Correct the file: its code runs whenever it is loaded.`,
    `error: ${fileOf("loops")}: Loading did not finish within 10000 ms. Look for a loop at the top level that never ends; move slow work into a node.`,
    `warning: ${fileOf("prints")}: It prints while it is loaded: "hello". Print in a node instead: this text appears before any run.`,
    `error: ${fileOf("rejects")}: While it was loaded, nothing caught this error: unheard. Await every promise, and catch what timers and event listeners throw.`,
    `error: ${fileOf("throws")}:1:11: Loading it threw Error: at once. Correct the file; code outside its functions runs whenever Atomic loads the file.`,
    `error: ${fileOf("waits")}: Loading did not finish within 10000 ms. Move slow work into a node, or into the exported function; look for a top-level "await" that never ends.`,
  ]);
});

const LOAD = { work: "load", place: "at the top level" };
const BUILD = { work: "build its graph", place: "in the exported function" };

test("the file of the workflow itself has the same time limit", async () => {
  const files = [
    { name: "endless-load", code: FILES.loops, isJson: false, ...LOAD },
    { name: "waiting-load", code: FILES.waits, isJson: true, ...LOAD },
    { name: "endless-build", code: "export default () => { for (;;); };", isJson: true, ...BUILD },
    { name: "waiting-build", code: "export default () => new Promise(() => {});", isJson: false, ...BUILD },
  ];
  for (const { name, code } of files) await sandbox.write({ [`.atomic/workflows/${name}.ts`]: code });
  await sandbox.atomic("trust", "add");
  const calls = files.map(async ({ name, isJson, work, place }) => {
    const what = `The workflow "${name}" did not ${work} within 10000 ms (${fileOf(name)}).`;
    const remedy = `Look for a loop or an "await" ${place} that never ends, and move slow work into a node.`;
    const event = { type: "error", runId: null, code: "WORKFLOW_TIMEOUT", message: `${what} ${remedy}` };
    const { exitCode, stderr, stdout, events } = await sandbox.atomic("run", name, ...(isJson ? ["--json"] : []));
    expect({ exitCode, stderr, stdout: isJson ? "" : stdout, events }).toEqual<unknown>({
      exitCode: 1,
      stderr: isJson ? "" : `error: ${what}\n       ${remedy}\n       (WORKFLOW_TIMEOUT)\n`,
      stdout: "",
      events: isJson ? [event] : [],
    });
  });
  await Promise.all(calls);
  expect(await findProcesses(sandbox.mark)).toEqual([]);
});

test("a check ends with Atomic, however that ends", async () => {
  const call = sandbox.start(["workflows", "list"]);
  for (let isChecking = false; !isChecking; ) {
    isChecking = (await findProcesses(sandbox.mark)).some(({ command }) => command.includes("check-program"));
  }
  process.kill(call.pid, "SIGKILL");
  await call.ended;
  expect(await waitForNoProcess(sandbox.mark, 30_000)).toEqual([]);
});
