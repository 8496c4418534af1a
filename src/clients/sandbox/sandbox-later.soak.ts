import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { runInSandbox } from "./fixtures/run-in-sandbox.ts";

const PATH = process.env.PATH ?? "";
const AUTHOR = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"];

let root: string;
let home: string;
let project: string;
let marks: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), "atomic-later-")));
  [home, project, marks] = ["home", "project", "marks"].map((name) => path.join(root, name)) as [
    string,
    string,
    string,
  ]; // three names
  for (const folder of [home, project, marks]) mkdirSync(folder);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync("git", [...AUTHOR, ...args], {
    cwd: folder,
    env: { PATH, HOME: home },
    encoding: "utf8",
    stdio: "pipe",
  });

/** Git as the user calls it afterwards, whether or not it still can. */
function gitAfterwards(folder: string, ...args: readonly string[]): void {
  try {
    git(folder, ...args);
  } catch {
    // What it ran before counts.
  }
}

interface InsideOptions {
  readonly workingDirectory?: string;
  readonly agentType?: string;
}

const runInside = (script: string, { workingDirectory = project, ...options }: InsideOptions = {}): Promise<string> =>
  runInSandbox(`${script}\ntrue`, { workingDirectory, env: { PATH, HOME: home }, sandbox: {} }, options);

/** Makes a repository with one commit. */
function makeRepository(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "file.txt"), "one\n");
  git(folder, "init", "-q", "-b", "main");
  git(folder, "add", ".");
  git(folder, "commit", "-qm", "one");
}

/** A repository with a submodule `libs/sub`. */
function makeSuperproject(folder: string): void {
  makeRepository(path.join(root, "library"));
  makeRepository(folder);
  git(folder, "submodule", "add", "-q", path.join(root, "library"), "libs/sub");
  git(folder, "commit", "-qam", "two");
}

/** A setting that runs a command at the next status. */
const monitor = (): string => `core.fsmonitor "echo ran > ${marks}/ran; false"`;
const hook = (file: string): string =>
  `mkdir -p $(dirname ${file}); printf '#!/bin/sh\\necho ran > ${marks}/ran\\n' > ${file}; chmod +x ${file}`;

