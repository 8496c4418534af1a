import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ModelServer, startModelServer } from "../../testkit/index.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

/** Writes down what it is called with. */
const LINT = `import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { tool } from "@atomic/plugin";
export default tool({
  description: "Runs the linter of this project",
  args: { filePath: tool.schema.string().describe("Path to lint"), fix: tool.schema.boolean().default(false) },
  async execute(args, { directory, agent }) {
    await appendFile(join(directory, "calls.jsonl"), JSON.stringify({ args, agent }) + "\\n");
    return "2 issues in " + args.filePath;
  },
});
`;

const WORKFLOW = `import { agentNode, graph } from "@bastani/atomic/graph";
export default () =>
  graph().start(agentNode({ id: "check", buildMessage: "Lint a.ts", tools: ["lint"] })).end().compile();
`;

interface AgentCase {
  readonly agent: string;
  readonly protocol: "openai-chat" | "anthropic-messages";
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The agent's name of the tool. */
  readonly toolName: RegExp;
}

const AGENTS: readonly AgentCase[] = [
  { agent: "claude", protocol: "anthropic-messages", toolName: /^mcp__atomic-tools__lint$/ },
  { agent: "opencode", protocol: "openai-chat", toolName: /^atomic-.*_lint$/ },
  { agent: "copilot", protocol: "openai-chat", toolName: /^lint$/ },
  { agent: "my-acp-agent", protocol: "openai-chat", settings: { preset: "opencode" }, toolName: /^atomic_lint$/ },
];

/** The real agents with a scripted model. */
let model: ModelServer;
let sandbox: Sandbox;
let offered: Set<string>;

beforeEach(async () => {
  model = await startModelServer({ script: () => ({ type: "message", text: "Hello." }) });
  sandbox = await Sandbox.create();
  offered = new Set();
  await sandbox.write({ ".atomic/tools/lint.ts": LINT, ".atomic/workflows/check.ts": WORKFLOW });
});
afterEach(async () => {
  await sandbox.remove();
  await model.stop();
});

async function describeAgent({ agent, protocol, settings, toolName }: AgentCase): Promise<void> {
  const endpoint = { protocol, baseUrl: `${model.url}/v1`, models: [{ id: "scripted-model" }] };
  await sandbox.writeConfig({
    agents: { [agent]: { ...settings, homeDirectory: join(sandbox.root, "agent-home"), endpoint } },
  });
  model.setScript(({ messages, toolNames }) => {
    // OpenCode has a server of its own for each session.
    for (const name of toolNames) if (name.endsWith("lint")) offered.add(name.replace(/^atomic-[^_]+_/, "atomic_"));
    const last = messages.at(-1);
    if (last?.role === "tool") return { type: "message", text: `It says: ${last.text}` };
    const name = toolNames.find((candidate) => toolName.test(candidate));
    if (name === undefined) return { type: "message", text: "There is no linter." };
    return { type: "message", toolCalls: [{ name, input: { filePath: "a.ts" } }] };
  });
}

async function calls(): Promise<readonly unknown[]> {
  const text = await readFile(join(sandbox.project, "calls.jsonl"), "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
}

describe.each([...AGENTS])("$agent", (agentCase) => {
  const { agent } = agentCase;
  const expectedCall = { args: { filePath: "a.ts", fix: false }, agent };

  test("calls a tool of a file with its arguments, in a conversation and as a step", async () => {
    await describeAgent(agentCase);
    const prompt = await sandbox.atomic("-p", "Lint a.ts", "--agent", agent, "--allow", "mcp", "--trust");
    expect({ exitCode: prompt.exitCode, stdout: prompt.stdout, stderr: prompt.stderr, calls: await calls() }).toEqual({
      exitCode: 0,
      stdout: "It says: 2 issues in a.ts\n",
      stderr: expect.stringContaining("lint"),
      calls: [expectedCall],
    });
    const run = await sandbox.atomic("run", "check", "--agent", agent, "--allow", "mcp");
    expect({ exitCode: run.exitCode, stdout: run.stdout, calls: await calls() }).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/\n\nIt says: 2 issues in a\.ts\n$/),
      calls: [expectedCall, expectedCall],
    });
    expect(offered.size).toBe(1);
  });

  test("is not allowed to call it where no rule allows it, and not offered it before the project is trusted", async () => {
    await describeAgent(agentCase);
    const untrusted = await sandbox.atomic("-p", "Lint a.ts", "--agent", agent, "--allow", "mcp");
    expect({ stdout: untrusted.stdout, offered: [...offered] }).toEqual({
      stdout: "There is no linter.\n",
      offered: [],
    });
    expect(untrusted.stderr).toContain(".atomic/tools");
    const { stderr } = await sandbox.atomic("-p", "Lint a.ts", "--agent", agent, "--trust");
    expect(stderr).toContain("denied");
    expect({ offered: offered.size, calls: await calls() }).toEqual({ offered: 1, calls: [] });
  });
});
