import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { plainGit } from "./fixtures/review-bench.ts";
import { type GitPlace, resolveReviewBase } from "./git-repository.ts";
import type { FileChange } from "./parse-diff.ts";
import { readChanges } from "./read-changes.ts";
import { splitChanges } from "./split-changes.ts";

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-changes-")));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const ENV = { PATH: process.env.PATH ?? "", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

function git(...args: readonly string[]): string {
  const identity = ["-c", "user.name=T", "-c", "user.email=t@localhost"];
  return execFileSync("git", [...identity, ...args], { cwd: root, env: ENV, stdio: "pipe", encoding: "utf8" }).trim();
}

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

function commit(message: string): string {
  git("add", "-A");
  git("commit", "-q", "-m", message);
  return git("rev-parse", "HEAD");
}

const LIMITS = { maxDiffLength: 60_000, maxParts: 8 };

function place(folder = "."): GitPlace {
  return { git: plainGit, workingDirectory: join(root, folder), signal: new AbortController().signal };
}

/** A branch with a commit, changes that are not committed, and files that git does not track. */
async function createBranch(): Promise<string> {
  git("init", "-q", "-b", "main");
  await write({ "a.ts": "one\ntwo\n", "old name.ts": "1\n2\n3\n4\n", "gone.ts": "x\n", ".gitignore": "ignored\n" });
  const start = commit("start");
  git("switch", "-q", "-c", "feature");
  await write({ "a.ts": "one\nTWO\n" });
  git("mv", "old name.ts", "new.ts");
  commit("change");
  await rm(join(root, "gone.ts"));
  await write({ "sub/new file.ts": "new\n", ignored: "x", ".env": "KEY=1\n", "logo.png": "\0\0", empty: "" });
  await symlink("/etc/passwd", join(root, "link"));
  return start;
}

test("the changes are those since the main branch, with uncommitted and untracked files", async () => {
  const start = await createBranch();
  const base = await resolveReviewBase("", place());
  expect(base).toEqual({ name: "main", commit: start, folder: "" });
  const added = { status: "added", isBinary: false } as const;
  expect(await readChanges(base, place(), LIMITS)).toEqual({
    files: [
      { path: "a.ts", status: "modified", isBinary: false, hunks: [{ start: 1, lines: [" one", "-two", "+TWO"] }] },
      { path: "gone.ts", status: "deleted", isBinary: false, hunks: [{ start: 1, lines: ["-x"] }] },
      { path: "new.ts", oldPath: "old name.ts", status: "renamed", isBinary: false, hunks: [] },
      { path: "empty", ...added, hunks: [] },
      { path: "logo.png", status: "added", isBinary: true, hunks: [] },
      { path: "sub/new file.ts", ...added, hunks: [{ start: 1, lines: ["+new"] }] },
    ],
    leftOut: [
      { path: ".env", reason: "its name suggests secrets" },
      { path: "link", reason: "cannot be read" },
    ],
  });
});

test("in a folder, the changes are those below it", async () => {
  await createBranch();
  const base = await resolveReviewBase("main", place("sub"));
  expect(base.folder).toBe("sub/");
  expect((await readChanges(base, place("sub"), LIMITS)).files.map(({ path }) => path)).toEqual(["new file.ts"]);
});

test("on the main branch, and with the last commit as base, only what is not committed is left", async () => {
  await createBranch();
  const head = git("rev-parse", "HEAD");
  expect(await resolveReviewBase("HEAD", place())).toEqual({ name: "HEAD", commit: head, folder: "" });
  git("branch", "-q", "-f", "main", "feature");
  expect(await resolveReviewBase("", place())).toEqual({ name: "", commit: head, folder: "" });
});

test("a remote's main branch comes before the local one, and a detached head is compared with it", async () => {
  const start = await createBranch();
  git("update-ref", "refs/remotes/origin/main", start);
  git("switch", "-q", "--detach");
  expect(await resolveReviewBase("", place())).toEqual({ name: "origin/main", commit: start, folder: "" });
});

test("in a repository without commits, everything is new", async () => {
  git("init", "-q", "-b", "main");
  await write({ "a.ts": "one\n", "b.ts": "two\n" });
  git("add", "a.ts");
  const base = await resolveReviewBase("", place());
  expect((await readChanges(base, place(), LIMITS)).files.map(({ path, status }) => `${status} ${path}`)).toEqual([
    "added a.ts",
    "added b.ts",
  ]);
});

test.each([
  { base: "mian", message: 'There is no commit "mian" in this repository. Did you mean "main"?' },
  {
    base: "--output=x",
    message:
      'There is no commit "--output=x" in this repository. Name a branch, a tag or a commit that this repository has.',
  },
])("$base is no base", async ({ base, message }) => {
  await createBranch();
  await expect(resolveReviewBase(base, place())).rejects.toThrow(message);
});

test("a folder without a repository has no changes to review", async () => {
  await expect(resolveReviewBase("", place())).rejects.toThrow(
    `${root} is not in a git working tree, so there are no changes to review (not a git repository`,
  );
});

test("a file that git tracks no longer was not deleted while it is still there", async () => {
  await createBranch();
  git("rm", "-q", "--cached", "a.ts");
  const { files } = await readChanges({ commit: "HEAD" }, place(), LIMITS);
  expect(files.filter(({ path }) => path === "a.ts")).toEqual([
    { path: "a.ts", status: "added", isBinary: false, hunks: [{ start: 1, lines: ["+one", "+TWO"] }] },
  ]);
});

