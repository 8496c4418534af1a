import { afterEach, expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import { mkdir, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { DiscoveredEntities } from "./discover-entities.ts";
import { createEntityHome, type EntityHome } from "./fixtures/entity-home.ts";
import { type EntityWatcher, type WatchEntitiesOptions, type WatchFolder, watchEntities } from "./watch-entities.ts";

/** The names of all agents, skills and commands. */
function namesOf({ registry }: DiscoveredEntities): readonly string[] {
  return [...registry.allAgents(), ...registry.allSkills(), ...registry.allCommands()].map(({ name }) => name);
}

/** A watcher, and what it reported. */
class Watched {
  readonly reports: DiscoveredEntities[] = [];
  readonly #waiting = new Set<() => void>();
  watcher!: EntityWatcher;

  static async start(home: EntityHome, options: Partial<WatchEntitiesOptions> = {}): Promise<Watched> {
    const watched = new Watched();
    const places = { projectDirectory: home.project, homeDirectory: home.home };
    watched.watcher = await watchEntities({ ...places, debounceMs: 10, ...options }, (found) => {
      watched.reports.push(found);
      for (const look of watched.#waiting) look();
    });
    open.push(watched.watcher);
    return watched;
  }

  /** Resolves when a report fits, past or future. */
  async until(fits: (found: DiscoveredEntities) => boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (!this.reports.some(fits)) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Resolves when exactly these definitions were reported. */
  async untilNames(...names: readonly string[]): Promise<void> {
    await this.until((found) => namesOf(found).join() === names.join());
  }
}

const open: EntityWatcher[] = [];
afterEach(() => {
  for (const watcher of open.splice(0)) watcher.close();
});

test("a definition that is added, changed or removed is reported, with folders that did not exist", async () => {
  await using home = await createEntityHome();
  const watched = await Watched.start(home);
  expect(namesOf(watched.watcher.current)).toEqual([]);
  await home.write({ "project/.claude/commands/git/commit.md": "Commit." });
  await watched.untilNames("git:commit");
  await home.write({ "project/.claude/commands/git/commit.md": "Commit all." });
  await watched.until(({ registry }) => registry.getCommand("git:commit")?.prompt === "Commit all.");
  await home.write({ "home/.config/opencode/agents/plan.md": "Plan." });
  await watched.untilNames("plan", "git:commit");
  await rm(join(home.project, ".claude"), { recursive: true });
  await watched.untilNames("plan");
  expect(namesOf(watched.watcher.current)).toEqual(["plan"]);
});

test("a folder that is removed and made again is watched again", async () => {
  await using home = await createEntityHome({ "project/.claude/agents/one.md": "---\nname: one\n---\nOne." });
  const watched = await Watched.start(home);
  for (const name of ["two", "three"]) {
    await rm(join(home.project, ".claude"), { recursive: true });
    await home.write({ [`project/.claude/agents/${name}.md`]: `---\nname: ${name}\n---\nDo it.` });
    await watched.untilNames(name);
    await home.write({ "project/.claude/agents/more.md": `---\nname: more-${name}\n---\nDo it.` });
    await watched.untilNames(`more-${name}`, name);
  }
});

test("editors that replace a file, and OpenCode's configuration, are followed", async () => {
  await using home = await createEntityHome({ "project/.atomic/skills/pdf/SKILL.md": "Read." });
  const watched = await Watched.start(home);
  await home.write({ "project/.atomic/skills/pdf/.SKILL.md.tmp": "Read it all." });
  await rename(
    join(home.project, ".atomic/skills/pdf/.SKILL.md.tmp"),
    join(home.project, ".atomic/skills/pdf/SKILL.md"),
  );
  await watched.until(({ registry }) => registry.getSkill("pdf")?.prompt === "Read it all.");
  await home.write({ "project/opencode.json": '{ "command": { "ship": { "template": "Ship." } } }' });
  await watched.untilNames("pdf", "ship");
  await home.write({ "project/opencode.json": "{" });
  await watched.until(({ problems }) => problems.length === 1);
});

test("the target of a link is followed", async () => {
  await using home = await createEntityHome({ "project/prompts/ask.md": "Ask." });
  await mkdir(join(home.project, ".claude/commands"), { recursive: true });
  await symlink(join(home.project, "prompts/ask.md"), join(home.project, ".claude/commands/ask.md"));
  await home.write({ "dotfiles/opencode.json": "{}" });
  await mkdir(join(home.home, ".config/opencode"), { recursive: true });
  await symlink(join(home.root, "dotfiles/opencode.json"), join(home.home, ".config/opencode/opencode.json"));
  const watched = await Watched.start(home);
  await home.write({ "project/prompts/ask.md": "Ask again." });
  await watched.until(({ registry }) => registry.getCommand("ask")?.prompt === "Ask again.");
  await home.write({ "dotfiles/opencode.json": '{ "command": { "ship": { "template": "Ship." } } }' });
  await watched.untilNames("ask", "ship");
});

test("plugins that are installed and switched off are followed", async () => {
  await using home = await createEntityHome({ "plugin/commands/go.md": "Go." });
  const watched = await Watched.start(home);
  const plugins = { "go@shop": [{ scope: "user", installPath: join(home.root, "plugin") }] };
  await home.write({ "home/.claude/plugins/installed_plugins.json": JSON.stringify({ plugins }) });
  await watched.untilNames("go:go");
  await home.write({ "plugin/commands/stop.md": "Stop." });
  await watched.untilNames("go:go", "go:stop");
  await home.write({ "home/.claude/settings.json": JSON.stringify({ enabledPlugins: { "go@shop": false } }) });
  await watched.untilNames();
});

test("many changes at once are one report, and what changes nothing is none", async () => {
  await using home = await createEntityHome({ "project/.claude/commands/a.md": "A." });
  const watched = await Watched.start(home, { debounceMs: 200 });
  await home.write({ "project/.claude/commands/a.md": "A." });
  await home.write({ "project/notes.txt": "Nothing." });
  await home.write(
    Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`project/.claude/commands/b${index}.md`, "B."])),
  );
  await watched.until((found) => namesOf(found).length === 51);
  expect(watched.reports).toHaveLength(1);
});

test("nothing is reported once it is closed, also if it is closed twice or while the files are read", async () => {
  await using home = await createEntityHome();
  const [closed, reference] = [await Watched.start(home, { debounceMs: 0 }), await Watched.start(home)];
  await home.write({ "project/.claude/commands/a.md": "A." });
  closed.watcher.close();
  closed.watcher.close();
  await reference.untilNames("a");
  await home.write({ "project/.claude/commands/b.md": "B." });
  await reference.untilNames("a", "b");
  expect(closed.reports).toEqual([]);
});

const noWatch: WatchFolder = () => {
  throw new Error("ENOSPC: no space left on device, watch");
};
const brokenWatch: WatchFolder = () => {
  const failures = new EventEmitter();
  const failing = setImmediate(() => failures.emit("error", new Error("EMFILE: too many open files")));
  return { on: (event, listener) => failures.on(event, listener), close: () => clearImmediate(failing) };
};

test.each([
  { title: "cannot watch a folder", watchFolder: noWatch },
  { title: "stops watching a folder", watchFolder: brokenWatch },
])("where the system $title, the files are read regularly", async ({ watchFolder }) => {
  await using home = await createEntityHome();
  const watched = await Watched.start(home, { watchFolder, pollIntervalMs: 20 });
  await home.write({ "project/.claude/commands/a.md": "A." });
  await watched.untilNames("a");
  await home.write({ "project/.claude/commands/b.md": "B." });
  await watched.untilNames("a", "b");
});

test("the process ends although nobody has closed the watcher", async () => {
  await using home = await createEntityHome();
  const places = { projectDirectory: home.project, homeDirectory: home.home };
  const program = `
    const { watchEntities } = await import(${JSON.stringify(join(import.meta.dirname, "watch-entities.ts"))});
    await watchEntities(${JSON.stringify(places)}, () => {});
    console.log("watching");
  `;
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  expect({ stdout, stderr, exitCode }).toEqual({ stdout: "watching\n", stderr: "", exitCode: 0 });
});
