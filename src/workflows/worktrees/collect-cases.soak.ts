import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type CollectWorktreesOptions, collectWorktrees } from "./collect-worktrees.ts";
import type { Worktree } from "./create-worktree.ts";
import { WorktreeBench } from "./fixtures/worktree-bench.ts";
import { Git } from "./git.ts";
import { listWorktrees } from "./list-worktrees.ts";
import { mergeWorktree } from "./merge-worktree.ts";
import { removeWorktree } from "./remove-worktree.ts";
import { withWorktreeLock } from "./with-lock.ts";
import { loadRecord, saveRecord } from "./worktree-record.ts";

let bench: WorktreeBench;
let worktree: Worktree;
beforeEach(async () => {
  bench = new WorktreeBench();
  bench.write(".gitignore", "*.log\n");
  bench.write(".worktreeinclude", "*.log\n");
  bench.write("old.log", "old");
  bench.commit("Ignore");
  worktree = await bench.create();
});
afterEach(() => bench.cleanUp());

const inside = (...args: readonly string[]): string => bench.gitIn(worktree.path, ...args);
const collect = (more: Partial<CollectWorktreesOptions> = {}) =>
  collectWorktrees({ home: bench.home, env: bench.env, isRunAlive: () => false, ...more });
const remove = (more = {}) => removeWorktree(worktree, { env: bench.env, ...more });

function work(path = "a.txt"): string {
  bench.write(path, path, worktree.path);
  return bench.commit("Work", worktree.path);
}

function isGone(): boolean {
  const ports = readFileSync(join(bench.home, "worktrees/ports.json"), "utf8");
  const registered = bench.git("worktree", "list", "--porcelain");
  return (
    ![existsSync(worktree.path), existsSync(worktree.recordFile), ports.includes(worktree.path)].some(Boolean) &&
    !registered.includes(worktree.path)
  );
}

test("a merged worktree is removed with its branch, ports and record; a second call has no effect", async () => {
  work();
  await mergeWorktree(worktree, { env: bench.env });
  await remove();
  expect([isGone(), bench.git("branch", "--list", "atomic/*")]).toEqual([true, ""]);
  await remove();
  expect(readdirSync(dirname(worktree.path))).toEqual([".guard"]);
});

test("an unchanged worktree is removed", async () => {
  await remove();
  expect([isGone(), bench.git("branch", "--list", "atomic/*")]).toEqual([true, ""]);
});

test("work is not removed, and the error names all of it; new ignored files are lost on request only", async () => {
  bench.write("out.log", "x", worktree.path);
  await expect(remove()).rejects.toThrow(
    `Did not remove the worktree ${worktree.path}: ignored files that are new or changed: out.log. Merge or save it first, or remove the worktree by force.`,
  );
  work();
  bench.write("b.txt", "b", worktree.path);
  await expect(remove({ discardIgnored: true })).rejects.toThrow(
    "untracked files: b.txt; atomic/run1/login is not merged into main.",
  );
  rmSync(join(worktree.path, "b.txt"));
  await mergeWorktree(worktree, { env: bench.env });
  await remove({ discardIgnored: true });
  expect(isGone()).toBe(true);
});

