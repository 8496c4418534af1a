import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { PermissionPolicy, PermissionRequest } from "../../../contracts/index.ts";
import { evaluatePermission } from "../rules/evaluate-permission.ts";
import { gitFoldersOf } from "./git-folders.ts";
import { withRealNames } from "./real-names.ts";

let root: string;
let workingDirectory: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "atomic-git-folders-")));
  workingDirectory = path.join(root, "project");
  await mkdir(workingDirectory);
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** Names that end with a slash are folders. */
async function make(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(workingDirectory, name);
    await mkdir(name.endsWith("/") ? file : path.dirname(file), { recursive: true });
    if (!name.endsWith("/")) await writeFile(file, text);
  }
}

function repository(name: string): Readonly<Record<string, string>> {
  return { [`${name}HEAD`]: "ref: refs/heads/main\n", [`${name}objects/`]: "", [`${name}refs/`]: "" };
}

async function foldersOf(file: string): Promise<readonly string[]> {
  const folders = await gitFoldersOf([path.resolve(workingDirectory, file)], { workingDirectory });
  return folders.map((folder) => path.relative(workingDirectory, folder));
}

test("a bare repository is found by what is in it, whatever it is called", async () => {
  await make({ ...repository("vendor/thing/"), "vendor/HEAD": "", "vendor/refs/": "" });
  expect(await foldersOf("vendor/thing/hooks/post-update")).toEqual(["vendor/thing"]);
  expect(await foldersOf("vendor/thing/config")).toEqual(["vendor/thing"]);
  expect(await foldersOf("vendor/thing/new/folder/x")).toEqual(["vendor/thing"]);
  expect(await foldersOf("vendor/src/a.ts")).toEqual([]);
});

test.each([
  { has: ["HEAD", "objects/"], made: "refs/heads/main" },
  { has: ["HEAD", "refs/"], made: "objects/pack/x" },
  { has: ["objects/", "refs/"], made: "HEAD" },
  { has: ["objects/", "refs/"], made: "head" },
  { has: ["HEAD"], made: "commondir" },
  { has: ["commondir"], made: "HEAD" },
])("a file $made beside $has makes a repository", async ({ has, made }) => {
  await make(Object.fromEntries(has.map((name) => [`x/${name}`, ""])));
  expect(await foldersOf(`x/${made}`)).toEqual(["x"]);
  expect(await foldersOf("x/config")).toEqual([]);
});

test("the folder that a file .git names is one, and the one that it shares with others", async () => {
  await make({
    ".git": "gitdir: meta/worktrees/a\n",
    "meta/worktrees/a/commondir": "../..\n",
    "lib/.git": "gitdir: ../lib-git\n",
  });
  expect(await foldersOf("meta/worktrees/a/x")).toEqual(["meta/worktrees/a", "meta"]);
  expect(await foldersOf("meta/info/attributes")).toEqual(["meta"]);
  expect(await foldersOf("lib/a.ts")).toEqual([]);
});

describe("core.hooksPath", () => {
  test.each([
    { title: "as husky writes it", config: "[core]\n\tbare = false\n\thooksPath = tools/run\n" },
    { title: "in quotes, with a comment", config: '[ CORE ]\nHOOKSPATH="tools/run" ; here\n' },
    { title: "with escapes", config: '[core] hookspath = "tools\\/run"\n' },
    { title: "as one of several", config: "[core]\nhooksPath = a\n[user]\nname = x\n[core]\nhooksPath=tools/run\n" },
  ])("$title", async ({ config }) => {
    await make({ ".git/config": config });
    expect(await foldersOf("tools/run/pre-commit")).toEqual(["tools/run"]);
    expect(await foldersOf("tools/other")).toEqual([]);
  });

  test("of another section, or in a comment, is none", async () => {
    await make({ ".git/config": "[other]\nhooksPath = tools/run\n[core]\n# hooksPath = tools/run\n" });
    expect(await foldersOf("tools/run/pre-commit")).toEqual([]);
  });

  test("of a working tree whose repository lies elsewhere", async () => {
    await make({ ".git": "gitdir: ../elsewhere\n", "../elsewhere/config": "[core]\nhooksPath = run\n" });
    expect(await foldersOf("run/pre-push")).toEqual(["run"]);
  });
});

test("a working tree within a repository is none of its folders, the repository's own folders are", async () => {
  await make(repository("../"));
  expect(await foldersOf("src/a.ts")).toEqual([]);
  expect(await foldersOf("../hooks/pre-push")).toEqual([".."]);
  workingDirectory = path.join(root, "hooks");
  expect(await foldersOf("pre-push")).toEqual([".."]);
});

test("a path of very many folders is no trouble", async () => {
  expect(await foldersOf("a/".repeat(100_000))).toEqual([]);
});

test("an allowed edit of such a file requires approval, also through a link", async () => {
  await make({ ...repository("repo.git/"), "src/": "" });
  await symlink("../repo.git/hooks", path.join(workingDirectory, "src/run"));
  const policy: PermissionPolicy = { rules: [{ effect: "allow", tools: ["edit"] }] };
  const effectOf = async (named: string) => {
    const request = { id: "1", sessionId: "s", kind: "edit", toolName: "e", title: "e", paths: [named] } as const;
    const known: PermissionRequest = await withRealNames(request, { workingDirectory });
    return evaluatePermission(policy, known, { workingDirectory }).effect;
  };
  expect(await effectOf("repo.git/hooks/post-update")).toBe("ask");
  expect(await effectOf("src/run/post-update")).toBe("ask");
  expect(await effectOf("src/a.ts")).toBe("allow");
});
