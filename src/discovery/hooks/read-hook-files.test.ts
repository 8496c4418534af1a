import { afterEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { readHookFiles } from "./read-hook-files.ts";

const folders: string[] = [];
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

async function createFolders(files: Readonly<Record<string, string>>) {
  const root = await mkdtemp(join(tmpdir(), "atomic-hook-files-"));
  folders.push(root);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  return { root, projectDirectory: join(root, "project"), userHomeDirectory: join(root, "home") };
}

const claude = JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command: "x" }] }] } });
const copilot = JSON.stringify({ version: 1, hooks: { sessionEnd: [{ type: "command", bash: "x" }] } });

const FILES = {
  "home/.claude/settings.json": claude,
  "home/.copilot/hooks/a.json": copilot,
  "home/.config/opencode/plugin/own.ts": "",
  "project/.claude/settings.json": claude,
  "project/.claude/settings.local.json": "{",
  "project/.github/hooks/b.json": copilot,
  "project/.github/hooks/check.sh": "",
  "project/.opencode/plugin/guard.ts": "",
  "project/.opencode/plugin/types.d.ts": "",
  "project/.opencode/plugins/log.js": "",
};

test("the files of the user come before those of the project, and a broken one does not affect the others", async () => {
  const { root, ...places } = await createFolders(FILES);
  const { hooks, problems } = await readHookFiles(places);
  expect(hooks.map(({ source, filePath }) => [source, relative(root, filePath)])).toEqual([
    ["user", "home/.claude/settings.json"],
    ["user", "home/.copilot/hooks/a.json"],
    ["user", "home/.config/opencode/plugin/own.ts"],
    ["project", "project/.claude/settings.json"],
    ["project", "project/.github/hooks/b.json"],
    ["project", "project/.opencode/plugin/guard.ts"],
    ["project", "project/.opencode/plugins/log.js"],
  ]);
  expect(problems.map(({ path, line, message }) => [relative(root, path), line, message])).toEqual([
    ["project/.claude/settings.local.json", 1, 'It is no valid JSON: "}" is missing'],
  ]);
});

test("only the wanted sources are read, and variables move the user's folders", async () => {
  const { root, ...places } = await createFolders({ ...FILES, "elsewhere/settings.json": claude });
  const env = { CLAUDE_CONFIG_DIR: join(root, "elsewhere"), COPILOT_HOME: join(root, "none"), XDG_CONFIG_HOME: "" };
  const { hooks, problems } = await readHookFiles({ ...places, env, sources: new Set(["user"]) });
  expect([hooks.map(({ filePath }) => relative(root, filePath)), problems]).toEqual([
    ["elsewhere/settings.json", "home/.config/opencode/plugin/own.ts"],
    [],
  ]);
});

test("disableAllHooks in any settings of Claude Code turns off its hooks, and no others", async () => {
  const { root, ...places } = await createFolders({
    ...FILES,
    "project/.claude/settings.local.json": '{ "disableAllHooks": true }',
  });
  const { hooks, problems } = await readHookFiles(places);
  expect([hooks.map(({ vendor }) => vendor), problems]).toEqual([
    ["copilot", "opencode", "copilot", "opencode", "opencode"],
    [],
  ]);
});

test("a file that cannot be read is a problem, and the home folder as a project has no hooks of its own", async () => {
  const { root, userHomeDirectory } = await createFolders({
    "home/.claude/settings.json/x": "",
    "home/.github/hooks/a.json": copilot,
  });
  expect(await readHookFiles({ projectDirectory: userHomeDirectory, userHomeDirectory })).toEqual({
    hooks: [],
    problems: [
      {
        path: join(root, "home/.claude/settings.json"),
        message: "It is not a regular file",
        remedy: "Check that it is what its name says and that you may read it.",
        severity: "error",
      },
    ],
  });
});

test("a file that is nested too deep is broken, like any other", async () => {
  const deep = `{\n"permissions": ${"[".repeat(20_000)}${"]".repeat(20_000)}}`;
  const { root, ...places } = await createFolders({ "project/.claude/settings.json": deep });
  expect(await readHookFiles(places)).toEqual({
    hooks: [],
    problems: [
      {
        path: join(root, "project/.claude/settings.json"),
        line: 2,
        message: "Its objects and lists are nested more than 100 deep",
        remedy: "Correct it. None of its hooks run.",
        severity: "error",
      },
    ],
  });
});
