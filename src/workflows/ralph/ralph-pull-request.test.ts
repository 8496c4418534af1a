import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type CommandRunner, runCommand } from "../../graph/index.ts";
import { plainGit } from "../review/fixtures/review-bench.ts";
import { openBenches, plan, planAndDo, type RalphBench } from "./fixtures/ralph-bench.ts";

const openBench = openBenches();

/** A repository with a remote, and a `gh` that notes its calls. */
async function open(): Promise<{ readonly bench: RalphBench; readonly git: (...args: string[]) => string }> {
  const bench = await openBench(planAndDo([plan("a")]));
  const { root } = bench;
  const project = join(root, "project");
  const env = { PATH: `${join(root, "bin")}:${process.env.PATH}`, HOME: root, GIT_CONFIG_NOSYSTEM: "1" };
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: project, env, stdio: "pipe", encoding: "utf8" }).trim();
  await writeFile(join(root, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.org\n");
  execFileSync("git", ["init", "-q", "--bare", "-b", "main", join(root, "remote.git")], { env });
  git("init", "-q", "-b", "main");
  git("commit", "-q", "--allow-empty", "-m", "start");
  // With a tag of the same name, git's short name of the branch is "heads/main".
  git("tag", "main");
  git("remote", "add", "origin", join(root, "remote.git"));
  await mkdir(join(root, "bin"));
  const answer =
    'case "$1 $2" in "pr view") exit 1;; "pr create") cp "$8" body; echo https://example.org/pull/1;; esac';
  await writeFile(join(root, "bin/gh"), `#!/bin/sh\ncd ${root}; echo "$@" >> gh-calls\n${answer}\n`);
  await chmod(join(root, "bin/gh"), 0o755);
  const shell: CommandRunner = (command, options) => runCommand(command, { ...options, env });
  bench.services = { git: plainGit, shell };
  return { bench, git };
}

const INPUT = { prompt: "# Add a flag\n\nIt is --json.", workers: 1, review: false };

test("a pull request is opened when the work is done, of a branch of its own", async () => {
  const { bench, git } = await open();
  const { state, output } = await bench.run({ ...INPUT, pullRequest: true });
  const branch = "ralph-add-a-flag-it-is-json-run1";
  expect([state.prBranch, state.prUrl, git("branch", "--show-current")]).toEqual([
    branch,
    "https://example.org/pull/1",
    branch,
  ]);
  expect(git("ls-remote", "--heads", "origin")).toEndWith(`\trefs/heads/${branch}`);
  expect(await readFile(join(bench.root, "gh-calls"), "utf8")).toContain(
    `\npr create --head ${branch} --title Add a flag --body-file `,
  );
  expect(await readFile(join(bench.root, "body"), "utf8")).toBe(
    [
      "# Add a flag",
      "",
      "It is --json.",
      "",
      "## Result",
      "",
      "```",
      ...["1 of 1 tasks done", "✔ a: Task a", "Nothing was verified.", "Nothing was reviewed.", "```"],
    ].join("\n"),
  );
  expect(output).toEndWith("\nPull request: https://example.org/pull/1");
});

test("without the wish there is none, and no call of gh", async () => {
  const { bench, git } = await open();
  const { state } = await bench.run(INPUT);
  expect([state.prUrl, git("branch", "--show-current"), bench.logs.filter((line) => line.includes("pull"))]).toEqual([
    "",
    "main",
    [],
  ]);
  expect(await Bun.file(join(bench.root, "gh-calls")).exists()).toBe(false);
});

test("where none can be opened, the end of the result says why", async () => {
  const { bench, git } = await open();
  git("remote", "remove", "origin");
  const { output, state } = await bench.run({ ...INPUT, pullRequest: true });
  expect([state.prUrl, `${output}`.split("\n").at(-1)]).toEqual(["", 'No pull request: there is no remote "origin".']);
});

test("work that fails has none", async () => {
  const { bench } = await open();
  const { status } = await bench.run({ ...INPUT, pullRequest: true, verifyCommand: "false" }, undefined, {
    maxAttempts: 1,
  });
  expect(status).toBe("failed");
  expect(await readFile(join(bench.root, "gh-calls"), "utf8")).toBe("auth status\n");
});