describe("git later runs nothing that was planted", () => {
  test.each([
    {
      title: "in the folder that .git/commondir names",
      script: () => `cp -r .git cc; git config -f cc/config ${monitor()}; echo ../cc > .git/commondir`,
    },
    { title: "in another .git", script: () => `mv .git old; cp -r old .git; git config -f .git/config ${monitor()}` },
    {
      title: "in .git/config.worktree",
      script: () => `git config -f .git/config.worktree ${monitor()}`,
      prepare: () => git(project, "config", "extensions.worktreeConfig", "true"),
    },
    { title: "in a submodule's settings", script: () => `git config -f .git/modules/libs/sub/config ${monitor()}` },
    {
      title: "in a submodule's commondir",
      script: () =>
        `cp -r .git/modules/libs/sub cc; git config -f cc/config ${monitor()}; echo ../../../../cc > .git/modules/libs/sub/commondir`,
    },
    { title: "in a submodule's hooks", script: () => hook(".git/modules/libs/sub/hooks/post-checkout") },
    {
      title: "in another folder of a submodule",
      script: () =>
        `cp -r .git/modules/libs/sub g2; git config -f g2/config ${monitor()}; git config -f g2/config --unset core.worktree; echo gitdir: ../../g2 > libs/sub/.git; mv libs old; cp -r old libs; echo gitdir: ../../g2 > libs/sub/.git`,
    },
    {
      title: "in .git/hooks, which was missing",
      script: () => hook(".git/hooks/pre-commit"),
      prepare: () => rm(path.join(project, ".git/hooks"), { recursive: true }),
    },
    {
      title: "in hooks that are a link",
      script: () => `${hook("shared/pre-commit")}; rm .git/hooks; ln -s ../shared .git/hooks`,
      prepare: () => linkHooks(),
    },
    {
      title: "in the folder that core.hooksPath names",
      script: () => hook("scripts/hooks/pre-commit"),
      prepare: () => {
        mkdirSync(path.join(project, "scripts/hooks"), { recursive: true });
        git(project, "config", "core.hooksPath", "scripts/hooks");
      },
    },
    {
      title: "in a folder of core.hooksPath that was missing",
      script: () => `${hook("scripts/hooks/pre-commit")}; mv scripts old; ${hook("scripts/hooks/pre-commit")}`,
      prepare: () => git(project, "config", "core.hooksPath", "scripts/hooks"),
    },
    {
      title: "in a remote that .git/remotes names",
      script: () =>
        `git init -q --bare evil; ${hook("evil/hooks/pre-receive")}; mkdir -p .git/remotes; echo URL: $PWD/evil > .git/remotes/origin`,
    },
  ])("$title", async ({ script, prepare }: { readonly script: () => string; readonly prepare?: () => unknown }) => {
    makeSuperproject(project);
    await prepare?.();
    await runInside(script());
    gitAfterwards(project, "status");
    gitAfterwards(project, "commit", "--allow-empty", "-m", "user");
    gitAfterwards(path.join(project, "libs/sub"), "checkout", "-f", "HEAD");
    gitAfterwards(project, "push", "origin", "HEAD");
    expect(readdirSync(marks)).toEqual([]);
    expect(git(project, "log", "-1", "--format=%s")).toBe("user\n");
  });

  describe.each([
    { title: "an untracked repository that another branch has as a submodule", branch: "other" },
    { title: "a submodule with a git folder of its own", branch: "main" },
  ])("in $title", ({ branch }) => {
    test.each([
      { title: "settings", script: () => `git config -f deps/own/.git/config ${monitor()}` },
      { title: "hooks", script: () => hook("deps/own/.git/hooks/post-checkout") },
      {
        title: "settings, in a copy",
        script: () => `mv deps old; cp -r old deps; git config -f deps/own/.git/config ${monitor()}`,
      },
      {
        title: "commondir",
        script: () =>
          `cp -r deps/own/.git cc; git config -f cc/config ${monitor()}; echo ../../../cc > deps/own/.git/commondir`,
      },
    ])("$title", async ({ script }) => {
      makeRepository(project);
      makeRepository(path.join(project, "deps/own"));
      git(project, "checkout", "-q", "-B", branch);
      git(project, "add", "deps/own");
      git(project, "commit", "-qm", "submodule");
      git(project, "checkout", "-q", "main");
      await runInside(script());
      gitAfterwards(project, "checkout", branch);
      gitAfterwards(project, "status");
      gitAfterwards(path.join(project, "deps/own"), "checkout", "-f", "HEAD");
      expect(readdirSync(marks)).toEqual([]);
      expect(git(path.join(project, "deps/own"), "log", "-1", "--format=%s")).toBe("one\n");
    });
  });

  test.each(["worktree", "submodule", "folder without a repository", "part of a repository"])(
    "in another git folder of a %s",
    async (kind) => {
      const places: Readonly<Record<string, () => string>> = {
        worktree: () => {
          makeRepository(path.join(root, "main"));
          git(path.join(root, "main"), "worktree", "add", "-q", "-b", "topic", path.join(root, "tree"));
          return path.join(root, "tree");
        },
        submodule: () => {
          makeSuperproject(project);
          return path.join(project, "libs/sub");
        },
        "folder without a repository": () => project,
        "part of a repository": () => {
          makeRepository(project);
          mkdirSync(path.join(project, "part"));
          return path.join(project, "part");
        },
      };
      const workingDirectory = places[kind]?.() ?? expect.unreachable();
      await runInside(
        [
          `mkdir g1 && git init -q g1; cp -r g1/.git g2; git config -f g2/config ${monitor()}`,
          "rm -rf .git; echo gitdir: g2 > .git; cp -r g2 .git; mv g2 .git",
        ].join("\n"),
        { workingDirectory },
      );
      gitAfterwards(workingDirectory, "status");
      expect(readdirSync(marks)).toEqual([]);
      expect(existsSync(path.join(workingDirectory, ".git"))).toBe(kind === "worktree" || kind === "submodule");
    },
  );

  function linkHooks(): Promise<void> {
    mkdirSync(path.join(project, "shared"));
    return rm(path.join(project, ".git/hooks"), { recursive: true }).then(() =>
      symlinkSync("../shared", path.join(project, ".git/hooks")),
    );
  }
});

