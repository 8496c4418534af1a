import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { initializeWorkflowsSDK } from "../../discovery/index.ts";
import { setSubagentRegistry } from "../../graph/index.ts";
import type { NameLookup } from "../../telemetry/index.ts";
import { TestEnvironment } from "../fixtures/test-environment.ts";
import { createEntityServices } from "./entity-services.ts";

const ACP_AGENT = join(import.meta.dirname, "../fixtures/acp-agent.ts");

/** Runs a node, and returns what the agent received. */
const workflow = (node: string): string => `
import { agentNode, annotation, commandNode, defineState, graph, skillNode } from "@bastani/atomic/graph";
const State = defineState({ received: annotation("") });
const outputMapper = ({ content }) => ({ received: content });
export default () => graph(State).start(${node}).end().compile({ output: ({ received }) => JSON.parse(received) });
`;

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await environment.trustProject();
  const agents = { echo: { command: process.execPath, args: [ACP_AGENT, "--echo"], ungated: true } };
  await environment.write({
    "home/.atomic/config.json": JSON.stringify({ agent: "echo", agents }),
    "home/.claude/agents/check.md": "---\nname: check\ndescription: Checks\nmodel: opus\n---\nCheck the code.",
    "project/.github/skills/pdf/SKILL.md": "---\nname: pdf\ndescription: Reads\n---\nRead $ARGUMENTS.",
    "project/.opencode/commands/go.md": "---\nagent: check\n---\nGo: !`echo $1`",
  });
});
afterEach(async () => {
  setSubagentRegistry(undefined);
  await environment.remove();
});

interface RunOutcome {
  readonly exitCode: number;
  readonly output: unknown;
  readonly stderr: string;
}

