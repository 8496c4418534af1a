import { expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createRedactor } from "../../contracts/index.ts";
import {
  type AgentDefinition,
  InvalidOptionsError,
  NamedRegistry,
  type RunServices,
  SubagentGraphBridge,
  SubagentSessionManager,
} from "../../graph/index.ts";
import type { AgentScript } from "../../testkit/index.ts";
import { createDebugSteps } from "./debug-nodes.ts";
import { openBenches, plan, type RalphBench } from "./fixtures/ralph-bench.ts";
import { createRalphWorkflow } from "./ralph-workflow.ts";

const open = openBenches();

const REPORT = {
  errorSummary: "src/a.ts:1 divides\nby zero. Certain.",
  stackTrace: "at divide (src/a.ts:1)",
  relevantFiles: ["src/a.ts"],
  suggestedFixes: ["Check the divisor"],
};

interface Failing {
  readonly ids: readonly string[];
  /** What the debugger answers. @default REPORT */
  readonly debug?: AgentScript;
}

/** Plans tasks, of which those in `ids` fail while they are there. */
async function openFailing({ ids, debug = () => ({ structured: REPORT }) }: Failing): Promise<RalphBench> {
  const bench = await open((turn, tools) => {
    const { outputSchema, prompt } = turn;
    if (prompt.includes("could not do the task")) return debug(turn, tools);
    if (outputSchema !== undefined) return { structured: { tasks: ids.map((id) => plan(id)) } };
    const error = new Error(`Task ${/\(task (\S+)\)/.exec(prompt)?.[1]} is hard`);
    throw Object.assign(error, { isRetryable: false });
  });
  const agents = [
    { name: "worker", prompt: "You work." },
    { name: "debugger", prompt: "You find causes." },
  ];
  bench.services = { agents: new NamedRegistry<AgentDefinition>(agents) };
  return bench;
}

const debugTurns = (bench: RalphBench) =>
  bench.agent.turns.filter(({ prompt }) => prompt.includes("could not do the task"));

const published = (bench: RalphBench) =>
  bench.events.flatMap((event) => (event.type === "debug-report" ? [event.report] : []));

test("a task that failed for good gets a report: in the state, a file, the error and an event", async () => {
  const bench = await openFailing({ ids: ["a"] });
  const { state, errorInfo } = await bench.run({ prompt: "Build it" }, undefined, { maxAttempts: 2 });
  const reports = [{ id: "a", report: REPORT }];
  expect(state.debugReports).toEqual(reports);
  expect(JSON.parse(await readFile(join(bench.root, "session", "debug-reports.json"), "utf8"))).toEqual(reports);
  expect(published(bench)).toEqual([REPORT]);
  expect(errorInfo?.message).toBe(
    [
      "These tasks are not done:",
      "  - a, Task a: failed: Task a is hard",
      "    Cause: src/a.ts:1 divides by zero. Certain.",
      `The reports: ${bench.root}/session/debug-reports.json`,
      `Resume the run to try them again. You can correct the tasks before, in ${bench.root}/session/tasks.json.`,
    ].join("\n"),
  );
  const [turn] = debugTurns(bench);
  expect(debugTurns(bench)).toHaveLength(1);
  expect(turn?.prompt).toContain("A coding agent could not do the task a, Task a. Find out why.");
  expect(turn?.prompt).toContain("<task>\nDo a.\n</task>");
  expect(turn?.prompt).toMatch(/<failure-(\w+)>\nTask a is hard\n<\/failure-\1>/);
});

test("the next attempt after a resume knows the report; another failure for good has another report", async () => {
  let count = 0;
  const bench = await openFailing({
    ids: ["a"],
    debug: () => ({ structured: { ...REPORT, errorSummary: `Cause ${++count}` } }),
  });
  await bench.run({ prompt: "Build it" }, undefined, { maxAttempts: 2 });
  const { state, errorInfo } = await bench.resume(undefined, { maxAttempts: 2 });
  const works = bench.agent.turns.filter(({ prompt }) => prompt.startsWith("Implement exactly one task"));
  const known = works.map(({ prompt }) => /"errorSummary": "(.*)"/.exec(prompt)?.[1]);
  expect(known).toEqual([undefined, undefined, "Cause 1", undefined]);
  expect(state.debugReports.map(({ report }) => report?.errorSummary)).toEqual(["Cause 2"]);
  expect(errorInfo?.message).toContain("\n    Cause: Cause 2\n");
});

test("without a report the failure is shown as it is, and the log says why there is none", async () => {
  const bench = await openFailing({
    ids: ["a"],
    debug: () => {
      throw new Error("No idea");
    },
  });
  const { state, errorInfo } = await bench.run({ prompt: "Build it" }, undefined, { maxAttempts: 1 });
  expect(state.debugReports).toEqual([{ id: "a", report: null }]);
  expect(errorInfo).toMatchObject({ code: "RALPH_TASKS_LEFT", message: expect.not.stringContaining("Cause") });
  expect(bench.logs).toContain("The cause of the failure of task a was not found: No idea");
  expect(published(bench)).toEqual([]);
});

test("a report of an earlier failure does not stand for a later one", async () => {
  let count = 0;
  const bench = await openFailing({
    ids: ["a"],
    debug: () => {
      if (++count > 1) throw new Error("No idea");
      return { structured: REPORT };
    },
  });
  await bench.run({ prompt: "Build it" }, undefined, { maxAttempts: 1 });
  const { state } = await bench.resume(undefined, { maxAttempts: 1 });
  expect(state.debugReports).toEqual([{ id: "a", report: null }]);
});

