import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ModelRequest, type ModelServer, startModelServer } from "../../testkit/index.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

/** One definition of each kind for each provider, in the folder and the dialect of that provider. */
const DEFINITIONS: Readonly<Record<string, string>> = {
  ".atomic/agents/atomic-agent.md":
    "---\ndescription: Reads pages.\ntools: [read, webfetch]\n---\nYou are the Atomic agent.\n",
  ".atomic/skills/atomic-skill/SKILL.md":
    "---\nname: atomic-skill\ndescription: Counts.\nallowed-tools: Grep\n---\nThe Atomic skill counts.\n",
  ".atomic/commands/atomic/command.md": "The Atomic command counts $ARGUMENTS, from $1 to $2.\n",
  ".claude/agents/claude-agent.md":
    "---\nname: claude-agent\ndescription: Knows git.\ntools: Read, Bash(git:*)\n---\nYou are the Claude agent.\n",
  ".claude/skills/claude-skill/SKILL.md":
    "---\nname: claude-skill\ndescription: Counts.\nallowed-tools: Bash(git:*)\n---\nThe Claude skill counts.\n",
  ".claude/commands/claude/command.md": "The Claude command counts $ARGUMENTS.\n",
  ".opencode/agent/opencode-agent.md":
    "---\ndescription: Changes nothing.\nmode: subagent\ntools:\n  write: false\n  edit: false\n  bash: false\n---\nYou are the OpenCode agent.\n",
  ".opencode/skill/opencode-skill/SKILL.md":
    "---\nname: opencode-skill\ndescription: Counts.\n---\nThe OpenCode skill counts.\n",
  ".opencode/command/opencode/command.md":
    "---\nagent: opencode-agent\n---\nThe OpenCode command counts $ARGUMENTS, from $1 to $2.\n",
  ".github/agents/copilot-agent.agent.md":
    "---\ndescription: Edits.\ntools: ['edit', 'search']\n---\nYou are the Copilot agent.\n",
  ".github/skills/copilot-skill/SKILL.md":
    "---\nname: copilot-skill\ndescription: Counts.\n---\nThe Copilot skill counts.\n",
  ".github/prompts/copilot-command.prompt.md":
    "---\nagent: copilot-agent\ntools: ['read']\n---\nThe Copilot command counts ${input:what}.\n",
};

/** A tool that writes down what it is called with. */
const TOOL = `import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { tool } from "@atomic/plugin";
export default tool({
  description: "Counts words",
  args: { text: tool.schema.string(), from: tool.schema.number().default(0) },
  async execute(args, { directory }) {
    await appendFile(join(directory, "counted.jsonl"), JSON.stringify(args) + "\\n");
    return "2 words";
  },
});
`;

const WORKFLOW = `import { agentNode, commandNode, customToolNode, graph, skillNode } from "@bastani/atomic/graph";
export default () =>
  graph()
    .start(agentNode({ agent: "atomic-agent", prompt: "Go, atomic-agent." }))
    .then(agentNode({ agent: "claude-agent", prompt: "Go, claude-agent." }))
    .then(agentNode({ agent: "opencode-agent", prompt: "Go, opencode-agent." }))
    .then(agentNode({ agent: "copilot-agent", prompt: "Go, copilot-agent." }))
    .then(agentNode({ agent: "opencode-agent", id: "exact", prompt: "Go, exactly.", tools: ["read", "Glob", "count"] }))
    .then(skillNode({ skill: "atomic-skill", args: "one two" }))
    .then(skillNode({ skill: "claude-skill", args: "one two" }))
    .then(skillNode({ skill: "opencode-skill", args: "one two" }))
    .then(skillNode({ skill: "copilot-skill", args: "one two" }))
    .then(commandNode({ command: "atomic:command", args: "one two" }))
    .then(commandNode({ command: "claude:command", args: "one two" }))
    .then(commandNode({ command: "opencode/command", args: "one two" }))
    .then(commandNode({ command: "copilot-command", args: "one two" }))
    .then(customToolNode({ id: "count", toolName: "count", args: () => ({ text: "one two", from: 1 }) }))
    .end()
    .compile();
`;

/** A real agent, and its own names of tools. */
interface AgentCase {
  readonly agent: string;
  readonly protocol: "openai-chat" | "anthropic-messages";
  readonly bash: string;
  readonly all: string;
  /** Those of the definitions, in the order of the workflow's nodes that limit them. */
  readonly limited: {
    readonly atomicAgent: string;
    readonly claudeAgent: string;
    readonly opencodeAgent: string;
    readonly copilotAgent: string;
    readonly exact: string;
    readonly atomicSkill: string;
    readonly copilotCommand: string;
  };
}