const CASES: readonly { title: string; prepare: () => unknown; findings: readonly string[] }[] = [
  {
    title: "a changed file",
    prepare: () => bench.write("readme.md", "x", worktree.path),
    findings: ["uncommitted: uncommitted files: readme.md"],
  },
  {
    title: "a changed ignored file",
    prepare: () => bench.write("old.log", "new", worktree.path),
    findings: ["ignored: ignored files that are new or changed: old.log"],
  },
  {
    title: "a file whose changes are hidden",
    prepare: () => {
      inside("update-index", "--assume-unchanged", "readme.md");
      bench.write("readme.md", "x", worktree.path);
    },
    findings: ["uncommitted: files whose changes git was made to ignore: readme.md"],
  },
  {
    title: "an unmerged commit",
    prepare: () => work(),
    findings: ["unmerged: atomic/run1/login is not merged into main"],
  },
  {
    title: "a commit on a detached head",
    prepare: () => {
      inside("checkout", "--quiet", "--detach");
      work();
    },
    findings: ["unreachable: 1 versions of files in commits that no branch has"],
  },
  {
    title: "an amended commit that was merged",
    prepare: async () => {
      work();
      bench.write("a.txt", "better", worktree.path);
      inside("commit", "--quiet", "--all", "--amend", "--message", "Better");
      await mergeWorktree(worktree, { env: bench.env });
    },
    findings: ["unreachable: 1 versions of files in commits that no branch has"],
  },
  {
    title: "a rebase in progress",
    prepare: () =>
      inside("rebase", "--quiet", "--exec", "git update-ref refs/x HEAD && false", "HEAD~1", "--force-rebase"),
    findings: ["unfinished: a rebase is in progress"],
  },
  {
    title: "a lock",
    prepare: () => bench.git("worktree", "lock", worktree.path),
    findings: ["locked: it is locked by git worktree lock"],
  },
  {
    title: "a missing folder",
    prepare: () => rmSync(worktree.path, { recursive: true }),
    findings: ["damaged: its folder is missing"],
  },
  {
    title: "a missing link to git",
    prepare: () => rmSync(join(worktree.path, ".git")),
    findings: ["damaged: its folder is no longer a worktree of the repository"],
  },
  {
    title: "a missing record",
    prepare: () => rmSync(worktree.recordFile),
    findings: ["unknown: Atomic has no record of this worktree"],
  },
  {
    title: "a record that cannot be read",
    prepare: () => writeFileSync(worktree.recordFile, "{}"),
    findings: [expect.stringMatching(/^unknown: .*cannot be used: version: expected 1; runId: expected string/)],
  },
  {
    title: "a repository that is gone",
    prepare: () => rmSync(bench.project, { recursive: true }),
    findings: [expect.stringMatching(/^damaged: its repository .* is missing$/)],
  },
];

test.each(CASES.map((one) => [one.title, one] as const))(
  "%s is kept and named with the reason",
  async (_, { prepare, findings }) => {
    try {
      await prepare();
    } catch {
      // A rebase that stops reports failure.
    }
    const { removed, kept } = await collect();
    expect(removed).toEqual([]);
    expect(kept.map((entry) => entry.findings.map(({ kind, detail }) => `${kind}: ${detail}`))).toEqual([
      [...findings],
    ]);
    expect(kept.map(({ path }) => path)).toEqual([worktree.path]);
  },
);

test("commits in a submodule keep the worktree until the merge has brought them to the project's submodule", async () => {
  const library = join(bench.root, "library");
  bench.gitIn(bench.root, "init", "--quiet", library);
  bench.write("lib.txt", "1", library);
  bench.commit("Library", library);
  bench.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "lib");
  bench.commit("Add library");
  const [clean, own] = [await bench.create("clean"), await bench.create("own")];
  bench.write("lib.txt", "2", join(own.path, "lib"));
  const commit = bench.commit("Change", join(own.path, "lib"));
  const { removed, kept } = await collect();
  expect(removed.map(({ path }) => path)).toEqual([clean.path, worktree.path]);
  expect(kept.map(({ path, findings }) => [path, findings])).toEqual([
    [
      own.path,
      [
        { kind: "uncommitted", detail: "uncommitted files: lib" },
        { kind: "submodule", detail: "repositories with commits of their own: lib" },
      ],
    ],
  ]);
  bench.commit("Use it", own.path);
  expect((await mergeWorktree(own, { env: bench.env })).type).toBe("merged");
  bench.git("submodule", "--quiet", "update");
  expect(bench.gitIn(join(bench.project, "lib"), "rev-parse", "HEAD")).toBe(commit);
  expect((await collect()).removed.map(({ path }) => path)).toEqual([own.path]);
  expect(readFileSync(join(bench.project, "lib/lib.txt"), "utf8")).toBe("2");
});

test("worktrees of runs that are not finished, and what is no worktree, stay even by force", async () => {
  await mkdir(join(dirname(worktree.path), "mine"));
  const name = dirname(worktree.path).split("/").at(-1);
  const force = [`${name}/run1.login`, `${name}/mine`];
  const { removed, kept } = await collect({ isRunAlive: (runId) => runId === "run1", force });
  expect(removed).toEqual([]);
  expect(kept).toEqual([
    {
      name: `${name}/mine`,
      path: join(dirname(worktree.path), "mine"),
      findings: [{ kind: "foreign", detail: "Atomic did not create it" }],
    },
    {
      name: `${name}/run1.login`,
      path: worktree.path,
      runId: "run1",
      taskId: "login",
      branch: "atomic/run1/login",
      findings: [{ kind: "in-use", detail: "the run run1 is not finished" }],
    },
  ]);
});

