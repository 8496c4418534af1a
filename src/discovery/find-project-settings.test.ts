import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findProjectSettings } from "./find-project-settings.ts";
import { PROJECT_SETTINGS, type ProjectSettingsOwner } from "./vendor-project-settings.ts";

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-settings-")));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function write(paths: readonly string[], text = "{}"): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

async function namesFor(
  owners: readonly ProjectSettingsOwner[],
  { at = "home/project", project = "home/project" } = {},
): Promise<readonly string[]> {
  const found = await findProjectSettings({
    workingDirectory: join(root, at),
    projectDirectory: join(root, project),
    userHomeDirectory: join(root, "home"),
    owners: new Set(owners),
  });
  return found.map(({ name }) => name.replace(root, "<root>"));
}

test.each<{ owner: ProjectSettingsOwner; files: readonly string[]; expected?: readonly string[] }>([
  { owner: "atomic", files: [".atomic/config.json"] },
  { owner: "workflows", files: [".atomic/workflows/a.ts"], expected: [".atomic/workflows"] },
  { owner: "claude", files: [".claude/settings.json", ".claude/settings.local.json", ".mcp.json"] },
  { owner: "claude", files: [".claude/skills/x/SKILL.md"], expected: [".claude/skills"] },
  { owner: "opencode", files: ["opencode.json", "opencode.jsonc", ".opencode/opencode.json"] },
  {
    owner: "opencode",
    files: [".opencode/plugin/x.js", ".opencode/tools/y.ts"],
    expected: [".opencode/plugin", ".opencode/tools"],
  },
  { owner: "opencode", files: ["node_modules/prettier/package.json"], expected: ["node_modules/prettier"] },
  { owner: "copilot", files: [".github/hooks/x.json"], expected: [".github/hooks"] },
  { owner: "copilot", files: [".github/mcp.json", ".vscode/mcp.json", ".mcp.json", ".github/lsp.json"] },
  { owner: "gemini", files: [".gemini/settings.json"] },
  { owner: "codex", files: [".codex/config.toml"] },
])("finds what $owner would load: $files", async ({ owner, files, expected = files }) => {
  await write(files.map((file) => `home/project/${file}`));
  expect(await namesFor([owner])).toEqual(expected);
  expect(await namesFor([])).toEqual([]);
});

test.each<{ title: string; path: string; text: string; found: string[] }>([
  { title: "settings with many empty lines", path: ".git/config", text: `[core]${"\n".repeat(900_000)}x`, found: [] },
  {
    title: "a path with many spaces",
    path: ".git",
    text: `gitdir: a${" ".repeat(900_000)}b`,
    found: ["b/config", "b/config.worktree", "b/hooks"],
  },
])("git's files are searched at once: $title", async ({ path, text, found }) => {
  await write([`home/project/${path}`], text);
  expect((await namesFor(["git"])).map((name) => name.slice(name.lastIndexOf(" ") + 1))).toEqual(found);
});

test("only what makes git run programs by itself counts", async () => {
  await write(["home/project/.git/config"], '[core]\n\tbare = false\n[remote "fsmonitor"]\n\turl = x\n');
  await write(["home/project/.git/hooks/pre-commit.sample"]);
  expect(await namesFor(["git"])).toEqual([]);
  await write(["home/project/.git/config"], "[core]\n\tfsMonitor = ./evil\n");
  await write(["home/project/.git/hooks/pre-commit"]);
  expect(await namesFor(["git"])).toEqual([".git/config", ".git/hooks"]);
});

test.each([
  { text: "[core] fsmonitor = x", counts: true },
  { text: "[core]\n  FSMonitor=x", counts: true },
  { text: '[filter "x"]\n\tclean = y', counts: true },
  { text: '[ includeIf "gitdir:**" ]\npath = x', counts: true },
  { text: "[include] path = x", counts: true },
  { text: "[alias]\n\tst = status", counts: true },
  { text: '[remote "include"]\n\turl = x\n[branch "alias"]\n\tmerge = y\n[core]\n\tbare = false', counts: false },
])("settings of git that name programs count: $text", async ({ text, counts }) => {
  await write(["home/project/.git/config"], text);
  expect(await namesFor(["git"])).toEqual(counts ? [".git/config"] : []);
});

