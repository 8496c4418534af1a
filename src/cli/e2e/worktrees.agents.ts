import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ModelReply, type ModelRequest, type ModelServer, startModelServer } from "../../testkit/index.ts";
import { Sandbox } from "./fixtures/sandbox.ts";
import { useScriptedModel } from "./fixtures/vendor-agents.ts";

const WORKFLOW = `import { annotation, defineState, graph, parallelSubagentNode } from "@bastani/atomic/graph";
const State = defineState({ ended: annotation("") });
export default () =>
  graph(State)
    .start(
      parallelSubagentNode({
        id: "work",
        agents: ["claude", "opencode", "copilot"].map((agentType) => ({
          agentName: "worker",
          agentType,
          task: "Sign the list as " + agentType + ".",
          isolation: "worktree",
        })),
        merge: (results) => ({ ended: [...results].map(([key, { success }]) => key + " " + success).join(", ") }),
      }),
    )
    .end()
    .compile();
`;

/** What a model orders for a task: it signs the list, or puts both sides of a conflict into it. */
function commandFor(task: string): string | undefined {
  const [, name] = /Sign the list as (\w+)\./.exec(task) ?? [];
  if (task.includes("in the middle of")) return "grep -v '^[<=>]' list.txt > .merged; mv .merged list.txt";
  return name === undefined ? undefined : `pwd > ${name}.txt; echo ${name} >> list.txt`;
}

function answer({ messages, toolNames }: ModelRequest): ModelReply {
  const command = commandFor(messages.flatMap(({ role, text }) => (role === "user" ? [text] : [])).join("\n"));
  const shell = toolNames.find((name) => name.toLowerCase() === "bash");
  const hasActed = messages.some(({ role }) => role === "assistant");
  if (hasActed || command === undefined || shell === undefined) return { type: "message", text: "Done." };
  return { type: "message", toolCalls: [{ name: shell, input: { command, description: "Sign" } }] };
}

let model: ModelServer;
let sandbox: Sandbox;

const git = (...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: sandbox.project, encoding: "utf8", env: { ...process.env, HOME: sandbox.root } });

beforeEach(async () => {
  sandbox = await Sandbox.create();
  model = await startModelServer({ script: answer });
  await useScriptedModel(sandbox, model);
  await sandbox.write({ ".atomic/workflows/sign.ts": WORKFLOW, "list.txt": "nobody\n" });
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.org");
  git("add", "--all");
  git("commit", "--quiet", "--message=Begin");
});
afterEach(async () => {
  await sandbox.remove();
  await model.stop();
});

test("agents of three vendors change one file in worktrees of their own; conflicts are resolved, and nothing is lost", async () => {
  const { exitCode, stderr, events } = await sandbox.atomic("run", "sign", "--trust", "--allow", "shell", "--json");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(events.find((event) => event.type === "run-end")).toMatchObject({
    output: ["worker-0", "worker-1", "worker-2"].map((agent) => ({ agent, success: true, output: "Done." })),
  });
  expect((await readFile(join(sandbox.project, "list.txt"), "utf8")).trim().split("\n").toSorted()).toEqual([
    "claude",
    "copilot",
    "nobody",
    "opencode",
  ]);
  const folders = await Promise.all(
    ["claude", "opencode", "copilot"].map((name) => readFile(join(sandbox.project, `${name}.txt`), "utf8")),
  );
  // Each worked in a folder of its own, and none in the project.
  expect(new Set(folders).size).toBe(3);
  expect(folders.filter((folder) => !folder.startsWith(join(sandbox.atomicHome, "worktrees")))).toEqual([]);
  expect(git("log", "--first-parent", "--format=%s").trim().split("\n")).toEqual([
    ...["copilot", "opencode", "claude"].map((name) => `worker: Sign the list as ${name}.`),
    "Begin",
  ]);
  expect([git("status", "--porcelain"), git("branch", "--format=%(refname:short)").trim()]).toEqual(["", "main"]);
  const left = await readdir(join(sandbox.atomicHome, "worktrees"), { recursive: true, withFileTypes: true });
  expect(left.filter((entry) => entry.isFile() && entry.name === "list.txt")).toEqual([]);
  expect(existsSync(join(sandbox.project, ".git/MERGE_HEAD"))).toBe(false);
});