async function run(
  node: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<RunOutcome> {
  await environment.writeWorkflows({ flow: workflow(node) });
  const { exitCode, stdout, stderr } = await environment.start(["run", "flow", ...args], { env }).ended;
  const output: unknown = exitCode === 0 ? JSON.parse(stdout.slice(stdout.indexOf("\n{"))) : undefined;
  return {
    exitCode,
    output: JSON.parse(environment.normalise(JSON.stringify(output ?? null))),
    stderr: environment.normalise(stderr),
  };
}

/** The lines that `ATOMIC_DEBUG` adds. */
function debugLines(stderr: string): readonly string[] {
  return stderr.split("\n").filter((line) => line.startsWith("[workflows]"));
}

test("an agent's node uses a definition by its name", async () => {
  const { output } = await run('agentNode({ agent: "CHECK", prompt: "Look here", outputMapper })');
  expect(output).toEqual({ systemPrompt: "Check the code.", model: "a", message: "Look here" });
});

test("the built-in agents need no file", async () => {
  const { output } = await run('agentNode({ agent: "debugger", prompt: "Look here", outputMapper })');
  expect(output).toEqual({
    systemPrompt: expect.stringMatching(/^You find the cause of a defect and fix it\.\n/),
    model: "a",
    message: "Look here",
  });
});

test("the built-in agents that change nothing are denied the tools that edit files, or may only read", async () => {
  const { find } =
    createEntityServices({
      load: () => initializeWorkflowsSDK({ projectPath: environment.project, userPath: environment.root }),
      agent: "claude",
      workingDirectory: environment.project,
      projectDirectory: environment.project,
      permissions: { rules: [] },
    }).agents ?? {};
  const names = ["debugger", "worker", "task", "planner", "Code-Review", "explore", "researcher"];
  const tools = await Promise.all(names.map(async (name) => (await find?.(name))?.tools));
  expect(tools).toEqual([
    undefined,
    undefined,
    undefined,
    ["*", "!edit", "!write"],
    ["*", "!edit", "!write"],
    ["read", "grep", "glob", "list"],
    ["read", "grep", "glob", "list", "webfetch", "websearch"],
  ]);
});

test("each look-up of a name is measured, and whether the definitions had been read before", async () => {
  const lookups: NameLookup[] = [];
  const place = { workingDirectory: environment.project, projectDirectory: environment.project };
  const { agents, skills } = createEntityServices({
    load: () => initializeWorkflowsSDK({ projectPath: environment.project, userPath: environment.root }),
    ...{ agent: "claude", ...place, permissions: { rules: [] }, onLookup: (lookup) => lookups.push(lookup) },
  });
  await agents?.find("debugger");
  await skills?.find("nowhere");
  expect(lookups).toEqual([
    { type: "agent", durationMs: expect.any(Number), isFound: true, isCached: false },
    { type: "skill", durationMs: expect.any(Number), isFound: false, isCached: true },
  ]);
});

test("a skill's node uses a skill with its folder", async () => {
  const { output } = await run('skillNode({ skill: "pdf", args: "a.pdf", outputMapper })');
  expect(output).toEqual({
    systemPrompt: "",
    model: "a",
    message: "The files of this skill are in: <root>/project/.github/skills/pdf\n\nRead a.pdf.",
  });
});

test("a command's node runs the commands in the prompt only if the permissions allow it", async () => {
  const node = 'commandNode({ command: "go", args: "there", outputMapper })';
  const { output } = await run(node, ["--allow", "shell:echo *"]);
  expect(output).toEqual({ systemPrompt: "Check the code.", model: "a", message: "Go: there" });
  const denied = await run(node);
  expect(denied.exitCode).toBe(1);
  expect(denied.stderr).toContain(
    `"go" runs the command "echo 'there'" for its prompt, which was denied: No rule matches`,
  );
  await environment.write({ "project/.opencode/commands/go.md": "Go: !`touch marker`" });
  expect((await run(node, ["--yolo", "--deny", "shell:touch*"])).exitCode).toBe(2);
  expect(existsSync(join(environment.project, "marker"))).toBe(false);
});

test("an unknown name is an error with the nearest one", async () => {
  const { exitCode, stderr } = await run('agentNode({ agent: "chek", prompt: "Look here", outputMapper })');
  expect(exitCode).toBe(2);
  expect(stderr.replace(/\n +/g, " ")).toContain(
    'The node "agent-chek" needs the agent "chek", which does not exist. Did you mean "check"?',
  );
});

test("a command's node fails if the command's agent does not exist", async () => {
  await environment.write({ "project/.opencode/commands/lost.md": "---\nagent: chekc\n---\nGo." });
  const { exitCode, stderr } = await run('commandNode({ command: "lost", outputMapper })');
  expect(exitCode).toBe(2);
  expect(stderr.replace(/\n +/g, " ")).toContain(
    'The command "lost" cannot be used: Unknown agent "chekc"; did you mean "check"? See all of them: atomic agents list',
  );
});

test("ATOMIC_DEBUG logs on standard error what was registered, resolved and missed", async () => {
  await environment.write({ "project/.claude/agents/empty.md": "" });
  const found = await run('skillNode({ skill: "pdf", agent: "debugger", outputMapper })', [], { ATOMIC_DEBUG: "1" });
  expect(debugLines(found.stderr)).toEqual([
    "[workflows] Registered 19 entities from atomic (7 skills, 12 agents, 0 commands, 0 instructions)",
    "[workflows] Registered 1 entities from claude (0 skills, 1 agents, 0 commands, 0 instructions)",
    "[workflows] Registered 1 entities from opencode (0 skills, 0 agents, 1 commands, 0 instructions)",
    "[workflows] Registered 1 entities from copilot (1 skills, 0 agents, 0 commands, 0 instructions)",
    "[workflows] Problem in <root>/project/.claude/agents/empty.md:1: The file is empty",
    '[workflows] Resolved agent "debugger": built-in',
    '[workflows] Resolved skill "pdf": copilot, project, <root>/project/.github/skills/pdf/SKILL.md',
  ]);
  const missed = await run('skillNode({ skill: "pfd", outputMapper })', [], { ATOMIC_DEBUG: "1" });
  expect(debugLines(missed.stderr).at(-1)).toBe('[workflows] Missed skill "pfd": no definition has this name');
  const silent = await run('skillNode({ skill: "pdf", outputMapper })');
  expect(debugLines(silent.stderr)).toEqual([]);
});

test("with --json, the lines of ATOMIC_DEBUG stay out of standard output", async () => {
  await environment.writeWorkflows({ flow: workflow('skillNode({ skill: "pdf", outputMapper })') });
  const { stdout, stderr } = await environment.start(["run", "flow", "--json"], { env: { ATOMIC_DEBUG: "1" } }).ended;
  expect(
    stdout
      .trimEnd()
      .split("\n")
      .filter((line) => !line.startsWith("{")),
  ).toEqual([]);
  expect(debugLines(stderr)).toHaveLength(5);
});

test("an agent that the workflow's file registers precedes a definition of the same name", async () => {
  await environment.writeWorkflows({
    flow: `import { getSubagentRegistry } from "@bastani/atomic/graph";\n${workflow(
      'agentNode({ agent: "debugger", prompt: "Look here", outputMapper })',
    )
      .replace(
        "export default () =>",
        'export default () => (getSubagentRegistry().register({ name: "debugger", prompt: "Mine." }),',
      )
      .replace(/;\n$/, ");\n")}`,
  });
  const { stdout, stderr } = await environment.start(["run", "flow"], { env: { ATOMIC_DEBUG: "1" } }).ended;
  expect(JSON.parse(stdout.slice(stdout.indexOf("\n{")))).toMatchObject({ systemPrompt: "Mine." });
  expect(debugLines(stderr)).toContain('[workflows] Resolved agent "debugger": registered by code');
  expect(debugLines(stderr)).not.toContainEqual(expect.stringContaining('agent "debugger": claude'));
});

test("a denied command of a prompt fails its node, and the advice of the run resumes it", async () => {
  const { exitCode, stderr } = await run('commandNode({ command: "go", args: "x", outputMapper })');
  expect(exitCode).toBe(1);
  expect(stderr).toContain('"go" runs the command "echo \'x\'" for its prompt, which was denied');
  const [session] = (await environment.store.list()).sessions;
  const id = session?.sessionId ?? "";
  const advice = `Allow it and resume the run: atomic runs resume ${id} --allow "shell:echo 'x'"`;
  expect((await environment.atomic("runs", "show", id)).stdout).toContain(advice);
  const resumed = await environment.atomic("runs", "resume", id, "--allow", "shell:echo 'x'");
  expect(resumed.exitCode).toBe(0);
});

test("an input that a prompt lacks is reported before its agent starts", async () => {
  await environment.write({ "project/.github/prompts/plan.prompt.md": "Plan ${input:goal:what to do}" });
  const { exitCode, stdout, stderr } = await environment.atomic("commands", "run", "plan");
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(
    'error: The prompt "plan" has no value for ${input:goal} (what to do).\n       Add to its arguments: goal=…\n       (PROMPT_INPUT_MISSING)\n',
  );
});