test("the settings of git are found where a file .git leads to, and those of a worktree in both of their places", async () => {
  await write(["home/project/.git"], "gitdir: kept/worktrees/x\n");
  await write(["home/project/kept/worktrees/x/commondir"], "../..\n");
  await write(["home/project/kept/worktrees/x/config.worktree", "home/project/kept/config"], "[core]\n\tpager = x\n");
  await write(["home/project/kept/hooks/pre-commit"]);
  expect(await namesFor(["git"])).toEqual(["kept/config", "kept/worktrees/x/config.worktree", "kept/hooks"]);
});

test("the settings of git are found where a git folder shares those of another one", async () => {
  await write(["home/project/.git/commondir"], "../kept\n");
  await write(["home/project/kept/config"], "[core]\n\tpager = x\n");
  expect(await namesFor(["git"])).toEqual(["kept/config"]);
});

test("what cannot be read, or is no file, counts, and keeps nobody waiting", async () => {
  await write(["home/project/.git/HEAD"]);
  execFileSync("mkfifo", [join(root, "home/project/.git/config")]);
  await writeFile(join(root, "home/project/.git/config.worktree"), " ".repeat(1_048_577));
  expect(await namesFor(["git"])).toEqual([".git/config", ".git/config.worktree"]);
  await rm(join(root, "home/project/.git"), { recursive: true });
  execFileSync("mkfifo", [join(root, "home/project/.git")]);
  expect(await namesFor(["git"])).toEqual([]);
});

test("Gemini's environment is looked for in every folder above, the home excepted", async () => {
  await write([".env", "home/.env", "home/.gemini/.env", "home/project/.git/HEAD", "home/project/deep/.gemini/.env"]);
  expect(await namesFor(["gemini"], { at: "home/project/deep" })).toEqual(["deep/.gemini/.env", "<root>/.env"]);
  await write(["home/project/.env"]);
  expect(await namesFor(["gemini"])).toEqual([".env", "<root>/.env"]);
  expect(await namesFor(["claude", "opencode", "copilot", "git"])).toEqual([]);
});

test("the home is left out however it is written, and links to the project lead to the same files", async () => {
  await write(["home/.git/HEAD", "home/opencode.json", "home/project/opencode.json"]);
  await symlink("home", join(root, "home-link"));
  for (const home of ["home", "home/", "home-link", "home-link/"]) {
    for (const project of ["home/project", "home-link/project"]) {
      const found = await findProjectSettings({
        workingDirectory: join(root, project),
        projectDirectory: join(root, "home/project"),
        userHomeDirectory: `${root}/${home}`,
        owners: new Set(["opencode"]),
      });
      expect(found.map(({ path, name }) => ({ path: path.replace(root, "<root>"), name }))).toEqual([
        { path: "<root>/home/project/opencode.json", name: "opencode.json" },
      ]);
    }
  }
});

test("files directly in the home folder are the user's, even for a call there", async () => {
  await write(["home/.claude/settings.json", "home/.mcp.json", "home/.gemini/.env", "home/.git/hooks/pre-commit"]);
  const all = PROJECT_SETTINGS.map(({ owner }) => owner);
  expect(await namesFor(all, { at: "home", project: "home" })).toEqual([]);
});

test("where a vendor looks upward, all folders up to the repository's root are looked at, the home never", async () => {
  await write([
    "opencode.json",
    "home/opencode.json",
    "home/repository/.git/HEAD",
    "home/repository/opencode.json",
    "home/repository/.claude/settings.json",
    "home/repository/part/opencode.json",
    "home/repository/part/deep/.claude/settings.json",
  ]);
  const part = { project: "home/repository/part", at: "home/repository/part/deep" };
  expect(await namesFor(["claude", "opencode"], part)).toEqual([
    "deep/.claude/settings.json",
    "opencode.json",
    "<root>/home/repository/opencode.json",
  ]);
});

test("empty folders do not count; links do", async () => {
  await write(["home/project/.git/HEAD"]);
  await mkdir(join(root, "home/project/.claude/agents"), { recursive: true });
  await symlink("/nowhere", join(root, "home/project/opencode.json"));
  await mkdir(join(root, "home/project/.github"));
  await symlink(".github", join(root, "home/project/.github/hooks"));
  expect(await namesFor(["claude", "opencode", "copilot"])).toEqual(["opencode.json", ".github/hooks"]);
});