test("a repository within the project takes commits, but no settings", async () => {
  const inner = path.join(project, "deps/own");
  makeRepository(project);
  makeRepository(inner);
  const output = await runInside(
    `exec 2>&1; cd deps/own; git config a.b c || echo kept; echo two > file.txt; git ${AUTHOR.join(" ")} commit -qam two`,
  );
  expect(output).toBe(`error: could not write config file ${inner}/.git/config: Device or resource busy\nkept\n`);
  expect([git(inner, "log", "--format=%s"), git(inner, "status", "--short")]).toEqual(["two\none\n", ""]);
});

test("git works as usual but for its settings: commits, branches, merges, rebases, stashes, tags", async () => {
  makeSuperproject(project);
  const before = readdirSync(path.join(project, ".git")).sort();
  const output = await runInside(
    [
      "exec 2>&1; set -e; export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b.test GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b.test",
      "git checkout -qb topic; echo two > two.txt; git add .; git commit -qm topic; git tag v1; git tag -am note v2",
      "git checkout -q main; echo three > three.txt; git add .; git commit -qm main; git merge -q topic -m merged",
      "git checkout -qb again topic; git rebase -q main; echo x >> file.txt; git stash -q; git stash pop -q; git checkout -q file.txt",
      "git rm -q two.txt; git commit -qm removed; git revert --no-edit HEAD >/dev/null; git reset -q --hard HEAD~2",
      "(cd libs/sub && echo s > s.txt && git add . && git commit -qm sub); git add libs/sub; git commit -qm pointer",
      "git branch -D topic >/dev/null 2>&1; git pack-refs --all; git gc -q --prune=now 2>/dev/null; git worktree list | wc -l; git status --short; git log --format=%s",
      "git config user.name evil || echo kept",
    ].join("\n"),
  );
  expect(output).toBe(
    `1\npointer\nmerged\nmain\ntopic\ntwo\none\nerror: could not write config file ${project}/.git/config: Device or resource busy\nkept\n`,
  );
  const usual = new Set(["HEAD", "ORIG_HEAD", "index", "logs", "objects", "refs", "packed-refs", "COMMIT_EDITMSG"]);
  const left = readdirSync(path.join(project, ".git")).filter((name) => !before.includes(name) && !usual.has(name));
  expect(left).toEqual([]);
  expect(git(project, "fsck").trim()).toBe("");
});

/** The texts of the files in a home folder, by their names. */
function filesIn(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    names.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [path.relative(folder, file), readFileSync(file, "utf8")];
    }),
  );
}

