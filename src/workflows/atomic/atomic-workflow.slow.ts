import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";

import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunEvent } from "../../contracts/index.ts";
import {
  type AgentDefinition,
  type CommandRunner,
  MemorySaver,
  NamedRegistry,
  type RunOptions,
  type RunResult,
  runCommand,
} from "../../graph/index.ts";
import { type AgentScript, createScriptedAgent, type ScriptedAgent } from "../../testkit/index.ts";
import { plainGit } from "../review/fixtures/review-bench.ts";
import { createTaskStore } from "../tasks/task-store.ts";
import { decisionOf } from "./atomic-nodes.ts";
import type { AtomicWorkflowState } from "./atomic-state.ts";
import { createAtomicWorkflow } from "./atomic-workflow.ts";

const AGENTS = ["worker", "codebase-locator", "codebase-analyzer", "codebase-pattern-finder"];

/** Answers each kind of prompt; the specification has the number of its version. */
function script(): AgentScript {
  let versions = 0;
  return ({ prompt, outputSchema }) => {
    if (prompt.startsWith("Break the following"))
      return { structured: { tasks: [{ id: "a", name: "Part a", description: "Write it." }] } };
    if (outputSchema !== undefined) return { structured: { findings: [] } };
    if (prompt.includes("specification of the following work") || prompt.includes("wants it changed"))
      return `# Version ${++versions}`;
    if (!prompt.includes("(task a)")) return `About: ${prompt.split("\n")[0]}`;
    return { actions: [{ type: "edit-file", path: "a.txt", content: "a\n" }], text: "Did a." };
  };
}

let root = "";
let project = "";
let agent: ScriptedAgent;
let saver: MemorySaver;
let events: RunEvent[];
let isTrusted = true;
/** The environment of commands. */
let env: Record<string, string>;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-workflow-")));
  project = join(root, "project");
  for (const name of ["project", "session", "bin"]) await mkdir(join(root, name));
  agent = createScriptedAgent({ script: script(), workingDirectory: project });
  isTrusted = true;
  saver = new MemorySaver();
  events = [];
  env = { PATH: process.env.PATH ?? "", HOME: root, GIT_CONFIG_NOSYSTEM: "1" };
});
afterEach(async () => {
  await agent.stop();
  await rm(root, { recursive: true, force: true });
});

const shell: CommandRunner = (command, options) => runCommand(command, { ...options, env });

function options(): RunOptions {
  const agents = new NamedRegistry<AgentDefinition>(AGENTS.map((name) => ({ name, prompt: "You work." })));
  const services = {
    clients: () => agent,
    agents,
    shell,
    git: plainGit,
    tasks: createTaskStore(),
    isProjectTrusted: async () => isTrusted,
  };
  return {
    checkpointer: saver,
    services: { ...services, workingDirectory: project, sessionDirectory: join(root, "session") },
    onEvent: (event) => events.push(event),
  };
}

function start(input: Partial<AtomicWorkflowState> = {}): Promise<RunResult<AtomicWorkflowState>> {
  const all = { prompt: "Add a --json flag, please", review: false, ...input };
  return createAtomicWorkflow().run(all, { ...options(), runId: "run1" });
}

/** Answers the open question in another process, so to speak. */
function answer(text: string, { requests }: RunResult<AtomicWorkflowState>): Promise<RunResult<AtomicWorkflowState>> {
  return createAtomicWorkflow().resume("run1", { [requests[0]?.id ?? ""]: text }, options());
}

const logs = (): readonly string[] => events.flatMap((event) => (event.type === "log" ? [event.message] : []));
const FOLDER = "research/add-a-json-flag-please-run1";