const AGENTS: readonly AgentCase[] = [
  {
    agent: "claude",
    protocol: "anthropic-messages",
    bash: "Bash",
    all: "Agent AskUserQuestion Bash Edit ListAgents Read ReportFindings Skill ToolSearch Write",
    limited: {
      atomicAgent: "Read WebFetch",
      claudeAgent: "Bash Read",
      opencodeAgent: "Agent AskUserQuestion Glob Grep ListAgents Read ReportFindings Skill ToolSearch",
      copilotAgent: "Edit Glob Grep NotebookEdit Write",
      exact: "Glob Read",
      atomicSkill: "Grep",
      copilotCommand: "Read",
    },
  },
  {
    agent: "opencode",
    protocol: "openai-chat",
    bash: "bash",
    all: "bash edit glob grep question read skill task todowrite webfetch write",
    limited: {
      atomicAgent: "read webfetch",
      claudeAgent: "bash read",
      opencodeAgent: "glob grep question read skill task todowrite webfetch",
      copilotAgent: "edit glob grep write",
      exact: "glob read",
      atomicSkill: "grep",
      copilotCommand: "read",
    },
  },
  {
    agent: "copilot",
    protocol: "openai-chat",
    bash: "bash",
    all: "ask_user bash create edit glob grep list_agents list_bash read_agent read_bash sql stop_bash task view write_agent",
    limited: {
      // With a model server of the user's own, Copilot offers no `web_fetch`.
      atomicAgent: "view",
      claudeAgent: "bash list_bash read_bash stop_bash view",
      opencodeAgent: "ask_user glob grep list_agents read_agent sql task view write_agent",
      copilotAgent: "create edit glob grep",
      exact: "glob view",
      atomicSkill: "grep",
      copilotCommand: "view",
    },
  },
];

let model: ModelServer;
let sandbox: Sandbox;

beforeEach(async () => {
  model = await startModelServer({ script: () => ({ type: "message", text: "Done." }) });
  sandbox = await Sandbox.create();
  await sandbox.write({
    ...DEFINITIONS,
    ".atomic/tools/count.ts": TOOL,
    ".atomic/workflows/all.ts": WORKFLOW,
  });
});
afterEach(async () => {
  await sandbox.remove();
  await model.stop();
});

/** The message of a request, without what agents put before it. */
function messageOf({ messages }: ModelRequest): string {
  const text = messages.findLast(({ role }) => role === "user")?.text ?? "";
  return text.replace(/^<current_datetime>.*<\/current_datetime>\s*/, "").replaceAll(sandbox.project, "PROJECT");
}

/** What a model is given: the message, the definitions in the system prompt, and the tools. */
function seenIn(request: ModelRequest): readonly string[] {
  const system = request.messages.flatMap(({ role, text }) => (role === "system" ? [text] : [])).join("\n");
  const roles = system.match(/You are the (?:Atomic|Claude|OpenCode|Copilot) agent\./g) ?? [];
  // Claude Code announces with it that it has more tools than it shows.
  const tools = request.toolNames.filter((name) => name !== "DeferredToolPlaceholder").map(withoutServer);
  return [messageOf(request), roles.join(" "), tools.toSorted().join(" ")];
}

/** Claude Code and OpenCode put the name of the server before the tool that a file defines. */
function withoutServer(name: string): string {
  return name.replace(/^(?:mcp__atomic-tools__|atomic-.*_)count$/, "count");
}

function withCount(tools: string): string {
  return [...tools.split(" "), "count"].toSorted().join(" ");
}

function skillMessage(folder: string, text: string): string {
  return `The files of this skill are in: PROJECT/${folder}\n\n${text}`;
}

test.each([...AGENTS])(
  "$agent uses the agents, skills, commands and tools of every provider by name",
  async (agentCase) => {
    const { agent, protocol, bash, limited } = agentCase;
    const all = withCount(agentCase.all);
    const endpoint = { protocol, baseUrl: `${model.url}/v1`, models: [{ id: "scripted-model" }] };
    await sandbox.writeConfig({ agents: { [agent]: { homeDirectory: join(sandbox.root, "agent-home"), endpoint } } });
    // The Claude agent may run git, and nothing else.
    const commands = ["git --version", "touch planted.txt"];
    const seen: (readonly string[])[] = [];
    const results: string[] = [];
    model.setScript((request) => {
      if (request.toolNames.length === 0) return { type: "message", text: "A title" };
      const done = request.messages.filter(({ role }) => role === "tool").map(({ text }) => text);
      if (done.length === 0) seen.push(seenIn(request));
      else if (messageOf(request) === "Go, claude-agent.") results.splice(0, results.length, ...done);
      const count = request.toolNames.find((name) => withoutServer(name) === "count");
      if (messageOf(request) === "Go, exactly." && count !== undefined && done.length === 0) {
        return { type: "message", toolCalls: [{ name: count, input: { text: "one" } }] };
      }
      const command = messageOf(request) === "Go, claude-agent." ? commands[done.length] : undefined;
      if (command === undefined) return { type: "message", text: "Done." };
      return { type: "message", toolCalls: [{ name: bash, input: { command, description: "Run it" } }] };
    });
    const args = ["run", "all", "--trust", "--agent", agent, "--allow", "shell", "--allow", "mcp", "--json"];
    const { exitCode, stderr } = await sandbox.atomic(...args);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(seen).toEqual([
      ["Go, atomic-agent.", "You are the Atomic agent.", limited.atomicAgent],
      ["Go, claude-agent.", "You are the Claude agent.", limited.claudeAgent],
      ["Go, opencode-agent.", "You are the OpenCode agent.", withCount(limited.opencodeAgent)],
      ["Go, copilot-agent.", "You are the Copilot agent.", limited.copilotAgent],
      ["Go, exactly.", "You are the OpenCode agent.", withCount(limited.exact)],
      [
        skillMessage(".atomic/skills/atomic-skill", "The Atomic skill counts.\n\nARGUMENTS: one two"),
        "",
        limited.atomicSkill,
      ],
      [skillMessage(".claude/skills/claude-skill", "The Claude skill counts.\n\nARGUMENTS: one two"), "", all],
      [skillMessage(".opencode/skill/opencode-skill", "The OpenCode skill counts.\n\none two"), "", all],
      [skillMessage(".github/skills/copilot-skill", "The Copilot skill counts.\n\nARGUMENTS: one two"), "", all],
      ["The Atomic command counts one two, from one to two.", "", all],
      ["The Claude command counts one two.", "", all],
      [
        "The OpenCode command counts one two, from one to two.",
        "You are the OpenCode agent.",
        withCount(limited.opencodeAgent),
      ],
      ["The Copilot command counts one two.", "You are the Copilot agent.", limited.copilotCommand],
    ]);
    expect(results).toEqual([
      expect.stringContaining("git version"),
      expect.stringContaining(
        `Denied: this call of "${bash}" goes beyond the tools that may be used here: "Read", "Bash(git:*)".`,
      ),
    ]);
    expect(existsSync(join(sandbox.project, "planted.txt"))).toBe(false);
    expect(await readFile(join(sandbox.project, "counted.jsonl"), "utf8")).toBe(
      '{"text":"one","from":0}\n{"text":"one two","from":1}\n',
    );
  },
);