test("more failures than the limit are named and left out", async () => {
  const bench = await openFailing({ ids: ["a", "b", "c"] });
  const { state } = await bench.run({ prompt: "Build it" }, undefined, { maxAttempts: 1, maxDebugReports: 2 });
  expect(debugTurns(bench)).toHaveLength(2);
  expect(state.debugReports.map(({ id, report }) => [id, report !== null])).toEqual([
    ["a", true],
    ["b", true],
    ["c", false],
  ]);
  expect(bench.logs).toContain("The causes of 2 failures are looked for. Left out: c");
});

test("with maxDebugReports: 0 no cause is looked for", async () => {
  const bench = await openFailing({ ids: ["a"] });
  await bench.run({ prompt: "Build it" }, undefined, { maxAttempts: 1, maxDebugReports: 0 });
  expect(debugTurns(bench)).toEqual([]);
  expect(() => createRalphWorkflow({ maxDebugReports: -1 })).toThrow(InvalidOptionsError);
});

test("a task that a person marked as failing needs no cause", async () => {
  const bench = await open(async ({ outputSchema, prompt }) => {
    if (outputSchema !== undefined) return { structured: { tasks: [plan("a"), plan("b")] } };
    await bench.editTasks(([a, b]) => [a, { ...b, status: "failing" }]);
    return prompt;
  });
  const { errorInfo } = await bench.run({ prompt: "Build it" });
  expect(errorInfo?.message).toContain("b, Task b: is marked as failing");
  expect(debugTurns(bench)).toEqual([]);
});

test("the debugger may only read", async () => {
  const bench = await openFailing({ ids: ["a"] });
  await bench.run({ prompt: "Build it" }, undefined, { maxAttempts: 1 });
  const [turn] = debugTurns(bench);
  expect(turn?.config.permissions).toEqual({
    rules: [
      { effect: "deny", tools: ["edit", "shell", "fetch", "mcp", "agent", "other"] },
      { effect: "deny", exceptTools: ["read", "grep", "glob", "list"] },
    ],
    otherwise: "deny",
  });
});

test("a cancel during the search cancels the run", async () => {
  const controller = new AbortController();
  const bench = await openFailing({
    ids: ["a"],
    debug: () => {
      controller.abort(new Error("Enough"));
      return { structured: REPORT };
    },
  });
  const { status } = await bench.run({ prompt: "Build it" }, controller.signal, { maxAttempts: 1 });
  expect(status).toBe("cancelled");
});

test("what reports quote is redacted in the session's file", async () => {
  const secret = "hunter2-hunter2-hunter2";
  const bench = await openFailing({ ids: ["a"], debug: () => ({ structured: { ...REPORT, stackTrace: secret } }) });
  bench.services = { ...bench.services, redactor: createRedactor({ secrets: [{ name: "KEY", value: secret }] }) };
  await bench.run({ prompt: "Build it" }, undefined, { maxAttempts: 1 });
  const file = await readFile(join(bench.root, "session", "debug-reports.json"), "utf8");
  expect(file).toContain('"stackTrace": "[redacted:KEY]"');
});

test("a report that cannot be written hides nothing", async () => {
  const bench = await openFailing({ ids: ["a"] });
  await mkdir(join(bench.root, "session", "debug-reports.json"));
  const { errorInfo } = await bench.run({ prompt: "Build it" }, undefined, { maxAttempts: 1 });
  expect(errorInfo).toMatchObject({ code: "RALPH_TASKS_LEFT", message: expect.stringContaining("Cause: src/a.ts:1") });
  expect(bench.logs.at(-1)).toStartWith("The reports about failures cannot be written: EISDIR");
});

test("work on a branch of its own is in the prompt, up to a limit", async () => {
  const bench = await openFailing({ ids: [] });
  const project = join(bench.root, "project");
  const git = async (...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)("git", ["-c", "user.name=T", "-c", "user.email=t@localhost", ...args], { cwd: project }))
      .stdout;
  await git("init", "-q", "-b", "main");
  await git("commit", "-q", "--allow-empty", "-m", "start");
  await git("switch", "-q", "-c", "atomic/run1/a");
  await bench.write("project/a.txt", `${"first\n".repeat(5_000)}last\n`);
  await git("add", "-A");
  await git("commit", "-q", "-m", "work");
  await git("switch", "-q", "main");
  const input = {
    isIsolated: true,
    branch: "main",
    tasks: [{ id: "a", name: "Task a", status: "failing" as const }],
    tasksPath: join(bench.root, "session", "tasks.json"),
    unfinishedTasks: [{ id: "a", name: "Task a", status: "failing" as const, reason: "failed" }],
    taskFailures: { a: { attempts: 3, message: "It is hard" } },
  };
  const services: RunServices = {
    clients: () => bench.agent,
    subagents: new SubagentGraphBridge({ sessionManager: new SubagentSessionManager({ clients: () => bench.agent }) }),
    ...bench.services,
    workingDirectory: project,
    git: async (args) => ({ type: "done", stdout: await git(...args) }),
  };
  const { status } = await createDebugSteps(1, []).end().compile().run(input, { runId: "run1", services });
  expect(status).toBe("completed");
  const prompt = debugTurns(bench)[0]?.prompt ?? "";
  const [, , changes = ""] = /\n<changes-(\w+)>\n(.*)\n<\/changes-\1>/s.exec(prompt) ?? [];
  expect(changes).toContain("+++ b/a.txt\n");
  expect(changes).not.toContain("last");
  expect(changes.length).toBe(20_000);
});