describe("the Atomic workflow", () => {
  test("researches, has the specification changed twice and approved, and implements it", async () => {
    const first = await start();
    expect(first.status).toBe("suspended");
    expect(first.requests[0]?.question).toBe(
      [
        "# Version 1",
        "",
        `This is the specification, in ${FOLDER}/spec.md; you can edit the file. After you approve, the work is done without further questions, and a pull request is opened where there is a remote.`,
        "Answer approve or reject, or say what to change.",
      ].join("\n"),
    );
    expect((await readdir(join(project, FOLDER))).toSorted()).toEqual([
      "codebase-analyzer.md",
      "codebase-locator.md",
      "codebase-pattern-finder.md",
      "spec.md",
    ]);
    const second = await answer("Name the file.", first);
    const third = await answer("Also name the test.", second);
    expect(third.requests[0]?.question).toStartWith("# Version 3\n");
    const feedback = agent.turns.flatMap(
      ({ prompt }) => /<feedback>\n(.*)\n<\/feedback>\n\n<spec.*>\n(.*)/.exec(prompt)?.slice(1) ?? [],
    );
    expect(feedback).toEqual(["Name the file.", "# Version 1", "Also name the test.", "# Version 2"]);
    const done = await answer("Approve.", third);
    expect(done.status).toBe("completed");
    expect(await readFile(join(project, "a.txt"), "utf8")).toBe("a\n");
    expect(done.output).toBe(
      [
        "1 of 1 tasks done",
        "✔ a: Part a",
        "Nothing was verified.",
        "Nothing was reviewed.",
        `Specification: ${FOLDER}/spec.md`,
        "No pull request: no branch of a git repository is checked out.",
      ].join("\n"),
    );
    expect(logs()).toContain("No pull request will be opened: no branch of a git repository is checked out.");
  });

  test("implements the specification as a person edited its file", async () => {
    const asked = await start();
    await writeFile(join(project, FOLDER, "spec.md"), "# Mine\n");
    const done = await answer("yes", asked);
    expect([done.status, done.state.specDoc]).toEqual(["completed", "# Mine\n"]);
    const planning = agent.turns.find(({ prompt }) => prompt.startsWith("Break the following"));
    expect(planning?.prompt).toContain("<work>\n# Mine\n\n</work>");
  });

  test("shows an agent the specification as a person edited it, where that person also wants changes", async () => {
    const asked = await start();
    await writeFile(join(project, FOLDER, "spec.md"), "# Mine\n");
    await answer("Name the test.", asked);
    expect(agent.turns.at(-1)?.prompt).toContain("<specification>\n# Mine\n\n</specification>");
  });

  test("writes a specification again whose file is missing at the approval, and says so", async () => {
    const asked = await start();
    await rm(join(project, FOLDER, "spec.md"));
    const done = await answer("approve", asked);
    expect(done.output).toContain(`\nSpecification: ${FOLDER}/spec.md\n`);
    expect(await readFile(join(project, FOLDER, "spec.md"), "utf8")).toBe("# Version 1\n");
    expect(logs()).toContain(`${FOLDER}/spec.md was missing: it is written again, as it was when you were asked.`);
  });

  test("names no file of a specification that was deleted and rejected", async () => {
    const asked = await start();
    await rm(join(project, "research"), { recursive: true });
    expect((await answer("reject", asked)).output).toBe("The specification was rejected.");
    expect(existsSync(join(project, "research"))).toBe(false);
  });

  test("writes nothing through a link out of the project", async () => {
    await mkdir(join(root, "elsewhere"));
    await symlink(join(root, "elsewhere"), join(project, "research"));
    expect((await start()).errorInfo).toEqual({
      code: "ATOMIC_FOLDER_OUTSIDE",
      message: `${FOLDER}/codebase-locator.md is outside of the project, because of a link: ${root}/elsewhere. Put a folder in the place of the link.`,
      nodeId: "write-research",
    });
    expect(await readdir(join(root, "elsewhere"))).toEqual([]);
  });

  test("ends when the specification is rejected", async () => {
    const done = await answer("reject", await start());
    expect([done.status, done.output]).toEqual([
      "completed",
      `The specification was rejected. It is in ${FOLDER}/spec.md.`,
    ]);
    expect(agent.turns.some(({ prompt }) => prompt.startsWith("Break the following"))).toBe(false);
  });

  test("goes without the page of an explorer that fails", async () => {
    const answers = script();
    agent = createScriptedAgent({
      workingDirectory: project,
      script: (turn, tools) => {
        if (turn.prompt.includes("Which files")) throw new Error("lost");
        return answers(turn, tools);
      },
    });
    const { state } = await start();
    expect(state.research.map(({ topic }) => topic)).toEqual(["codebase-analyzer", "codebase-pattern-finder"]);
  });

  test("rejects a configuration that cannot be right", () => {
    // The cast passes what the types reject.
    expect(() => createAtomicWorkflow({ maxFeedbackRounds: 0 } as object)).toThrow("createAtomicWorkflow()");
  });
});

