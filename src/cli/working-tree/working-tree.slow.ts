import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withSharedLock } from "../../system/index.ts";
import { waitUntil } from "../../testkit/conformance/wait-until.ts";
import { type Call, runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";
import { GATE } from "../fixtures/workflow-files.ts";
import { findWorkingTree } from "./find-working-tree.ts";
import { WorkingTreeLock } from "./working-tree-lock.ts";

/** Works until the project has a file with the name of its input. */
const HOLD = `import { annotation, defineState, graph, toolNode } from "@bastani/atomic/graph";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
const State = defineState({ prompt: annotation("") });
const hold = toolNode({
  id: "hold",
  async execute(_, { state, services, signal }) {
    while (!existsSync(join(services.workingDirectory, state.prompt))) await sleep(10, undefined, { signal });
    return "held";
  },
});
export default () => graph(State).start(hold).end().compile();
`;

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await environment.writeWorkflows({ hold: HOLD, gate: GATE, look: `${HOLD}export const isReadOnly = true;\n` });
  await environment.writeProject({ now: "" });
});
afterEach(() => environment.remove());

/** Starts a run that works until {@link release}. */
async function startHolder(): Promise<{ readonly runId: string; readonly call: Call }> {
  const call = environment.start(["run", "hold", "later"]);
  await waitUntil(() => call.stderr.text.includes("▶ hold"), "the run does not start");
  const folder = join(environment.atomicHome, "working-trees");
  await waitUntil(async () => (await readdir(folder)).some((name) => name.endsWith(".json")), "it has no name");
  return { runId: runIdIn(call.stderr.text), call };
}

async function release({ call }: { readonly call: Call }): Promise<void> {
  await writeFile(join(environment.project, "later"), "");
  expect((await call.ended).exitCode).toBe(0);
}

test.each([
  {
    flags: [],
    told: (id: string) => [
      "stderr",
      `The run ${id} has not begun. Start it: atomic runs resume ${id}. Delete it: atomic runs delete ${id} --force\n`,
    ],
  },
  {
    flags: ["--json"],
    told: (id: string, from: string) => ["stdout", `${JSON.stringify({ type: "forked", runId: id, from, at: 1 })}\n`],
  },
])("a fork that cannot begin here is kept, and named with what starts it: $flags", async ({ flags, told }) => {
  const first = runIdIn((await environment.atomic("run", "hold", "now")).stdout);
  const holder = await startHolder();
  const result = await environment.atomic("runs", "fork", first, "--at", "1", ...flags);
  const known = [first, holder.runId];
  const [fork = ""] = (await environment.store.ids()).filter((id) => !known.includes(id));
  const [stream, text = ""] = told(fork, first);
  expect([result.exitCode, stream === "stderr" ? result.stderr : result.stdout]).toEqual([
    2,
    expect.stringContaining(text),
  ]);
  const paused = await environment.atomic("runs", "pause", fork);
  expect([paused.exitCode, paused.stderr.replaceAll(/\s+/g, " ")]).toEqual([
    2,
    `error: No process executes the run "${fork}": there is nothing to pause. Start it: atomic runs resume ${fork} (USAGE) `,
  ]);
  await release(holder);
  const resumed = await environment.atomic("runs", "resume", fork);
  expect([resumed.exitCode, resumed.stderr.includes("has not begun")]).toEqual([0, false]);
});

test("a second run in the same working tree is rejected with the name of the first, and nothing is started", async () => {
  const holder = await startHolder();
  const { exitCode, stdout, stderr } = await environment.atomic("run", "hold", "now");
  expect({ exitCode, stdout, stderr: stderr.replaceAll(environment.root, "<root>") }).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: [
      `error: The run ${holder.runId} (hold) works in <root>/project, and two runs there would change the same files.`,
      `       Wait for its end, or cancel it (atomic runs cancel ${holder.runId}).`,
      "       To run beside it all the same, add --alongside.",
      "       (WORKING_TREE_BUSY)",
      "",
    ].join("\n"),
  });
  expect((await environment.store.list()).sessions.map(({ sessionId }) => sessionId)).toEqual([holder.runId]);
  await release(holder);
  expect((await environment.atomic("run", "hold", "now")).exitCode).toBe(0);
});

