import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunEvent } from "../../contracts/index.ts";
import {
  agentNode,
  clearContextNode,
  contextMonitorNode,
  defineState,
  graph,
  type StateOf,
  shellNode,
  type Task,
  taskLoopFields,
  taskLoopNode,
} from "../../graph/index.ts";
import { type AgentScript, createScriptedAgent } from "../../testkit/index.ts";
import { createSessionStore } from "../session-store/session-store.ts";
import { createWorkflowRuns, type ExecuteOptions } from "../workflow-runs.ts";

const State = defineState({ ...taskLoopFields });
type State = StateOf<typeof State>;

/** Works like Ralph, but on a list that a person wrote. */
const workflow = graph(State)
  .start(
    taskLoopNode<State>({
      preIterationNode: clearContextNode({ session: "implement", action: "recreate" }),
      taskNodes: [
        agentNode({
          id: "implement",
          session: "implement",
          buildMessage: ({ currentTask, taskFailures }) =>
            `Write ${currentTask?.id}.txt. ${taskFailures[currentTask?.id ?? ""]?.message ?? ""}`.trim(),
        }),
        shellNode({ id: "verify", command: ({ currentTask }) => `grep -q done ${currentTask?.id}.txt` }),
        agentNode({ id: "review", session: "implement", buildMessage: "Look at it once more." }),
        contextMonitorNode({ session: "implement" }),
      ],
      maxAttempts: 2,
    }),
  )
  .end()
  .compile();

let root = "";
let project = "";
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-task-loop-")));
  project = join(root, "project");
  await mkdir(join(project, "research"), { recursive: true });
});
afterEach(() => rm(root, { recursive: true, force: true }));

const tasksPath = (): string => join(project, "research", "tasks.json");

async function writeTasks(...tasks: readonly Partial<Task>[]): Promise<void> {
  const full = tasks.map((task) => ({ name: `Write ${task.id}`, status: "pending", ...task }));
  await writeFile(tasksPath(), JSON.stringify({ version: "1.0", tasks: full, note: "ours" }));
}

async function readStatuses(): Promise<string> {
  const { tasks } = JSON.parse(await readFile(tasksPath(), "utf8"));
  return tasks.map(({ id, status }: Task) => `${id} ${status}`).join(", ");
}

/** Runs of the workflow with an agent that answers from a script, as in the program. */
function bench(script: AgentScript) {
  const agent = createScriptedAgent({ script, workingDirectory: project });
  const runs = createWorkflowRuns({
    store: createSessionStore({ root: join(root, "sessions") }),
    owner: { pid: process.pid, startedAt: "2026-01-01T00:00:00.000Z" },
  });
  const events: RunEvent[] = [];
  const stop = new AbortController();
  const options: ExecuteOptions = {
    graph: workflow,
    metadata: { name: "tasks", description: "", aliases: [], source: "local" },
    services: { clients: () => agent, workingDirectory: project },
    signal: stop.signal,
    onEvent: (event) => events.push(event),
  };
  return { agent, runs, events, stop, options, start: { ...options, input: {}, projectDirectory: project } };
}

/** Writes the file that the prompt names. */
function writer(content: (id: string, prompt: string) => string): AgentScript {
  return ({ prompt }) => {
    const id = /Write (\w+)\.txt/.exec(prompt)?.[1];
    if (id === undefined) return "It is good.";
    return { actions: [{ type: "edit-file", path: `${id}.txt`, content: content(id, prompt) }], text: "Written." };
  };
}