describe("a pull request", () => {
  function git(...args: readonly string[]): string {
    return execFileSync("git", args, { cwd: project, env, stdio: "pipe", encoding: "utf8" }).trim();
  }

  /** A repository with a remote, and a `gh` that notes its calls. */
  async function prepare(ghScript: string): Promise<void> {
    await writeFile(join(root, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.org\n");
    execFileSync("git", ["init", "-q", "--bare", "-b", "main", join(root, "remote.git")], { env });
    git("init", "-q", "-b", "main");
    git("commit", "-q", "--allow-empty", "-m", "start");
    git("remote", "add", "origin", join(root, "remote.git"));
    const gh = join(root, "bin/gh");
    await writeFile(gh, `#!/bin/sh\necho "$@" >> ${root}/gh-calls\n${ghScript}\n`);
    await chmod(gh, 0o755);
    env = { ...env, PATH: `${join(root, "bin")}:${env.PATH}` };
  }

  const OPENS = 'case "$1 $2" in "pr view") exit 1;; "pr create") echo https://example.org/pull/1;; esac';

  test("is opened of a branch of its own where the work began on the default branch", async () => {
    await prepare(OPENS);
    const done = await answer("approve", await start());
    expect(done.state).toMatchObject({
      prBranch: "atomic-add-a-json-flag-please-run1",
      prUrl: "https://example.org/pull/1",
    });
    expect(done.output).toEndWith("\nPull request: https://example.org/pull/1");
    expect(git("branch", "--show-current")).toBe("atomic-add-a-json-flag-please-run1");
    expect(git("ls-remote", "--heads", "origin")).toContain("refs/heads/atomic-add-a-json-flag-please-run1");
    const calls = (await readFile(join(root, "gh-calls"), "utf8")).trim().split("\n");
    expect(calls.map((call) => call.replace(/ --json url.*| \/.*$/, ""))).toEqual([
      "auth status",
      "pr view atomic-add-a-json-flag-please-run1",
      "pr create --head atomic-add-a-json-flag-please-run1 --title Add a --json flag, please --body-file",
    ]);
  });

  test("is of the branch that is checked out, if that is another one", async () => {
    await prepare(OPENS);
    git("switch", "-q", "-c", "mine");
    expect((await answer("approve", await start())).state.prBranch).toBe("mine");
  });

  test("is left out in a project that is not trusted, without a call of gh", async () => {
    await prepare(OPENS);
    isTrusted = false;
    await answer("approve", await start());
    expect(logs()).toContain("No pull request will be opened: the project is not trusted. Trust it: atomic trust add.");
    expect([existsSync(join(root, "gh-calls")), git("branch", "--show-current")]).toEqual([false, "main"]);
  });

  test.each([{ title: "gh has no account", gh: "exit 1", says: "gh has no account. Sign in: gh auth login" }])(
    "is left out where $title, with the reason",
    async ({ gh, says }) => {
      await prepare(gh);
      const done = await answer("approve", await start());
      expect([done.status, done.state.prUrl, git("branch", "--show-current")]).toEqual(["completed", "", "main"]);
      expect(logs()).toContain(`No pull request will be opened: ${says}.`);
    },
  );

  test("that cannot be opened does not fail the work", async () => {
    await prepare('case "$1" in pr) echo no >&2; exit 1;; esac');
    const done = await answer("approve", await start());
    expect([done.status, done.state.prUrl]).toEqual(["completed", ""]);
    expect(logs()).toContain("No pull request was opened. gh pr create failed: no");
    expect(done.output).toEndWith("\nNo pull request: gh pr create failed: no");
  });

  test("is left out where nobody wants it", async () => {
    await prepare(OPENS);
    const asked = await start({ pullRequest: false });
    expect(asked.requests[0]?.question).toContain("without further questions.\n");
    expect((await answer("approve", asked)).state.prUrl).toBe("");
    expect(git("branch", "--show-current")).toBe("main");
  });
});

test.each([
  ["Approve", "approved"],
  [" yes. ", "approved"],
  ["no", "rejected"],
  ["Rejected!", "rejected"],
  ["No, use YAML", "changes"],
  ["yes, but name the file", "changes"],
])("%p means %s", (text, decision) => {
  expect(decisionOf(text)).toBe(decision as ReturnType<typeof decisionOf>);
});
