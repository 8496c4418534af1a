import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NotSignedInError, type RunEvent } from "../../contracts/index.ts";
import { annotation, defineState, graph, MemorySaver, type StateOf, subgraphNode } from "../../graph/index.ts";
import { type AgentScript, createScriptedAgent, type ScriptedAgent } from "../../testkit/index.ts";
import { plainGit, rawFinding, taskOf } from "./fixtures/review-bench.ts";
import { confirmedFindings } from "./review-report.ts";
import { createReviewWorkflow } from "./review-workflow.ts";

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-review-step-")));
  git("init", "-q", "-b", "main");
  await writeFile(join(root, "a.ts"), "one\n");
});
afterEach(() => rm(root, { recursive: true, force: true }));

const ENV = { PATH: process.env.PATH ?? "", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

function git(...args: readonly string[]): string {
  const identity = ["-c", "user.name=T", "-c", "user.email=t@localhost"];
  return execFileSync("git", [...identity, ...args], { cwd: root, env: ENV, stdio: "pipe", encoding: "utf8" }).trim();
}

function commit(message: string): string {
  git("add", "-A");
  git("commit", "-q", "-m", message);
  return git("rev-parse", "HEAD");
}

const Task = defineState({ start: annotation(""), rounds: annotation(0), problems: annotation<string[]>([]) });
type Task = StateOf<typeof Task>;

/** Appends a line to `a.ts`, and commits it. */
const work = {
  id: "prepare",
  type: "tool" as const,
  async execute({ state }: { readonly state: Readonly<Task> }) {
    await writeFile(join(root, "a.ts"), `one\n${"new\n".repeat(state.rounds + 1)}`);
    commit("work");
    return { stateUpdate: { rounds: state.rounds + 1 } };
  },
};

const review = subgraphNode({
  id: "review",
  subgraph: createReviewWorkflow({ reviewers: ["bugs", "security"], agents: ["claude", "opencode"] }),
  inputMapper: ({ start }: Readonly<Task>) => ({ base: start }),
  outputMapper: (end) => ({
    problems: confirmedFindings(end).map(
      ({ file, lines, severity, title, description, reports }) =>
        `${file}:${lines?.start} ${severity} ${title} ${description} ${reports.map(({ focus, agent }) => `${focus}@${agent}`)}`,
    ),
  }),
});

function agentsOf(script: AgentScript): Readonly<Record<"claude" | "opencode", ScriptedAgent>> {
  const create = (): ScriptedAgent =>
    createScriptedAgent({ script, workingDirectory: root, evaluatePermission: "policy" });
  return { claude: create(), opencode: create() };
}

function optionsFor(agents: Readonly<Record<string, ScriptedAgent>>, events: RunEvent[]) {
  return {
    onEvent: (event: RunEvent) => void events.push(event),
    services: {
      clients: (name = "claude") => {
        const agent = agents[name];
        if (agent === undefined) throw new Error(`no agent ${name}`);
        return agent;
      },
      git: plainGit,
      workingDirectory: root,
    },
  };
}

test("a loop reviews what changed since its start, and ends once no finding is confirmed", async () => {
  const start = commit("start");
  const agents = agentsOf(({ prompt }) => {
    const task = taskOf(prompt);
    if (task.startsWith("verify")) {
      const verdict = task === "verify 2" ? "confirmed" : "refuted";
      return { structured: { verdict, reason: "The code says so." } };
    }
    const isCorrected = prompt.includes("     3 +new");
    const bad = rawFinding(2, { severity: "critical", title: "Bad" });
    return { structured: { findings: task === "bugs" && !isCorrected ? [bad, rawFinding(1)] : [] } };
  });
  const events: RunEvent[] = [];
  const seen: (readonly string[])[] = [];
  const look = {
    id: "conclude",
    type: "tool" as const,
    execute: ({ state }: { readonly state: Readonly<Task> }) => void seen.push(state.problems),
  };
  const body = graph(Task).start(work).then(review).then(look);
  const compiled = graph(Task)
    .loop(body, {
      id: "rounds",
      until: ({ rounds, problems }) => rounds > 0 && problems.length === 0,
      maxIterations: 5,
    })
    .end()
    .compile();
  const { status, error, state } = await compiled.run({ start }, optionsFor(agents, events));
  expect({ status, error, seen, rounds: state.rounds, staged: git("status", "--porcelain") }).toEqual({
    status: "completed",
    error: undefined,
    seen: [["a.ts:2 critical Bad Line 2 is wrong. bugs@claude"], []],
    rounds: 2,
    staged: "",
  });
  expect(agents.opencode.turns.map(({ prompt }) => taskOf(prompt))).toEqual([
    "security",
    "verify 2",
    "verify 1",
    "security",
  ]);
});

test("a person is asked nothing, although the run has somebody to ask", async () => {
  const start = commit("start");
  const asked: string[] = [];
  const outcomes: unknown[] = [];
  const agents = agentsOf(async (_turn, tools) => {
    const question = await tools.perform({ type: "ask-question", question: "Which base?" });
    const reading = await tools.perform({ type: "read-file", path: "a.ts" });
    outcomes.push([question.isError, reading.isDenied]);
    return { structured: { findings: [] } };
  });
  const options = optionsFor(agents, []);
  const sessionConfig = {
    permissions: { rules: [{ effect: "ask" as const, tools: ["read" as const] }], otherwise: "ask" as const },
    onQuestion: async ({ question }: { readonly question: string }) => {
      asked.push(question);
      return { type: "answer" as const, values: ["main"] };
    },
    onPermissionAsk: async () => {
      asked.push("permission");
      return { type: "allow" as const };
    },
  };
  const services = { ...options.services, sessionConfig };
  const { status } = await graph(Task)
    .start(work)
    .then(review)
    .end()
    .compile()
    .run({ start }, { ...options, services });
  expect([status, asked, outcomes]).toEqual([
    "completed",
    [],
    [
      [true, false],
      [true, false],
    ],
  ]);
});

test("without changes the step ends at once, and no agent starts", async () => {
  const start = commit("start");
  const agents = agentsOf(() => "never");
  const events: RunEvent[] = [];
  const { status, state } = await graph(Task).start(review).end().compile().run({ start }, optionsFor(agents, events));
  expect([status, state.problems, agents.claude.turns, agents.opencode.turns]).toEqual(["completed", [], [], []]);
  const started = events.flatMap((event) => (event.type === "node-start" ? [event.taskId] : []));
  expect(started).toEqual(["review", "review/read-changes"]);
});

test("if every reviewer fails, the error is the outer graph's, and a resume starts the reviewers again", async () => {
  const start = commit("start");
  let isSignedIn = false;
  const agents = agentsOf(() =>
    isSignedIn ? { structured: { findings: [] } } : { error: new NotSignedInError("claude", "claude /login") },
  );
  const options = { ...optionsFor(agents, []), checkpointer: new MemorySaver() };
  const compiled = graph(Task).start(work).then(review).end().compile();
  const { runId, status, error } = await compiled.run({ start }, options);
  expect([status, error?.message.split("\n")[0]]).toEqual(["failed", "Every reviewer failed:"]);
  isSignedIn = true;
  const resumed = await compiled.resume(runId, {}, options);
  expect([resumed.status, resumed.state.problems, resumed.state.rounds]).toEqual(["completed", [], 1]);
});
