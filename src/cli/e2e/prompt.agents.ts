import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ModelServer, type ModelToolCall, scriptConversation, startModelServer } from "../../testkit/index.ts";
import { waitForNoProcess } from "./fixtures/processes.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

/** An agent as the settings describe it, and how its model writes a file. */
interface AgentCase {
  readonly agent: string;
  readonly protocol: "openai-chat" | "anthropic-messages";
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly write: (path: string, content: string) => ModelToolCall;
}

const AGENTS: readonly AgentCase[] = [
  {
    agent: "claude",
    protocol: "anthropic-messages",
    write: (path, content) => ({ name: "Write", input: { file_path: path, content } }),
  },
  {
    agent: "opencode",
    protocol: "openai-chat",
    write: (path, content) => ({ name: "write", input: { filePath: path, content } }),
  },
  {
    agent: "copilot",
    protocol: "openai-chat",
    write: (path, content) => ({ name: "create", input: { path, file_text: content } }),
  },
  {
    agent: "my-acp-agent",
    protocol: "openai-chat",
    settings: { preset: "opencode" },
    write: (path, content) => ({ name: "write", input: { filePath: path, content } }),
  },
];

type Line = Readonly<Record<string, unknown>>;

let model: ModelServer;
let sandbox: Sandbox;

beforeEach(async () => {
  model = await startModelServer({ script: () => ({ type: "message", text: "Hello." }) });
  sandbox = await Sandbox.create();
});
afterEach(async () => {
  await sandbox.remove();
  await model.stop();
});

/** Writes settings of the agent with the scripted model. */
async function describeAgent({ agent, protocol, settings }: AgentCase): Promise<void> {
  const baseUrl = `${model.url}/v1`;
  const endpoint = { protocol, baseUrl, models: [{ id: "scripted-model" }] };
  await sandbox.writeConfig({
    agents: { [agent]: { ...settings, homeDirectory: join(sandbox.root, "agent-home"), endpoint } },
  });
}

/** The events that every agent reports, with joined text, without thinking and vendor events. */
function storyOf(lines: readonly Line[]): readonly unknown[] {
  const told = lines
    .map(({ type }) => type)
    .filter((type) => !["vendor", "thinking-delta", "usage"].includes(String(type)));
  return told.filter((type, index) => type !== "text-delta" || told[index - 1] !== "text-delta");
}

/** The fields of each kind of event. */
function vocabularyOf(lines: readonly Line[]): Readonly<Record<string, readonly string[]>> {
  const known = lines.filter(({ type }) => type !== "vendor" && type !== "thinking-delta");
  return Object.fromEntries(known.map((line) => [line.type, Object.keys(line).sort()]));
}

describe.each([...AGENTS])("atomic -p with $agent", (agentCase) => {
  test("--json prints the same events for every agent", async () => {
    await describeAgent(agentCase);
    const path = join(sandbox.project, "answer.txt");
    model.setScript(
      scriptConversation([
        { type: "message", toolCalls: [agentCase.write(path, "42\n")] },
        { type: "message", text: "I wrote the answer." },
      ]),
    );
    const args = [
      "-p",
      "Write the answer.",
      "--agent",
      agentCase.agent,
      "--allow",
      "edit",
      "--allow",
      "read",
      "--json",
    ];
    const { exitCode, stdout, stderr } = await sandbox.atomic(...args);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line): Line => JSON.parse(line));
    expect(storyOf(lines)).toEqual(["turn-start", "tool-start", "tool-end", "text-delta", "turn-end", "reply"]);
    expect(vocabularyOf(lines)).toEqual({
      "turn-start": ["at", "sessionId", "type"],
      "tool-start": ["at", "input", "kind", "sessionId", "toolId", "toolName", "type"],
      "tool-end": ["at", "isError", "output", "sessionId", "toolId", "toolName", "type"],
      "text-delta": ["at", "sessionId", "text", "type"],
      usage: ["at", "sessionId", "type", "usage"],
      "turn-end": ["at", "outcome", "sessionId", "type"],
      reply: ["content", "deniedPermissions", "sessionId", "toolUses", "type", "usage"],
    });
    const reply = lines.at(-1);
    expect({ content: reply?.content, toolUses: reply?.toolUses }).toEqual({
      content: "I wrote the answer.",
      toolUses: 1,
    });
    expect(await readFile(path, "utf8")).toBe("42\n");
  });

  test("a call that nobody allowed is denied and reported on stderr, and stdout has only the answer", async () => {
    await describeAgent(agentCase);
    const path = join(sandbox.project, "answer.txt");
    model.setScript(
      scriptConversation([
        { type: "message", toolCalls: [agentCase.write(path, "42\n")] },
        { type: "message", text: "I may not write." },
      ]),
    );
    const { exitCode, stdout, stderr } = await sandbox.atomic("-p", "Write.", "--agent", agentCase.agent);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "I may not write.\n" });
    expect(stderr).toMatch(
      /⊘ denied: .*answer\.txt.* \(no rule allows changing "answer\.txt", and nobody can approve it here\.\)\n {2}To allow exactly this next time: --allow "edit:answer\.txt"\n/,
    );
    expect(await readFile(path, "utf8").catch(() => "not there")).toBe("not there");
  });

  test("killing Atomic during a turn leaves no process of the agent's", async () => {
    await describeAgent(agentCase);
    model.setScript(() => ({ type: "message", text: "word ".repeat(2_000), deltaDelayMs: 50 }));
    const call = sandbox.start(["-p", "Talk.", "--agent", agentCase.agent, "--json"]);
    // Lines of `-p` are the agent's events, and those of a run have other types.
    await call.waitFor((event) => String(event.type) === "text-delta");
    call.kill("SIGKILL");
    await call.ended;
    expect(await waitForNoProcess(sandbox.mark, 20_000)).toEqual([]);
  });
});

test.each([
  { text: '{ "agent": }', detail: "ValueExpected at line 1, column 12" },
  { text: '{"agent":{"bad":7}}', detail: "agent.bad: Expected object, got 7" },
])("a configuration that OpenCode rejects is named with its path: $text", async ({ text, detail }) => {
  await describeAgent({ agent: "opencode", protocol: "openai-chat", write: () => ({ name: "write", input: {} }) });
  await sandbox.write({ "opencode.json": text });
  const { exitCode, stderr } = await sandbox.atomic("-p", "Hello.", "--agent", "opencode", "--trust");
  expect({ exitCode, stderr: stderr.replace(/^(?!error| {2}).*\n/gm, "") }).toEqual({
    exitCode: 2,
    stderr: `error: The agent "opencode" rejected ${sandbox.project}/opencode.json: ${detail}.\n       Correct the file.\n       (AGENT_CONFIG_INVALID)\n`,
  });
});
