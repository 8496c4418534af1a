import { afterAll, beforeAll, expect, test } from "bun:test";
import { Sandbox } from "./fixtures/sandbox.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await Sandbox.create();
  await sandbox.atomic("trust", "add");
});

afterAll(async () => {
  await sandbox.remove();
});

/** A workflow of two nodes; the first one's code begins in line 4. */
function workflow(code: string, top = ""): string {
  return `import { graph, toolNode } from "@bastani/atomic/graph";
${top}
export default () => graph().start(toolNode({ id: "first", execute: async () => {
${code}
} })).then(toolNode({ id: "second", execute: () => 2 })).end().compile();
`;
}

function fileOf(name: string): string {
  return `${sandbox.project}/.atomic/workflows/${name}.ts`;
}

const ADVICE = "Await every promise, and catch what timers and event listeners throw.";
const FOR_EVER = "await new Promise(() => {});";

test.each([
  { name: "thrown", code: 'throw new Error("boom");', at: "4:11", message: "boom", nodeId: "first" },
  {
    name: "timer",
    code: `setTimeout(() => { throw new Error("boom"); }, 1); ${FOR_EVER}`,
    at: "4:30",
    message: `Nothing caught this error: boom. ${ADVICE}`,
    nodeId: "first",
  },
  {
    name: "emitter",
    code: `const bus = new EventTarget(); bus.addEventListener("x", () => { throw new Error("boom"); });
setTimeout(() => bus.dispatchEvent(new Event("x")), 1); ${FOR_EVER}`,
    at: "4:76",
    message: `Nothing caught this error: boom. ${ADVICE}`,
    nodeId: "first",
  },
  {
    name: "floating",
    code: 'void Promise.reject(new Error("boom"));',
    at: "4:25",
    message: `Nothing caught this error: boom. ${ADVICE}`,
    nodeId: undefined,
  },
])("an error fails the run and has its place in the file: $name", async ({ name, code: text, at, message, nodeId }) => {
  await sandbox.write({ [`.atomic/workflows/${name}.ts`]: workflow(text) });
  await sandbox.atomic("trust", "add");
  const frame = `${fileOf(name)}:${at}`;
  const { exitCode, stdout, stderr } = await sandbox.atomic("run", name);
  const where = nodeId === undefined ? "" : ` in "${nodeId}"`;
  const code = nodeId === undefined || name !== "thrown" ? "UNCAUGHT_ERROR" : "NODE_FAILED";
  const ownCode = code === "NODE_FAILED" ? "" : `  (${code})\n`;
  expect(exitCode).toBe(1);
  expect(stdout).toContain(`\nFailed${where}: ${message}\n${ownCode}  at ${frame}\n`);
  expect(stdout).toStartWith(`failed  ${name}  run `);
  expect(stderr).not.toContain("completed");
  if (nodeId !== undefined) expect(stderr.split("\n").slice(1)).toEqual([`✖ first: ${message}`, `  at ${frame}`, ""]);

  const { events } = await sandbox.atomic("run", name, "--json");
  const end = events.at(-1);
  const error = { code, message, frame };
  expect(end).toMatchObject({ type: "run-end", status: "failed", error });
  const shown = await sandbox.atomic("runs", "show", end?.runId ?? "");
  expect(shown.stdout).toContain(`\nFailed${where}: ${message}\n${ownCode}  at ${frame}\n`);
  expect(shown.stdout).not.toContain("    at ");
});

test("ATOMIC_DEBUG shows the whole stack, also later and of another process", async () => {
  await sandbox.write({ ".atomic/workflows/thrown.ts": workflow('throw new Error("boom");') });
  const failed = await sandbox.start(["run", "thrown"], { ATOMIC_DEBUG: "1" }).ended;
  const stack = `Error: boom\n    at execute (${fileOf("thrown")}:4:11)\n    at `;
  expect(failed.stdout).toContain(stack);
  const runId = /run ([0-9a-z]{12})/.exec(failed.stdout)?.[1] ?? "";
  const shown = await sandbox.start(["runs", "show", runId], { ATOMIC_DEBUG: "1" }).ended;
  expect(shown.stdout).toContain(stack);
});

test("an error that escapes while a workflow is loaded keeps a run's state unread and as it is", async () => {
  await sandbox.write({ ".atomic/workflows/late.ts": workflow('throw new Error("boom");') });
  const runId = /run ([0-9a-z]{12})/.exec((await sandbox.atomic("run", "late")).stdout)?.[1] ?? "";
  const top = 'void Promise.reject(new Error("boom"));';
  await sandbox.write({ ".atomic/workflows/late.ts": workflow('throw new Error("boom");', top) });
  await sandbox.atomic("trust", "add");
  const calls = [
    ["edit", runId, "--set", 'outputs={"a":1}'],
    ["show", runId, "--state"],
  ];
  for (const call of calls) {
    const { exitCode, stdout, stderr } = await sandbox.atomic("runs", ...call);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toStartWith("error: Nothing caught this error: boom.\n");
  }
  await sandbox.write({ ".atomic/workflows/late.ts": workflow('throw new Error("boom");') });
  const { stdout } = await sandbox.atomic("runs", "show", runId, "--state", "--json");
  expect(JSON.parse(stdout).outputs).toEqual({});
});

test("an uncaught error while a workflow is loaded is reported, and nothing runs", async () => {
  const other = await Sandbox.create();
  try {
    await other.write({ ".atomic/workflows/top.ts": workflow("", 'void Promise.reject(new Error("boom"));') });
    const { exitCode, stdout, stderr } = await other.atomic("run", "top", "--trust");
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `Trusted ${other.project}.\nerror: Nothing caught this error: boom.\n       ${ADVICE}\n       (UNCAUGHT_ERROR)\n       at ${other.project}/.atomic/workflows/top.ts:2:25\n`,
    });
    expect((await other.atomic("runs", "list")).stdout).toStartWith("There are no runs yet.");
  } finally {
    await other.remove();
  }
});
