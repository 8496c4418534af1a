import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Sandbox } from "./fixtures/sandbox.ts";

/** Workers whose set-up commands write files, as an agent would. */
const workflow = (agents: readonly { readonly task: string; readonly setup: string }[]): string => `
import { graph, parallelSubagentNode } from "@bastani/atomic/graph";
const agents = ${JSON.stringify(agents)};
export default () =>
  graph()
    .start(
      parallelSubagentNode({
        id: "work",
        agents: agents.map(({ task, setup }) => ({ agentName: "worker", task, isolation: "worktree", worktreeSetup: setup })),
        merge: () => ({}),
      }),
    )
    .end()
    .compile();
`;

/** Serves the folder's name while it asks all servers for theirs. Ends when four have answered. */
const SERVER = `import { createServer } from "node:http";
import { readdirSync, writeFileSync } from "node:fs";
const { PORT, ATOMIC_PORT_1, ATOMIC_WORKTREE, MEETING } = process.env;
const servers = [PORT, ATOMIC_PORT_1].map((port) =>
  createServer((_, response) => response.end(ATOMIC_WORKTREE)).listen(Number(port), "127.0.0.1"));
await Promise.all(servers.map((server) => new Promise((resolve, reject) => server.once("listening", resolve).once("error", reject))));
writeFileSync(MEETING + "/" + PORT, "");
while (readdirSync(MEETING).length < 4) await new Promise((resolve) => setTimeout(resolve, 20));
const names = await Promise.all(readdirSync(MEETING).map(async (port) => (await fetch("http://127.0.0.1:" + port)).text()));
writeFileSync("names-" + PORT + ".txt", names.join("\\n"));
writeFileSync(MEETING + "/../left-" + PORT, "");
while (readdirSync(MEETING + "/..").filter((name) => name.startsWith("left-")).length < 4) await new Promise((resolve) => setTimeout(resolve, 20));
process.exit(0);
`;

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.create();
});
afterEach(() => sandbox.remove());

const git = (...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: sandbox.project, encoding: "utf8", env: { ...process.env, HOME: sandbox.root } });

async function prepare(agents: Parameters<typeof workflow>[0]): Promise<void> {
  await sandbox.write({ ".atomic/workflows/apart.ts": workflow(agents), "list.txt": "one\n" });
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.org");
}

function commit(): void {
  git("add", "--all");
  git("commit", "--quiet", "--message=Begin");
}

const run = () => sandbox.atomic("run", "apart", "--agent", "scripted", "--trust", "--json");

/** The output of a run's end, by agent. */
const endsOf = (events: readonly { readonly type: string; readonly output?: unknown }[]) =>
  // The cast is true: it is the output of a parallelSubagentNode.
  (events.find(({ type }) => type === "run-end")?.output ?? []) as readonly {
    readonly success: boolean;
    readonly error?: string;
  }[];

describe("workers in worktrees", () => {
  test("merge what they did in their order, and nothing of them is left", async () => {
    await prepare(
      ["a", "b", "c"].map((name) => ({ task: name, setup: `pwd > ${name}.txt; echo $PORT >> ${name}.txt` })),
    );
    commit();
    await writeFile(join(sandbox.project, "list.txt"), "not committed\n");
    const { exitCode, events } = await run();
    expect([exitCode, endsOf(events).map(({ success }) => success)]).toEqual([0, [true, true, true]]);
    const texts = await Promise.all(
      ["a", "b", "c"].map((name) => readFile(join(sandbox.project, `${name}.txt`), "utf8")),
    );
    // Folders and ports of their own.
    expect([0, 1].map((line) => new Set(texts.map((text) => text.split("\n")[line])).size)).toEqual([3, 3]);
    expect(git("log", "--first-parent", "--format=%s").trim().split("\n")).toEqual([
      "worker: c",
      "worker: b",
      "worker: a",
      "Begin",
    ]);
    expect(await readFile(join(sandbox.project, "list.txt"), "utf8")).toBe("not committed\n");
    expect(git("branch", "--list", "atomic/*")).toBe("");
    expect((await sandbox.atomic("runs", "gc")).stdout).toBe("There are no worktrees of this project.\n");
  });

  test("run four development servers at once, each on ports of its own", async () => {
    const meeting = join(sandbox.root, "meeting", "servers");
    await mkdir(meeting, { recursive: true });
    const setup = `MEETING=${meeting} exec ${process.execPath} server.mjs`;
    await prepare(["a", "b", "c", "d"].map((task) => ({ task, setup })));
    await sandbox.write({ "server.mjs": SERVER });
    commit();
    const { exitCode, events } = await run();
    expect([exitCode, endsOf(events).map(({ success }) => success)]).toEqual([0, [true, true, true, true]]);
    const ports = await readdir(meeting);
    const lists = await Promise.all(
      ports.map(async (port) => (await readFile(join(sandbox.project, `names-${port}.txt`), "utf8")).split("\n")),
    );
    expect(new Set(lists[0]).size).toBe(4);
    expect(new Set(lists.map((names) => names.join())).size).toBe(1);
  });

  test("that contradict each other lose nothing: the branch is kept and named, until somebody removes it", async () => {
    await prepare(["a", "b"].map((name) => ({ task: name, setup: `echo ${name} > list.txt` })));
    commit();
    const { exitCode, events } = await run();
    const [first, second] = endsOf(events);
    expect([exitCode, first?.success, second?.success]).toEqual([0, true, false]);
    const branch = /is on the branch "(atomic\/\S+)" and was not merged: "list\.txt" was changed on both sides/.exec(
      second?.error ?? "",
    )?.[1];
    expect(git("show", `${branch}:list.txt`)).toBe("b\n");
    const { kept } = JSON.parse((await sandbox.atomic("runs", "gc", "--json")).stdout);
    expect(kept).toMatchObject([{ branch, findings: [{ kind: "unmerged" }] }]);
    const [{ name, path }] = kept;
    const wrong = await sandbox.atomic("runs", "gc", "--force", `${name}x`);
    expect(wrong).toMatchObject({ exitCode: 2, stdout: "" });
    expect(wrong.stderr).toContain(`Did you mean "${name}"?`);
    expect((await sandbox.atomic("runs", "gc", "--force", name)).stdout).toBe(`removed  ${name}\n`);
    expect([existsSync(path), git("show", `${branch}:list.txt`)]).toEqual([false, "b\n"]);
  });

  test("without a repository, without a commit and on no branch the way out is named, and nothing is lost", async () => {
    const agents = [{ task: "a", setup: "echo a > a.txt" }];
    await sandbox.write({ ".atomic/workflows/apart.ts": workflow(agents) });
    expect(endsOf((await run()).events)[0]?.error).toContain('Run "git init" there and commit the files');
    await prepare(agents);
    expect(endsOf((await run()).events)[0]?.error).toContain("is a repository without commits");
    commit();
    git("checkout", "--quiet", "--detach");
    expect(endsOf((await run()).events)[0]?.error).toMatch(
      /^The work of the sub-agent "worker" is on the branch "atomic\/\S+" and was not merged: the project was on no branch when the worktree was created\./,
    );
    const branch = git("branch", "--list", "atomic/*", "--format=%(refname:short)").trim();
    expect(git("show", `${branch}:a.txt`)).toBe("a\n");
  });
});
