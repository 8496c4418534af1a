import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { runInSandbox } from "./fixtures/run-in-sandbox.ts";

const PATH = process.env.PATH ?? "";
const AUTHOR = ["-c", "user.name=A", "-c", "user.email=a@example.com"];

let root: string;
let project: string;
let marks: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "atomic-planted-")));
  project = path.join(root, "project");
  marks = path.join(root, "marks");
  for (const name of ["home", "project", "marks"]) mkdirSync(path.join(root, name));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const env = () => ({ PATH, HOME: path.join(root, "home") });

const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync("git", [...AUTHOR, ...args], { cwd: folder, env: env(), encoding: "utf8", stdio: "pipe" });

/** What git reports when the user calls it afterwards. */
function statusAfterwards(folder: string): string {
  try {
    return git(folder, "status", "--short");
  } catch (error) {
    // execFile puts what git wrote into the error.
    return (error as { readonly stderr: string }).stderr;
  }
}

const runInside = (script: string): Promise<string> =>
  runInSandbox(`${script}\ntrue`, { workingDirectory: project, env: env(), sandbox: {} });

function makeRepository(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "file.txt"), "one\n");
  git(folder, "init", "-q", "-b", "main");
  git(folder, "add", ".");
  git(folder, "commit", "-qm", "one");
}

/** A setting that runs a command at the next status. */
const monitor = (): string => `core.fsmonitor "echo ran > ${marks}/ran; false"`;

const DEFINITIONS = [
  ...["prompts", "chatmodes", "agents", "skills", "instructions"].map((name) => `.github/${name}`),
  ".agents/skills",
  ...["agent", "agents", "command", "commands", "mode", "modes", "skill", "skills"].map((name) => `.opencode/${name}`),
  ...["agents", "commands", "skills", "tools", "workflows"].map((name) => `.atomic/${name}`),
  ...["agents", "commands", "skills"].map((name) => `.claude/${name}`),
];

test.each([
  { title: "missing", existing: [] },
  { title: "there", existing: DEFINITIONS },
  { title: "missing in existing folders", existing: [".github/workflows", ".opencode/themes"] },
])("folders of definitions stay as they are when they are $title", async ({ existing }) => {
  for (const name of existing) mkdirSync(path.join(project, name), { recursive: true });
  const before = readdirSync(project, { recursive: true }).sort();
  await runInside(
    DEFINITIONS.map((name) => `mkdir -p ${name}; echo planted > ${name}/x.md; mv ${name} moved; rm -rf moved`).join(
      "\n",
    ),
  );
  expect(readdirSync(project, { recursive: true }).sort()).toEqual(before);
});

const bare = (): string =>
  `mkdir objects refs; echo "ref: refs/heads/main" > HEAD; git config -f config core.repositoryFormatVersion 0; git config -f config core.bare false; git config -f config core.worktree .; git config -f config ${monitor()}; mkdir commondir; rmdir commondir; echo . > commondir`;

describe("git does not take a work tree for a repository", () => {
  test.each([
    { title: "without .git/HEAD", script: () => `rm .git/HEAD; ${bare()}` },
    { title: "with an invalid .git/HEAD", script: () => `echo x > .git/HEAD; ${bare()}` },
    { title: "without .git/refs", script: () => `rm -rf .git/refs; ${bare()}` },
    { title: "without a nested .git/HEAD", script: () => `cd own; rm .git/HEAD; ${bare()}`, folder: "own" },
  ])("$title", async ({ script, folder = "." }: { script: () => string; folder?: string }) => {
    makeRepository(project);
    makeRepository(path.join(project, "own"));
    await runInside(script());
    const top = path.join(project, folder);
    expect(statusAfterwards(top)).toBe(`fatal: failed to read ${top}/commondir: Is a directory\n`);
    await runInside(`cd ${folder}; rmdir commondir; mv commondir c; echo again`);
    expect(statusAfterwards(top)).toBe(`fatal: failed to read ${top}/commondir: Is a directory\n`);
    expect(readdirSync(marks)).toEqual([]);
  });

  test("where there was none", async () => {
    await runInside(bare());
    expect(statusAfterwards(project)).toBe(`fatal: failed to read ${project}/commondir: Is a directory\n`);
    expect(readdirSync(marks)).toEqual([]);
  });
});

test("the placeholder in a work tree keeps nothing from working, and is removed", async () => {
  makeRepository(project);
  makeRepository(path.join(project, "own"));
  writeFileSync(path.join(project, ".git/info/exclude"), "own\n");
  const output = await runInside(
    [
      "exec 2>&1; set -e; export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b.test GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b.test",
      "echo two > two.txt; git add .; git commit -qm two; git switch -qc topic HEAD~1; echo t > t.txt; git add .; git commit -qm topic; git rebase -q main",
      "git show --format=%s --name-only HEAD; git log --format=%s; git status --short",
    ].join("\n"),
  );
  expect(output).toBe("topic\n\nt.txt\ntopic\ntwo\none\n");
  expect(readdirSync(project).sort()).toEqual([".git", "file.txt", "own", "t.txt", "two.txt"]);
  expect(readdirSync(path.join(project, "own")).sort()).toEqual([".git", "file.txt"]);
});

