import { expect, test } from "bun:test";
import { createFakeAgent } from "../../clients/fixtures/fake-agent.ts";
import { ForwardingClient } from "../../clients/index.ts";
import type { AgentCapabilities, Session, SessionConfig, ToolDefinition } from "../../contracts/index.ts";
import { offerTools } from "./offer-tools.ts";

function tool(name: string, description = name): ToolDefinition {
  return { name, description, inputSchema: {}, handler: async () => name };
}

/** An agent that writes down the tools of its sessions. */
class WatchedAgent extends ForwardingClient {
  readonly offered: (readonly string[] | undefined)[] = [];

  constructor(capabilities: Partial<AgentCapabilities> = {}) {
    super(createFakeAgent([], capabilities));
  }

  override createSession(config?: SessionConfig): Promise<Session> {
    this.offered.push(config?.tools?.map(({ description }) => description));
    return super.createSession(config);
  }
}

const LINT_AND_COUNT = async () => [tool("lint"), tool("count")];

test.each<{ readonly title: string; readonly config?: SessionConfig; readonly offered: readonly string[] | undefined }>(
  [
    { title: "a session without a list is offered all", offered: ["lint", "count"] },
    {
      title: "a session's own tool wins over one of the same name",
      config: { tools: [tool("lint", "the session's"), tool("ship")] },
      offered: ["the session's", "count", "ship"],
    },
    { title: "a list offers what it names", config: { allowedTools: ["Read", "COUNT"] }, offered: ["count"] },
    { title: "a list that names none offers none", config: { allowedTools: ["Read"] }, offered: undefined },
    {
      title: "what the policy denies all but is such a list",
      config: { permissions: { rules: [{ effect: "deny", exceptTools: ["*", "!lint"] }] } },
      offered: ["count"],
    },
  ],
)("$title", async ({ config, offered }) => {
  const agent = new WatchedAgent();
  await offerTools(agent, { load: LINT_AND_COUNT, tell: () => undefined }).createSession(config);
  expect(agent.offered).toEqual([offered]);
});

test("tools are loaded once, when the first session opens, and again after they could not be loaded", async () => {
  const agent = new WatchedAgent();
  const loads = [Promise.reject(new Error("no disk")), LINT_AND_COUNT()];
  const client = offerTools(agent, { load: () => loads.shift() ?? Promise.resolve([]), tell: () => undefined });
  await expect(client.createSession()).rejects.toThrow("no disk");
  await client.createSession();
  await client.createSession();
  expect(agent.offered).toEqual([
    ["lint", "count"],
    ["lint", "count"],
  ]);
});

test("an agent that takes no custom tools works without them, and one line says so", async () => {
  const agent = new WatchedAgent({ customTools: false });
  const lines: string[] = [];
  const client = offerTools(agent, { load: LINT_AND_COUNT, tell: (line) => lines.push(line) });
  await client.createSession();
  await client.createSession();
  expect({ offered: agent.offered, lines }).toEqual({
    offered: [undefined, undefined],
    lines: ['The agent "fake" takes no custom tools, so it is offered none of yours.'],
  });
});
