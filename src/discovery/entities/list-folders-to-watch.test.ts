import { expect, test } from "bun:test";
import { mkdir, symlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { listEntityPlaces } from "./entity-places.ts";
import { createEntityHome, type EntityHome } from "./fixtures/entity-home.ts";
import { listFoldersToWatch } from "./list-folders-to-watch.ts";

/** The folders, and the names in each whose changes matter. */
async function foldersOf(home: EntityHome): Promise<Readonly<Record<string, unknown>>> {
  const options = { projectDirectory: home.project, homeDirectory: home.home, providers: ["claude"] as const };
  const folders = await listFoldersToWatch(await listEntityPlaces(options), options);
  return Object.fromEntries(
    [...folders].map(([path, names]) => [relative(home.root, path), names === "all" ? names : [...names].toSorted()]),
  );
}

const HOME = { home: [".atomic", ".claude"] };

test("folders that do not exist are awaited in the folder that would contain them", async () => {
  await using home = await createEntityHome();
  expect(await foldersOf(home)).toEqual({ ...HOME, project: [".claude", "CLAUDE.md"] });
});

test("the folders in a folder of definitions are watched, except for other people's files", async () => {
  await using home = await createEntityHome({
    "project/.claude/skills/pdf/SKILL.md": "Read.",
    "project/.claude/skills/pdf/scripts/read.py": "",
    "project/.claude/skills/pdf/node_modules/x/index.js": "",
  });
  expect(await foldersOf(home)).toEqual({
    ...HOME,
    project: [".claude", "CLAUDE.md"],
    "project/.claude": ["agents", "commands", "settings.json", "settings.local.json", "skills"],
    "project/.claude/skills": "all",
    "project/.claude/skills/pdf": "all",
    "project/.claude/skills/pdf/scripts": "all",
  });
});

test("a link is not followed out of the project, and not in a cycle", async () => {
  await using home = await createEntityHome({
    "elsewhere/deep/er/secret.md": "",
    "project/prompts/ask.md": "",
    "project/.claude/commands/own.md": "",
  });
  const commands = join(home.project, ".claude/commands");
  await symlink(join(home.root, "elsewhere"), join(home.project, ".claude/agents"));
  await symlink(join(home.root, "elsewhere/deep/er/secret.md"), join(commands, "secret.md"));
  await symlink(join(home.project, "prompts/ask.md"), join(commands, "ask.md"));
  await mkdir(join(commands, "more"));
  await symlink(commands, join(commands, "more/again"));
  expect(await foldersOf(home)).toEqual({
    ...HOME,
    project: [".claude", "CLAUDE.md"],
    "project/prompts": ["ask.md"],
    "project/.claude": ["agents", "commands", "settings.json", "settings.local.json", "skills"],
    "project/.claude/commands": "all",
    "project/.claude/commands/more": "all",
  });
});