test("a bare repository can be the working directory", async () => {
  git(project, "init", "-q", "--bare");
  expect(await runInside("git rev-parse --is-bare-repository")).toBe("true\n");
});

test("nothing changes the settings of a bare repository whose worktree is in the project", async () => {
  const store = path.join(project, "lib/.bare");
  const tree = path.join(project, "lib/main");
  makeRepository(project);
  git(root, "clone", "-q", "--bare", project, store);
  git(store, "worktree", "add", "-q", tree);
  const output = await runInside(
    `git config -f lib/.bare/config ${monitor()} || echo kept; cd lib/main; echo two > file.txt; git ${AUTHOR.join(" ")} commit -qam two`,
  );
  expect(output).toBe("error: could not write config file lib/.bare/config: Device or resource busy\nkept\n");
  expect(statusAfterwards(tree)).toBe("");
  expect([readdirSync(marks), git(tree, "log", "--format=%s")]).toEqual([[], "two\none\n"]);
});

test("a planted repository whose hooks are all its files becomes read-only", async () => {
  await runInside("git init -q x; git -C x config core.hooksPath .");
  expect(await runInside("touch x/pre-commit x/.git/index; echo works")).toBe(
    "touch: cannot touch 'x/pre-commit': Read-only file system\ntouch: cannot touch 'x/.git/index': Read-only file system\nworks\n",
  );
});

test("a planted repository that names the project as its hooks is named in the error", async () => {
  await runInside("git init -q x; git -C x config core.hooksPath ..");
  await expect(runInside("true")).rejects.toThrow(
    `the git setting core.hooksPath of "${project}/x" names a folder that contains the project, so every file in it can be a hook. Move the hooks to a folder of their own, or remove the repository if you do not know it.`,
  );
});

test("1,500 planted .git files keep no sandbox from starting", async () => {
  for (let count = 0; count < 1500; count++) {
    mkdirSync(path.join(project, `r/${count}`), { recursive: true });
    writeFileSync(path.join(project, `r/${count}/.git`), "x");
  }
  expect(await runInside("touch r/1/x; echo works")).toBe(
    "touch: cannot touch 'r/1/x': Read-only file system\nworks\n",
  );
});

test("600 .git files planted in folders of the project keep no sandbox from starting", async () => {
  for (let count = 100; count < 700; count++) {
    mkdirSync(path.join(project, String(count)));
    writeFileSync(path.join(project, `${count}/.git`), "x");
  }
  expect(await runInside("touch 699/x; echo works")).toBe(
    "touch: cannot touch '699/x': Read-only file system\nworks\n",
  );
}, 60_000);

test("1,500 planted modules keep no sandbox from starting", async () => {
  makeRepository(project);
  for (let count = 0; count < 1500; count++) {
    mkdirSync(path.join(project, `.git/modules/${count}`), { recursive: true });
    writeFileSync(path.join(project, `.git/modules/${count}/HEAD`), "x");
  }
  expect(await runInside("touch .git/modules/1/config; echo works")).toBe(
    "touch: cannot touch '.git/modules/1/config': Read-only file system\nworks\n",
  );
});

describe("a file that settings of git include cannot be changed", () => {
  test.each([
    { title: "include.path", key: "include.path", file: "../.gitconfig", target: ".gitconfig" },
    { title: "a missing folder", key: "include.path", file: "../a/b/c", target: "a/b/c" },
    { title: "a condition", key: "includeIf.onbranch:topic.path", file: "../x.cfg", target: "x.cfg" },
    { title: "a nested repository", key: "include.path", file: "../../x.cfg", target: "x.cfg", folder: "own" },
    { title: "an included file", key: "include.path", file: "../one.cfg", target: "two.cfg", text: "two.cfg" },
  ])("$title", async ({ key, file, target, folder = ".", text }) => {
    const top = path.join(project, folder);
    makeRepository(project);
    if (folder !== ".") makeRepository(top);
    git(top, "config", key, file);
    if (text !== undefined) writeFileSync(path.join(project, "one.cfg"), `[include]\npath = ${text}\n`);
    const before = readdirSync(project).sort();
    await runInside(`mkdir -p ${path.dirname(target)}; git config -f ${target} ${monitor()}; mv a b; mkdir -p a/b
      printf '[core]\\nfsmonitor = "echo ran > ${marks}/ran; false"\\n' > ${target}; git switch -qc topic; rmdir a/b a b`);
    statusAfterwards(top);
    expect([readdirSync(marks), readdirSync(project).sort()]).toEqual([[], before]);
  });
});