test("a worktree without work stays while its run can be resumed, except by force", async () => {
  const isRunResumable = (runId: string): boolean => runId === "run1";
  const { removed, kept } = await collect({ isRunResumable });
  expect([removed, kept.map(({ findings }) => findings)]).toEqual([
    [],
    [[{ kind: "resumable", detail: "the run run1 can be resumed, and would continue in it" }]],
  ]);
  const name = kept[0]?.name ?? "";
  expect((await collect({ isRunResumable, force: [name] })).removed.map((entry) => entry.name)).toEqual([name]);
});

test("force removes the worktree that it names, and no unmerged branch", async () => {
  const tip = work();
  const other = await bench.create("other");
  bench.write("b.txt", "b", other.path);
  const [entry] = await listWorktrees({
    home: bench.home,
    env: bench.env,
    project: bench.project,
    isRunAlive: () => false,
  });
  const { removed, kept } = await collect({ force: [entry?.name ?? ""] });
  expect([removed.map(({ path }) => path), kept.map(({ path }) => path)]).toEqual([[worktree.path], [other.path]]);
  expect([isGone(), bench.git("rev-parse", "atomic/run1/login")]).toEqual([true, tip]);
});

test("a worktree in which another call works is kept", async () => {
  const git = await Git.open({ env: bench.env });
  const { kept } = await withWorktreeLock(git, { file: worktree.recordFile }, () => collect());
  expect(kept.map(({ findings }) => findings)).toEqual([[{ kind: "in-use", detail: "another process works in it" }]]);
  expect((await collect()).kept).toEqual([]);
});

test("an unknown name removes nothing and suggests the nearest", async () => {
  const [entry] = await listWorktrees({ home: bench.home, env: bench.env, isRunAlive: () => false });
  const name = entry?.name ?? "";
  await expect(collect({ force: [name.replace("login", "lgin")] })).rejects.toThrow(
    `No worktree is named "${name.replace("login", "lgin")}", so nothing was removed. Did you mean "${name}"?`,
  );
  expect(existsSync(worktree.path)).toBe(true);
});

test("what a crash left of a creation or a removal is removed", async () => {
  const record = await loadRecord(worktree.recordFile);
  await saveRecord(worktree.recordFile, { ...record, state: "removing" });
  rmSync(join(worktree.path, ".git"));
  const half = await bench.create("half");
  await saveRecord(half.recordFile, { ...(await loadRecord(half.recordFile)), state: "creating" });
  rmSync(half.path, { recursive: true });
  const folder = dirname(worktree.path);
  bench.write(`.discarded-${randomUUID()}/old/file`, "x", folder);
  execFileSync("mkfifo", [join(folder, ".run1.gone.lock")]);
  for (const name of [".of-a-person.lock", ".discarded-by-a-person"]) bench.write(name, "x", folder);
  expect((await collect()).removed.map(({ path }) => path)).toEqual([half.path, worktree.path]);
  expect([isGone(), readdirSync(folder).sort(), bench.git("branch", "--list", "atomic/*")]).toEqual([
    true,
    [".discarded-by-a-person", ".guard", ".of-a-person.lock"],
    "",
  ]);
});

test("an unchanged branch whose start no branch of the user has any more is kept", async () => {
  bench.git("commit", "--quiet", "--amend", "--message", "Another");
  bench.write("readme.md", "x");
  bench.git("commit", "--quiet", "--all", "--amend", "--message", "Other");
  expect((await collect()).kept.map(({ findings }) => findings.map(({ kind }) => kind))).toEqual([["unmerged"]]);
});

test("a home that is a link makes no difference", async () => {
  const home = join(bench.root, "link");
  mkdirSync(join(bench.root, "elsewhere"));
  symlinkSync(join(bench.root, "elsewhere"), home);
  const linked = await bench.create("linked", { home });
  bench.write("new.txt", "new", linked.path);
  expect((await collect({ home })).kept.map(({ findings }) => findings.map(({ detail }) => detail))).toEqual([
    ["untracked files: new.txt"],
  ]);
  rmSync(join(linked.path, "new.txt"));
  expect((await collect({ home, project: bench.project })).removed.map(({ path }) => path)).toEqual([linked.path]);
});