test("a link in place of a file is both: what was deleted, and where the link leads", async () => {
  await createBranch();
  await rm(join(root, "a.ts"));
  await symlink("new.ts", join(root, "a.ts"));
  const { files } = await readChanges({ commit: "HEAD" }, place(), LIMITS);
  expect(files.filter(({ path }) => path === "a.ts")).toEqual([
    { path: "a.ts", status: "deleted", isBinary: false, hunks: [{ start: 1, lines: ["-one", "-TWO"] }] },
    { path: "a.ts", status: "added", isBinary: false, hunks: [{ start: 1, lines: ["+new.ts"] }] },
  ]);
});

/** A diff of more than 16 MiB takes seconds to make. */
function limited(limit: number): GitPlace {
  return {
    ...place(),
    git: (args, options) => plainGit(args, { ...options, maxBytes: Math.min(options.maxBytes ?? limit, limit) }),
  };
}

test.each([
  { title: "in one go", limit: 1_048_576, read: ["a.ts", "b.ts", "c.ts"], unread: ["d.ts", "e.ts"] },
  { title: "file by file", limit: 5_000, read: ["a.ts", "b.ts"], unread: ["c.ts", "d.ts", "e.ts"] },
])("tracked files read $title: nothing is read after the prompts are full", async ({ limit, read, unread }) => {
  git("init", "-q", "-b", "main");
  const long = "a line of this file\n".repeat(100);
  const names = ["a.ts", "b.ts", "c.ts", "package-lock.json"];
  await write(Object.fromEntries(names.map((name) => [name, ""])));
  commit("start");
  await write(Object.fromEntries([...names, "d.ts", "e.ts", "yarn.lock"].map((name) => [name, long])));
  const limits = { maxDiffLength: 2_500, maxParts: 2 };
  const changes = await readChanges({ commit: "HEAD" }, limited(limit), limits);
  const leftOut = [...changes.leftOut, ...splitChanges(changes.files, limits).leftOut];
  const pathsOf = (reason: string) => leftOut.filter((entry) => entry.reason === reason).map(({ path }) => path);
  expect({
    read: changes.files.map(({ path }) => path).filter((path) => path.endsWith(".ts")),
    unread: pathsOf("not read, because other files fill all prompts; raise maxParts"),
    generated: pathsOf("generated file").sort(),
  }).toEqual({ read: [...read], unread: [...unread], generated: ["package-lock.json", "yarn.lock"] });
});

test("files of a diff that is too long are read one by one, and a huge one is left out", async () => {
  await createBranch();
  commit("rest");
  await write({ "a.ts": "small\n", "gone.ts": `${"x".repeat(1_100_000)}\n`, "new.ts": "2\n" });
  git("add", "-A");
  const { files, leftOut } = await readChanges({ commit: "HEAD" }, limited(1_048_576), LIMITS);
  expect([files.map(({ path }) => path), leftOut]).toEqual([
    ["a.ts", "new.ts"],
    [{ path: "gone.ts", reason: "the diff is too large" }],
  ]);
});

/** Changes that attributes call binary: three of texts, and one of a photo. */
async function createHiddenChanges(attributes: string, text: string): Promise<void> {
  git("init", "-q", "-b", "main");
  const lines = "same line\n".repeat(9);
  await write({ "a.js": "one\n", "gone.js": "x\n", "old name.js": lines, "photo.jpg": "\0\n" });
  commit("start");
  git("config", "diff.blind.binary", "true");
  git("mv", "old name.js", "new name.js");
  await write({ "a.js": "evil()\n", "new name.js": `${lines}evil()\n`, "photo.jpg": "\0\n\0", [attributes]: text });
  await rm(join(root, "gone.js"));
}

const A: FileChange = {
  path: "a.js",
  status: "modified",
  isBinary: false,
  hunks: [{ start: 1, lines: ["-one", "+evil()"] }],
};
const GONE: FileChange = { path: "gone.js", status: "deleted", isBinary: false, hunks: [{ start: 1, lines: ["-x"] }] };
const PHOTO: FileChange = { path: "photo.jpg", status: "modified", isBinary: true, hunks: [] };

test.each([
  { title: "attributes of the repository", attributes: ".git/info/attributes", text: "* -diff\n" },
  { title: "attributes of the change", attributes: ".gitattributes", text: "*.js binary\n" },
  { title: "a driver in the settings", attributes: ".git/info/attributes", text: "* diff=blind\n" },
])("a text is read whatever $title say, and what is binary stays so", async ({ attributes, text }) => {
  await createHiddenChanges(attributes, text);
  const same = Array.from({ length: 8 }, () => " same line");
  const RENAMED = { path: "new name.js", oldPath: "old name.js", status: "renamed", isBinary: false } as const;
  const { files, leftOut } = await readChanges({ commit: "HEAD" }, place(), LIMITS);
  expect(leftOut).toEqual([]);
  expect(
    files.filter(({ path }) => path !== attributes).toSorted((left, right) => (left.path < right.path ? -1 : 1)),
  ).toEqual([A, GONE, { ...RENAMED, hunks: [{ start: 2, lines: [...same, "+evil()"] }] }, PHOTO]);
});

test("texts that attributes call binary are also read one by one", async () => {
  await createHiddenChanges(".gitattributes", "* -diff\n");
  const { files } = await readChanges({ commit: "HEAD" }, limited(300), LIMITS);
  expect(files).toEqual(expect.arrayContaining([A, GONE, PHOTO]));
});

test("a commit that stands in for another one hides nothing", async () => {
  const start = await createBranch();
  git("replace", start, "HEAD");
  const { files } = await readChanges({ commit: start }, place(), LIMITS);
  expect(files.map(({ path }) => path)).toContain("a.ts");
});