test.each([
  { title: "with --alongside", args: ["run", "hold", "now", "--alongside"] },
  { title: "of a workflow that changes nothing", args: ["run", "look", "now"] },
])("a run $title works beside it", async ({ args }) => {
  const holder = await startHolder();
  expect((await environment.atomic(...args)).exitCode).toBe(0);
  await release(holder);
});

test("at a terminal, a second run waits for the end of the first", async () => {
  const holder = await startHolder();
  const second = environment.start(["run", "hold", "now"], { isInteractive: true });
  const says = `The run ${holder.runId} (hold) works here. Waiting for its end; Ctrl+C stops waiting.`;
  await waitUntil(() => second.stderr.text.includes(says), "it does not wait");
  expect((await environment.store.list()).sessions).toHaveLength(1);
  await release(holder);
  expect((await second.ended).exitCode).toBe(0);
  expect(second.stderr.text.split(says)).toHaveLength(2);
});

test("Ctrl+C stops waiting: nothing was started", async () => {
  const holder = await startHolder();
  const second = environment.start(["run", "hold", "now"], { isInteractive: true });
  await waitUntil(() => second.stderr.text.includes("Waiting for its end"), "it does not wait");
  second.signal();
  expect((await second.ended).exitCode).toBe(130);
  expect(second.stderr.text).toEndWith(
    "Waiting for its end; Ctrl+C stops waiting.\nStopping what runs; press Ctrl+C again to leave at once.\nNothing was done.\n",
  );
  expect((await environment.store.list()).sessions).toHaveLength(1);
  await release(holder);
});

test("a suspended run holds nothing; while another run works, its answer is rejected and not lost", async () => {
  const { stdout } = await environment.atomic("run", "gate");
  const runId = runIdIn(stdout);
  const holder = await startHolder();
  const { exitCode, stderr } = await environment.atomic("runs", "answer", runId, "yes");
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`The run ${holder.runId} (hold) works in`);
  expect((await environment.store.load(runId)).status).toBe("paused");
  await release(holder);
  expect((await environment.atomic("runs", "answer", runId, "yes")).exitCode).toBe(0);
});

test("while a question is on the screen, other runs work; the answer waits for their end", async () => {
  const asked = environment.start(["run", "gate"], { isInteractive: true });
  await waitUntil(() => asked.stderr.text.includes("Ship it?"), "it does not ask");
  const holder = await startHolder();
  asked.stdin.write("\r");
  await waitUntil(() => asked.stderr.text.includes("Waiting for its end"), "the answer does not wait");
  await release(holder);
  expect((await asked.ended).exitCode).toBe(0);
});

test("a run that is being executed is not resumed: that is said, also at a terminal", async () => {
  const holder = await startHolder();
  const says = `error: The run "${holder.runId}" is being executed by process ${process.pid}.`;
  for (const isInteractive of [false, true]) {
    const call = environment.start(["runs", "resume", holder.runId], { isInteractive });
    expect((await call.ended).exitCode).toBe(2);
    expect(call.stderr.text).toStartWith(says);
  }
  await release(holder);
});

test("a completed run is not resumed, whatever works there", async () => {
  const done = runIdIn((await environment.atomic("run", "hold", "now")).stdout);
  const holder = await startHolder();
  const { exitCode, stderr } = await environment.atomic("runs", "resume", done);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("(RUN_FINISHED)");
  await release(holder);
});

test("a run whose name is not known is waited for, or named as another", async () => {
  const options = { atomicHome: environment.atomicHome, root: "/tree", pid: process.pid, workflow: "x" };
  const signal = AbortSignal.timeout(30_000);
  const lock = new WorkingTreeLock({ ...options, signal });
  await lock.hold(async () => {
    const other = new WorkingTreeLock({ ...options, signal });
    expect(await other.hold(async () => 1).catch((error: Error) => error.message)).toBe(
      "Another run works in /tree, and two runs there would change the same files. Wait for its end. To run beside it all the same, add --alongside.",
    );
  });
});