test.each([
  { agent: "opencode", settings: {} },
  // Atomic cannot hide the tools of an agent over ACP.
  { agent: "my-acp-agent", settings: { preset: "opencode" } },
])("atomic skills run limits $agent to the tools of the definition", async ({ agent, settings }) => {
  const endpoint = { protocol: "openai-chat", baseUrl: `${model.url}/v1`, models: [{ id: "scripted-model" }] };
  const homeDirectory = join(sandbox.root, "agent-home");
  await sandbox.writeConfig({ agents: { [agent]: { ...settings, homeDirectory, endpoint } } });
  await sandbox.write({ ".atomic/skills/tag/SKILL.md": "---\ntools: Read, Bash(git:*)\n---\nTag it.\n" });
  await sandbox.atomic("trust", "add");
  const results: string[] = [];
  model.setScript((request) => {
    if (request.toolNames.length === 0) return { type: "message", text: "A title" };
    const done = request.messages.filter(({ role }) => role === "tool").map(({ text }) => text);
    results.splice(0, results.length, ...done);
    if (done.length > 0) return { type: "message", text: "Done." };
    const input = { command: "touch planted.txt", description: "Touch" };
    return { type: "message", toolCalls: [{ name: "bash", input }] };
  });
  const args = ["skills", "run", "tag", "v1", "--agent", agent, "--allow", "shell"];
  const { exitCode, stdout, stderr } = await sandbox.atomic(...args);
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 0,
    stdout: "Done.\n",
    stderr: expect.stringContaining("⊘ denied: bash: touch planted.txt"),
  });
  expect(results).toEqual([
    expect.stringContaining(
      'Denied: this call of "bash" goes beyond the tools that may be used here: "Read", "Bash(git:*)".',
    ),
  ]);
  expect(existsSync(join(sandbox.project, "planted.txt"))).toBe(false);
});

test.each([
  { agent: "claude", protocol: "anthropic-messages", file: "CLAUDE.md" },
  { agent: "opencode", protocol: "openai-chat", file: "AGENTS.md" },
  { agent: "copilot", protocol: "openai-chat", file: "AGENTS.md" },
])("the project's instructions reach $agent whatever tools it may use", async ({ agent, protocol, file }) => {
  const endpoint = { protocol, baseUrl: `${model.url}/v1`, models: [{ id: "scripted-model" }] };
  await sandbox.writeConfig({ agents: { [agent]: { homeDirectory: join(sandbox.root, "agent-home"), endpoint } } });
  await sandbox.write({
    [file]: "RULE-OF-THE-PROJECT",
    ".claude/agents/reads.md": "---\nname: reads\ndescription: Reads.\ntools: Read\n---\nYou read.\n",
    ".claude/agents/runs.md": "---\nname: runs\ndescription: Runs.\ntools: Bash(git:*)\n---\nYou run git.\n",
  });
  await sandbox.atomic("trust", "add");
  for (const name of ["reads", "runs"]) {
    const { exitCode } = await sandbox.atomic("agents", "run", name, `Go, ${name}.`, "--agent", agent);
    const seen = model.requests.map(({ body }) => JSON.stringify(body)).filter((text) => text.includes(`Go, ${name}.`));
    const isRuled = seen.some((text) => text.includes("RULE-OF-THE-PROJECT"));
    expect({ name, exitCode, isRuled }).toEqual({ name, exitCode: 0, isRuled: true });
  }
});
