import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { mkdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { createWorkflowRegistry } from "../../workflows/run-kit.ts";
import { BUILT_IN_WORKFLOWS } from "../completions/load-values.ts";
import { TestEnvironment } from "../fixtures/test-environment.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

/** The words that a shell would offer. */
async function complete(...words: readonly string[]): Promise<readonly string[]> {
  const { exitCode, stdout, stderr } = await environment.atomic("__complete", "--", ...words);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0] ?? ""]));
}

test.each<{ readonly words: readonly string[]; readonly offered: readonly string[] }>([
  { words: ["doc"], offered: ["doctor"] },
  { words: ["runs", "re"], offered: ["report", "resume", "retry"] },
  { words: ["runs", "resume", "--max"], offered: ["--max-tokens", "--max-cost"] },
  { words: ["run", "ralph", "--agent", "cl"], offered: ["claude"] },
  { words: ["run", "ralph", "--agent=cl"], offered: ["--agent=claude"] },
  { words: ["run", "ralph", "--agent", "=", "cl"], offered: ["claude"] },
  {
    words: ["run", "ralph", "--agent", "="],
    offered: ["claude", "opencode", "copilot", "gemini", "codex", "goose", "scripted"],
  },
  { words: ["--effort", "m"], offered: ["medium", "max"] },
  {
    words: ["config", "get", "ui.mo"],
    offered: ["ui.mode", "ui.mouse.wheel", "ui.mouse.selection", "ui.mouse.rightClick"],
  },
  { words: ["config", "set", "ui.mode", ""], offered: ["full", "inline", "plain"] },
  { words: ["config", "set", "ui.vi", ""], offered: ["true", "false"] },
  { words: ["completions", ""], offered: ["bash", "zsh", "fish", "powershell"] },
  { words: ["install", "c"], offered: ["claude", "copilot"] },
  { words: ["run", "--answers", ""], offered: [":files"] },
  { words: ["run", "--", "ra"], offered: ["ralph", ":files"] },
  { words: ["runs", "show", ""], offered: [] },
  { words: ["no", "such", "command", ""], offered: [] },
  { words: ["__"], offered: [] },
])("after %j", async ({ words, offered }) => {
  expect(await complete(...words)).toEqual(offered);
});

test("names of files are offered, of an untrusted project, too; odd ones, which a shell might execute, are not", async () => {
  await environment.writeProject({
    ".atomic/workflows/deploy.ts": "throw new Error('never loaded')",
    ".atomic/workflows/_helper.ts": "",
    ".atomic/workflows/$(touch x).ts": "",
    ".atomic/tools/lint.ts": "",
    ".claude/agents/reviewer.md": "",
    ".claude/skills/pdf/SKILL.md": "",
  });
  await environment.write({ "home/.atomic/workflows/mine.mjs": "", "home/.atomic/tools/fmt.ts": "" });
  expect(await complete("run", "")).toEqual(["deploy", "mine", ...BUILT_IN_WORKFLOWS, ":files"]);
  expect(await complete("tools", "run", "")).toEqual(["lint", "fmt"]);
  expect(await complete("agents", "show", "")).toEqual(["reviewer"]);
  expect(await complete("skills", "show", "p")).toEqual(["pdf"]);
});

test("runs are offered with their workflow and status, and agents that the settings describe", async () => {
  await environment.atomic("run", "ralph", "--agent", "nobody");
  const session = JSON.stringify({ workflowName: "deploy", status: "paused", lastUpdated: "2026-01-01" });
  await environment.write({
    "home/.atomic/workflows/sessions/27xk40w0ve6v/session.json": session,
    "home/.atomic/workflows/sessions/broken/session.json": "{",
    "home/.atomic/config.json": '{ "agents": { "mine": { "command": "x" }, "$(x)": {} } }',
  });
  expect((await environment.atomic("__complete", "--", "runs", "show", "")).stdout).toBe(
    "27xk40w0ve6v\tdeploy, paused\n",
  );
  expect(await complete("run", "x", "--agent", "mi")).toEqual(["mine"]);
});

test("the newest runs are offered first, and a pipe in the place of a run's file is left out", async () => {
  const ids = Array.from({ length: 52 }, (_, index) => `27xk40w0ve${String(index).padStart(2, "0")}`);
  const folder = join(environment.root, "home/.atomic/workflows/sessions");
  for (const [index, id] of ids.entries()) {
    const at = new Date(Date.UTC(2026, 0, 1, 0, index));
    const session = { workflowName: "deploy", status: "paused", lastUpdated: at.toISOString() };
    await environment.write({ [`home/.atomic/workflows/sessions/${id}/session.json`]: JSON.stringify(session) });
    await utimes(join(folder, id, "session.json"), at, at);
  }
  await mkdir(join(folder, "pipe"));
  await promisify(execFile)("mkfifo", [join(folder, "pipe/session.json")]);
  // The pipe is the newest file, and takes one of the 50 places.
  expect(await complete("runs", "show", "")).toEqual(ids.toReversed().slice(0, 49));
});

test("broken settings print nothing", async () => {
  await environment.write({ "home/.atomic/config.json": "{ broken" });
  expect(await complete("run", "x", "-a", "goo")).toEqual(["goose"]);
});

test("the built-in workflows are those of the registry", () => {
  expect(createWorkflowRegistry([]).workflows.map(({ metadata }) => metadata.name)).toEqual([...BUILT_IN_WORKFLOWS]);
});

test("completions of an unknown shell are an error that names the possible ones", async () => {
  expect(await environment.atomic("completions", "bsh")).toEqual({
    exitCode: 2,
    stdout: "",
    stderr:
      "error: no completions for the shell 'bsh'. Did you mean bash? Possible: bash, zsh, fish, powershell.\n(see: atomic completions --help)\n",
  });
});