test("a list of tasks is worked off with a fresh conversation for each, and every result is verified", async () => {
  await writeTasks({ id: "c", dependencies: ["b"] }, { id: "a" }, { id: "b", dependencies: ["a"] });
  const { agent, runs, start, events } = bench(
    writer((id, prompt) => (id === "b" && !prompt.includes("exit code") ? "half" : "done")),
  );
  const { status, state } = await runs.start(start);
  expect(status).toBe("completed");
  expect(state).toMatchObject({ allTasksComplete: true, iteration: 4, taskFailures: {} });
  expect(await readStatuses()).toBe("c passing, a passing, b passing");
  expect(JSON.parse(await readFile(tasksPath(), "utf8"))).toMatchObject({ note: "ours" });
  const review = "Look at it once more.";
  expect(agent.turns.map(({ prompt }) => prompt)).toEqual([
    "Write a.txt.",
    review,
    "Write b.txt.",
    "Write b.txt. The command `grep -q done b.txt` ended with exit code 1.",
    review,
    "Write c.txt.",
    review,
  ]);
  const sessions = agent.turns.map(({ sessionId }) => sessionId);
  expect(sessions.map((id) => sessions.indexOf(id))).toEqual([0, 0, 2, 3, 3, 5, 5]);
  const listed = events.flatMap((event) => (event.type === "tasks" ? [event.tasks.map((task) => task.status)] : []));
  expect(listed.at(-1)).toEqual(["passing", "passing", "passing"]);
});

test("a run that was stopped during a task resumes it, in the agent's own session", async () => {
  await writeTasks({ id: "a" }, { id: "b" });
  const { agent, runs, start, stop, options } = bench(async (turn, tools) => {
    if (turn.prompt === "Write b.txt." && turn.turnIndex === 0) stop.abort(new Error("enough"));
    return await writer(() => "done")(turn, tools);
  });
  const stopped = await runs.start(start);
  expect(stopped.status).toBe("cancelled");
  expect(await readStatuses()).toBe("a passing, b in_progress");
  const { status, state } = await runs.resume(stopped.runId, {}, { ...options, signal: new AbortController().signal });
  expect(status).toBe("completed");
  expect(state).toMatchObject({ iteration: 2, taskFailures: {} });
  expect(await readStatuses()).toBe("a passing, b passing");
  const work = agent.turns.filter(({ prompt }) => prompt.includes("Write b.txt."));
  expect(work.map(({ sessionId }) => sessionId)).toEqual([work[0]?.sessionId ?? "", work[0]?.sessionId ?? ""]);
  expect(work[1]?.prompt).toStartWith("Your work on the following was interrupted.");
});

test("a task that keeps failing is reported with the tasks that wait for it; after a person's correction, the run resumes", async () => {
  await writeTasks({ id: "a" }, { id: "b", dependencies: ["a"] }, { id: "c" });
  const { runs, start, options } = bench(writer((id) => (id === "a" ? "never" : "done")));
  const { runId, errorInfo } = await runs.start(start);
  expect(errorInfo).toEqual({
    code: "TASKS_UNFINISHED",
    message: `The tasks of "task-loop" are not done, and none of them can start: a (failed: The command \`grep -q done a.txt\` ended with exit code 1.), b (waits for a). Correct ${tasksPath()}, for example by setting a task to "pending" or "skipped", then resume the run.`,
    nodeId: "task-loop-next",
  });
  expect(await readStatuses()).toBe("a failing, b pending, c passing");
  await writeTasks({ id: "a", status: "passing" }, { id: "b", dependencies: ["a"] }, { id: "c", status: "passing" });
  expect((await runs.resume(runId, {}, options)).status).toBe("completed");
  expect(await readStatuses()).toBe("a passing, b passing, c passing");
});

test("a list with a cycle stops the run with the path of the cycle", async () => {
  await writeTasks({ id: "a", dependencies: ["b"] }, { id: "b", dependencies: ["a"] });
  const { agent, runs, start } = bench(writer(() => "done"));
  expect((await runs.start(start)).errorInfo).toEqual({
    code: "TASKS_FILE_INVALID",
    message: `The list of tasks ${tasksPath()} cannot be used. Correct the following:\n  - These tasks depend on each other in a cycle: a → b → a.`,
    nodeId: "task-loop",
  });
  expect(agent.turns).toEqual([]);
});
