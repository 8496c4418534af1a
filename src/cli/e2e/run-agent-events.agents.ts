import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { AgentEvent } from "../../contracts/index.ts";
import { type ModelReply, type ModelServer, type ModelToolCall, startModelServer } from "../../testkit/index.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

const TASK = "Look around, sub-agent-7.";
const QUESTION = "Red or blue?";
const OPTIONS = ["red", "blue"].map((label) => ({ label, description: label }));

/** An agent, and how its model starts a sub-agent and asks a person. */
interface AgentCase {
  readonly agent: string;
  readonly protocol: "openai-chat" | "anthropic-messages";
  readonly subagent: ModelToolCall;
  readonly subagentType: string;
  readonly question: ModelToolCall;
}

const AGENTS: readonly AgentCase[] = [
  {
    agent: "claude",
    protocol: "anthropic-messages",
    subagentType: "general-purpose",
    subagent: {
      name: "Agent",
      input: { description: "Look around", subagent_type: "general-purpose", prompt: TASK },
    },
    question: {
      name: "AskUserQuestion",
      input: { questions: [{ question: QUESTION, header: "Colour", multiSelect: false, options: OPTIONS }] },
    },
  },
  {
    agent: "opencode",
    protocol: "openai-chat",
    subagentType: "general",
    subagent: { name: "task", input: { description: "look", subagent_type: "general", prompt: TASK } },
    question: {
      name: "question",
      input: { questions: [{ question: QUESTION, header: "Colour", options: OPTIONS }] },
    },
  },
  {
    agent: "copilot",
    protocol: "openai-chat",
    subagentType: "general-purpose",
    subagent: {
      name: "task",
      input: { description: "look", agent_type: "general-purpose", name: "looker", mode: "sync", prompt: TASK },
    },
    question: { name: "ask_user", input: { question: QUESTION, choices: ["red", "blue"] } },
  },
];

const WORKFLOW = `import { agentNode, graph } from "@bastani/atomic/graph";
export default () => graph().start(agentNode({ id: "work", buildMessage: "Begin." })).end().compile();
`;

let model: ModelServer;
let sandbox: Sandbox;

beforeEach(async () => {
  model = await startModelServer({ script: () => ({ type: "message", text: "Hello." }) });
  sandbox = await Sandbox.create();
  await sandbox.write({ ".atomic/workflows/work.ts": WORKFLOW });
});
afterEach(async () => {
  await sandbox.remove();
  await model.stop();
});

/** The model rejects the first call, then delegates, asks, falls silent and ends. Side calls get a title. */
function scriptModel({ subagent, question }: AgentCase): void {
  const replies: ModelReply[] = [
    { type: "error", status: 429, message: "Slow down.", headers: { "retry-after": "1" } },
    { type: "message", toolCalls: [subagent] },
    { type: "message", toolCalls: [question] },
    { type: "stall" },
    { type: "message", text: "all done" },
  ];
  model.setScript((request) => {
    if (request.toolNames.length === 0) return { type: "message", text: "A title" };
    const lastUser = request.messages.findLast(({ role }) => role === "user")?.text ?? "";
    if (lastUser.includes(TASK)) return { type: "message", text: "sub-agent speaking" };
    return replies.shift() ?? { type: "message", text: "all done" };
  });
}

describe.each([...AGENTS])("atomic run --json with $agent", (agentCase) => {
  test("reports the agent's sub-agent, question, wait and stall with the client's own fields", async () => {
    const { agent, protocol, subagentType } = agentCase;
    const endpoint = { protocol, baseUrl: `${model.url}/v1`, models: [{ id: "scripted-model" }] };
    const homeDirectory = join(sandbox.root, "agent-home");
    await sandbox.writeConfig({ agents: { [agent]: { homeDirectory, endpoint, stallTimeoutMs: 8_000 } } });
    scriptModel(agentCase);
    const args = ["run", "work", "--trust", "--agent", agent, "--allow", "agent", "--json"];
    const { exitCode, stderr, events } = await sandbox.atomic(...args);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const told = events.flatMap((event) => (event.type === "agent" ? [event] : []));
    expect(told.every(({ nodeId, taskId }) => nodeId === "work" && taskId === "work")).toBe(true);

    const ofType = (type: AgentEvent["type"]): readonly AgentEvent[] =>
      told.flatMap(({ event }) => (event.type === type ? [event] : []));
    const [{ sessionId } = { sessionId: "" }] = ofType("turn-start");
    const said = { sessionId, at: expect.any(Number) };
    expect<unknown>(ofType("subagent-start")).toEqual([
      {
        ...said,
        type: "subagent-start",
        subagentId: expect.any(String),
        title: expect.any(String),
        subagentType,
        task: expect.stringContaining(TASK),
      },
    ]);
    expect<unknown>(ofType("subagent-end")).toEqual([
      {
        ...said,
        type: "subagent-end",
        subagentId: expect.any(String),
        isError: false,
        result: expect.stringContaining("sub-agent speaking"),
      },
    ]);
    expect<unknown>(ofType("question-ask")).toMatchObject([{ ...said, question: { sessionId, question: QUESTION } }]);
    expect<unknown>(ofType("stalled")).toEqual([{ ...said, type: "stalled", silentMs: 8_000 }]);
    expect<unknown>(ofType("waiting")).toMatchObject([{ ...said, reason: "rate-limit", message: expect.any(String) }]);
  });
});