test("the note of a run that was killed misleads nobody", async () => {
  const options = { atomicHome: environment.atomicHome, root: "/tree", pid: process.pid, workflow: "x" };
  const lock = new WorkingTreeLock({ ...options, signal: new AbortController().signal });
  await lock.hold(async () => undefined);
  const folder = join(environment.atomicHome, "working-trees");
  const [name = ""] = (await readdir(folder)).filter((entry) => entry.endsWith(".lock"));
  const old = { runId: "old", workflow: "old", pid: 1, process: { processId: 1, startedAt: "1", machine: "m" } };
  await writeFile(join(folder, name.replace(".lock", ".json")), JSON.stringify(old));
  expect(await lock.hold(async () => 1)).toBe(1);
  expect((await readdir(folder)).filter((entry) => entry.endsWith(".json"))).toEqual([]);
  await withSharedLock(join(folder, name), async () => undefined, { timeoutMs: 0 });
});

test("what is in the place of the lock is named, with the way out", async () => {
  await environment.atomic("run", "hold", "now");
  const folder = join(environment.atomicHome, "working-trees");
  const [name = ""] = (await readdir(folder)).filter((entry) => entry.endsWith(".lock"));
  const lock = join(folder, name);
  await rm(lock);
  await mkdir(lock);
  const { exitCode, stderr } = await environment.atomic("run", "hold", "now");
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: [
      `error: The lock of the working tree, ${lock}, cannot be used: EISDIR: illegal operation on a directory, read.`,
      "       Correct that, or remove it while no run works; to do without, add --alongside.",
      "       (WORKING_TREE_LOCK_BROKEN)",
      "",
    ].join("\n"),
  });
  expect((await environment.store.list()).sessions).toHaveLength(1);
  expect((await environment.atomic("run", "hold", "now", "--alongside")).exitCode).toBe(0);
});

test("a run whose name cannot be written or removed ends as it would otherwise", async () => {
  const options = { atomicHome: environment.atomicHome, root: "/tree", pid: process.pid, workflow: "x" };
  const lock = new WorkingTreeLock({ ...options, signal: new AbortController().signal });
  const folder = join(environment.atomicHome, "working-trees");
  await lock.hold(async () => undefined);
  const [name = ""] = (await readdir(folder)).filter((entry) => entry.endsWith(".lock"));
  await mkdir(join(folder, name.replace(".lock", ".json")));
  const start = { type: "run-start", runId: "r", at: 0, workflow: "x", isResume: false } as const;
  expect(await lock.hold(async () => lock.onEvent(start) ?? "done")).toBe("done");
});

test.each([
  { title: "a repository's folder", at: "repo/src/deep", project: "repo/src", tree: "repo" },
  { title: "a linked worktree", at: "linked/src", project: "linked", tree: "linked" },
  { title: "a project outside git", at: "plain/src", project: "plain", tree: "plain" },
  { title: "a folder outside the project", at: "plain", project: "repo", tree: "plain" },
  { title: "a folder with an empty folder .git", at: "repo/empty/src", project: "repo", tree: "repo" },
  { title: "a folder whose .git leads nowhere", at: "repo/broken", project: "repo", tree: "repo" },
  { title: "a folder whose .git leads to itself", at: "repo/loop", project: "repo", tree: "repo" },
  { title: "a repository in another one", at: "repo/inner/src", project: "repo", tree: "repo/inner" },
])("the working tree of $title", async ({ at, project, tree }) => {
  const under = (path: string): string => join(environment.root, path);
  const gitFolders = ["repo/.git", "repo/inner/.git"];
  const folders = ["repo/src/deep", "linked/src", "plain/src", "repo/empty/.git", "repo/empty/src", "repo/broken"];
  const parts = gitFolders.flatMap((folder) => [`${folder}/objects`, `${folder}/refs`]);
  for (const folder of [...folders, ...parts, "repo/inner/src", "repo/.git/worktrees/linked"]) {
    await mkdir(under(folder), { recursive: true });
  }
  for (const folder of [...gitFolders, "repo/.git/worktrees/linked"]) {
    await writeFile(under(`${folder}/HEAD`), "ref: refs/heads/main\n");
  }
  await writeFile(under("repo/.git/worktrees/linked/commondir"), "../..\n");
  await writeFile(under("linked/.git"), `gitdir: ${under("repo/.git/worktrees/linked")}\n`);
  await mkdir(under("repo/loop"));
  await symlink(".git", under("repo/loop/.git"));
  await writeFile(under("repo/broken/.git"), "gitdir: elsewhere\n");
  expect(findWorkingTree(under(at), under(project))).toBe(under(tree));
});
