import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { collectWorktrees } from "./collect-worktrees.ts";
import { WorktreeBench } from "./fixtures/worktree-bench.ts";
import { ACTION_NAMES, applyState, worktreeStates } from "./fixtures/worktree-states.ts";

/** CI tries the single actions and some combinations; `ATOMIC_WORKTREE_STATES=500` takes five times as long. */
const STATE_COUNT = Number(process.env.ATOMIC_WORKTREE_STATES ?? 100);
/** Worktrees per repository. */
const GROUP = 25;

/** A repository with a submodule and ignored files that worktrees copy. */
function createBench(): WorktreeBench {
  const bench = new WorktreeBench();
  const library = join(bench.root, "library");
  bench.gitIn(bench.root, "init", "--quiet", library);
  bench.write("lib.txt", "1", library);
  bench.write(".gitignore", "*.log\n", library);
  bench.commit("Library", library);
  bench.write(".gitignore", "*.log\n*.env\nbuild/\n");
  bench.write(".worktreeinclude", "*.env\n");
  bench.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "lib");
  bench.commit("Library");
  bench.write("local.env", "KEY=1");
  return bench;
}

/** The contents of all files and links below a folder, as git would name them. Git's own folders only of nested repositories. */
function contentsOf(folder: string, isTop = true): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const stats = lstatSync(path);
    if (name === ".git" && (isTop || !stats.isDirectory())) return [];
    if (stats.isDirectory()) return contentsOf(path, false);
    const content = stats.isSymbolicLink() ? Buffer.from(readlinkSync(path)) : readFileSync(path);
    return [createHash("sha1").update(`blob ${content.length}\0`).update(content).digest("hex")];
  });
}

/** Every object that a branch, another reference, a log or an index of a repository reaches. */
function objectsOf(bench: WorktreeBench, repository = bench.project): readonly string[] {
  const args = ["rev-list", "--objects", "--no-object-names", "--all", "--reflog", "--indexed-objects"];
  return bench.gitIn(repository, ...args).split("\n");
}

/** Applies the states, collects, and returns what is neither on disk nor in the repository any more. */
async function loseNothing(bench: WorktreeBench, states: readonly (readonly string[])[]) {
  const worktrees: { readonly path: string; readonly files: () => readonly string[] }[] = [];
  for (const [index, names] of states.entries()) {
    const label = `w${index}`;
    const worktree = await bench.create(label, { portCount: 0 });
    await applyState({ bench, worktree }, { names, label });
    worktrees.push({ path: worktree.path, files: () => contentsOf(worktree.path) });
  }
  const files = worktrees.map((worktree) => worktree.files());
  const objects = objectsOf(bench);
  const result = await collectWorktrees({ home: bench.home, env: bench.env, isRunAlive: () => false });
  const library = join(bench.project, "lib");
  const project = [...contentsOf(bench.project), ...contentsOf(library), ...objectsOf(bench, library)];
  const left = new Set([...objectsOf(bench), ...project, ...worktrees.flatMap((worktree) => worktree.files())]);
  const lost = files.map((contents, index) => ({
    state: states[index],
    contents: contents.filter((content) => !left.has(content)),
  }));
  return {
    ...result,
    lostFiles: lost.filter(({ contents }) => contents.length > 0),
    lostObjects: objects.filter((object) => !left.has(object)).map((object) => describeObject(bench, object)),
  };
}

/** The text of a lost file: it names the state. The messages of replaced commits may be lost. */
function describeObject(bench: WorktreeBench, object: string): string {
  return bench.git("cat-file", "-t", object) === "blob" ? bench.git("cat-file", "-p", object) : "";
}

test(`garbage collection loses no byte of ${STATE_COUNT} worktrees`, async () => {
  const single = ACTION_NAMES.map((name) => [name]);
  const merged = ACTION_NAMES.map((name) => [name, "merge"]);
  const count = STATE_COUNT - single.length - merged.length;
  const generated = fc.sample(worktreeStates, { seed: 14, numRuns: count }).map((parts) => parts.flat());
  const states = [...single, ...merged, ...generated];
  const groups = Array.from({ length: states.length / GROUP }, (_, index) =>
    states.slice(index * GROUP, (index + 1) * GROUP),
  );
  let removed = 0;
  const reasons = new Map<string, number>();
  const runGroups = async (): Promise<void> => {
    for (let group = groups.pop(); group !== undefined; group = groups.pop()) {
      const bench = createBench();
      try {
        const result = await loseNothing(bench, group);
        expect(result.lostFiles).toEqual([]);
        expect(result.lostObjects.filter((text) => text !== "")).toEqual([]);
        // A worktree without folder and record is no longer one; its branch is left.
        expect(result.removed.length + result.kept.length).toBeLessThanOrEqual(GROUP);
        removed += result.removed.length;
        for (const { kind } of result.kept.flatMap(({ findings }) => findings))
          reasons.set(kind, (reasons.get(kind) ?? 0) + 1);
      } finally {
        bench.cleanUp();
      }
    }
  };
  await Promise.all([runGroups(), runGroups()]);
  const kinds = Object.fromEntries([...reasons].sort());
  process.stdout.write(
    `worktrees: ${states.length}; removed: ${removed}; bytes lost: 0; reasons: ${JSON.stringify(kinds)}\n`,
  );
  expect(removed).toBeGreaterThan(STATE_COUNT / 10);
  expect(Object.keys(kinds)).toEqual([
    "damaged",
    "ignored",
    "locked",
    "submodule",
    "uncommitted",
    "unfinished",
    "unknown",
    "unmerged",
    "unreachable",
  ]);
}, 580_000);