const AGENTS = [
  {
    agentType: "claude",
    code: [
      ...["settings.json", "settings.local.json", "CLAUDE.md", "hooks/x.sh", "commands/x.md", "skills/x/SKILL.md"],
      ...["agents/x.md", "plugins/x", "statusline.sh", "local/claude", "shell-snapshots/x.sh", "session-env/x/x.sh"],
      ...["sessions/x.key", "workflows/x.js", ".claude.json"],
    ].map((name) => `.claude/${name}`),
    others: [".claude.json", ".cache/claude/x"],
    data: [".claude/projects/x/x.jsonl", ".claude/todos/x.json"],
  },
  {
    agentType: "copilot",
    code: [
      ...[
        "settings.json",
        "hooks/x.json",
        "mcp-config.json",
        "agents/x.md",
        "skills/x",
        "pkg/x.js",
        "extensions/x.mjs",
      ],
      ...["installed-plugins/x", "config.json", "lsp-config.json", "permissions-config.json"],
    ].map((name) => `.copilot/${name}`),
    others: [".cache/copilot/pkg/x.js"],
    data: [".copilot/session-state/x/events.jsonl"],
  },
  {
    agentType: "opencode",
    code: [".cache/opencode/bin/gopls", ".cache/opencode/packages/x/index.js", ".cache/opencode/models.json"],
    others: [
      ...[".config/opencode/opencode.json", ".config/opencode/plugin/x.js", ".opencode/plugin/x.js"],
      ...[".local/share/opencode/bin/rg", ".local/share/opencode/snapshot/x/config", ".local/state/opencode/kv.json"],
    ],
    data: [".local/share/opencode/opencode.db", ".local/share/opencode/auth.json"],
  },
  {
    agentType: "gemini",
    code: ["settings.json", "extensions/x", "commands/x.toml", "trustedFolders.json", "history/x/config"].map(
      (name) => `.gemini/${name}`,
    ),
    others: [".gemini/tmp/bin/rg"],
    data: [".gemini/tmp/x/chat.json"],
  },
  {
    agentType: "codex",
    code: ["config.toml", "AGENTS.md", "prompts/x.md", "skills/x", "shell_snapshots/x.sh", "tmp/arg0/x"].map(
      (name) => `.codex/${name}`,
    ),
    others: [],
    data: [".codex/sessions/x.jsonl"],
  },
  {
    agentType: "goose",
    code: [".local/share/goose/schedule.json", ".local/share/goose/scheduled_recipes/x.yaml"],
    others: [".config/goose/config.yaml"],
    data: [".local/share/goose/sessions/x.jsonl"],
  },
];

describe.each(AGENTS)(
  "what runs in $agentType later stays as it is, and its data is kept",
  ({ agentType, code, others, data }) => {
    const all = [...code, ...others];
    const write = [...all, ...data]
      .map((name) => `mkdir -p ~/$(dirname ${name}) && echo planted > ~/${name}`)
      .join("\n");

    test("where nothing was there", async () => {
      await runInside(write, { agentType });
      const { ".config/opencode/.gitignore": _laid, ...files } = filesIn(home);
      expect(files).toEqual(Object.fromEntries(data.map((name) => [name, "planted\n"])));
    });

    test("where all of it was there, however it is changed", async () => {
      for (const name of [...all, ...data]) {
        mkdirSync(path.join(home, path.dirname(name)), { recursive: true });
        writeFileSync(path.join(home, name), "mine\n");
      }
      const replace = all
        .map((name) => `echo planted > ~/x-new; mv -f ~/x-new ~/${name}; rm -rf ~/$(dirname ${name}); ${write}`)
        .join("\n");
      await runInside(`exec 2>/dev/null\n${write}\n${replace}`, { agentType });
      const { ".config/opencode/.gitignore": _laid, ...files } = filesIn(home);
      expect(Object.fromEntries(Object.entries(files).filter(([name]) => !data.includes(name)))).toEqual(
        Object.fromEntries(all.map((name) => [name, "mine\n"])),
      );
    });

    test("and settings can be read", async () => {
      const name = code[0] ?? expect.unreachable();
      mkdirSync(path.join(home, path.dirname(name)), { recursive: true });
      writeFileSync(path.join(home, name), "mine\n");
      expect(await runInside(`cat ~/${name}`, { agentType })).toBe("mine\n");
    });
  },
);

test("an agent changes a copy of its state, which it may replace", async () => {
  const file = path.join(home, ".claude.json");
  writeFileSync(file, '{"a":1}');
  const script = "cat ~/.claude.json; echo new > ~/x; mv ~/x ~/.claude.json; cat ~/.claude.json";
  expect(await runInside(script, { agentType: "claude" })).toBe('{"a":1}new\n');
  expect(readFileSync(file, "utf8")).toBe('{"a":1}');
});
