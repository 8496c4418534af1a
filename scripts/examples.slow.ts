import { expect, test } from "bun:test";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { type AtomicSandbox, createAtomicSandbox } from "./atomic-sandbox.ts";

const EXAMPLES = join(import.meta.dirname, "../examples");

/** The compared fields of an event that `--json` prints. */
interface PrintedEvent {
  readonly type: string;
  readonly runId: string;
  readonly nodeId?: string;
  readonly status?: string;
  readonly message?: string;
  readonly event?: { readonly type: string; readonly text?: string };
  readonly request?: { readonly question: string; readonly options: readonly { readonly label: string }[] };
}

/** A run, from its events. */
interface PrintedRun {
  readonly runId: string;
  readonly code: number;
  readonly status: string | undefined;
  /** The nodes that finished, in alphabetical order: those of a fork end in any. */
  readonly nodes: readonly string[];
  readonly logs: readonly (string | undefined)[];
  readonly requests: readonly PrintedEvent["request"][];
  /** The text of a node's agent. */
  agentText(nodeId: string): string;
}

async function createProject(): Promise<AtomicSandbox> {
  const sandbox = await createAtomicSandbox();
  await cp(EXAMPLES, join(sandbox.project, ".atomic/workflows"), { recursive: true });
  return sandbox;
}

async function execute(sandbox: AtomicSandbox, command: string): Promise<PrintedRun> {
  const { code, output } = await sandbox.run(`${command} --json`);
  // The cast is true for a program that prints run events; every field is compared below.
  const events = output
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as PrintedEvent);
  const ofType = (type: string): readonly PrintedEvent[] => events.filter((event) => event.type === type);
  return {
    runId: events[0]?.runId ?? "",
    code,
    status: ofType("run-end")[0]?.status,
    nodes: ofType("node-end")
      .map(({ nodeId = "" }) => nodeId)
      .sort(),
    logs: ofType("log").map(({ message }) => message),
    requests: ofType("request").map(({ request }) => request),
    agentText: (nodeId) =>
      ofType("agent")
        .filter(({ nodeId: from, event }) => from === nodeId && event?.type === "text-delta")
        .map(({ event }) => event?.text)
        .join(""),
  };
}

test("hello.ts shows what the agent wrote", async () => {
  await using sandbox = await createProject();
  const { code, status, nodes, logs } = await execute(sandbox, 'atomic run hello "the sea" --agent scripted --trust');
  expect({ code, status, nodes, logs }).toEqual({
    code: 0,
    status: "completed",
    nodes: ["show", "write"],
    logs: ["Scripted answer to: Write two lines about the sea."],
  });
});

test("parallel-research.ts joins three agents in order, and a fourth writes the answer", async () => {
  await using sandbox = await createProject();
  const run = await execute(sandbox, "atomic run parallel-research --agent scripted --trust");
  const { code, status, nodes, logs } = run;
  expect({ code, status, nodes, logs }).toEqual({
    code: 0,
    status: "completed",
    nodes: ["code", "docs", "show", "synthesise", "tests"],
    logs: ["3 findings by code, tests, docs", run.agentText("synthesise")],
  });
});

test.each([
  { answer: "approve", message: "Commit the uncommitted changes with git." },
  { answer: "discard", message: "Undo all uncommitted changes to tracked files" },
])("approve-change.ts stops at its question and carries out the answer $answer", async ({ answer, message }) => {
  await using sandbox = await createProject();
  const asked = await execute(
    sandbox,
    `atomic run approve-change --agent scripted --trust --input "checkCommand=echo 3 tests passed; exit 1"`,
  );
  expect({ code: asked.code, status: asked.status, nodes: asked.nodes }).toEqual({
    code: 3,
    status: "suspended",
    nodes: ["change", "check"],
  });
  expect(asked.requests).toMatchObject([
    {
      question: "`echo 3 tests passed; exit 1` ended with exit code 1\n3 tests passed\nKeep the change?",
      options: [{ label: "approve" }, { label: "discard" }],
    },
  ]);
  const answered = await execute(sandbox, `atomic runs answer ${asked.runId} ${answer}`);
  expect({ code: answered.code, status: answered.status, nodes: answered.nodes }).toEqual({
    code: 0,
    status: "completed",
    nodes: ["carry-out"],
  });
  expect(answered.agentText("carry-out")).toStartWith(`Scripted answer to: ${message}`);
});
