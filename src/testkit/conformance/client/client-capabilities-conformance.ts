import { describe, expect, test } from "bun:test";
import {
  AGENT_CAPABILITIES,
  type AgentCapability,
  CapabilityMissingError,
  type SessionConfig,
} from "../../../contracts/index.ts";
import { rejectionOf } from "../rejection-of.ts";
import { type ClientBench, can } from "./client-bench.ts";
import { say, script } from "./client-script.ts";
import { openTalk, type Talk } from "./client-talk.ts";

/** The calls that an agent without a capability rejects. Other capabilities have no call of their own. */
const CALLS: Partial<Readonly<Record<AgentCapability, (bench: ClientBench) => Promise<unknown>>>> = {
  resume: (bench) => bench.client.resumeSession("any"),
  fork: (bench) => bench.client.forkSession("any"),
  forkBefore: (bench) => bench.client.forkSession("any", { forkBefore: 1 }),
  listSessions: (bench) => bench.client.listSessions(),
  deleteSession: (bench) => bench.client.deleteSession("any"),
  modelList: (bench) => bench.client.listModels(),
  summarize: inSession((talk) => talk.session.summarize()),
  contextUsage: inSession((talk) => talk.session.getContextUsage()),
  sessionIds: withConfig({ sessionId: "any" }),
  systemToolsTokens: inSession((talk) => talk.session.getSystemToolsTokens()),
  planMode: withConfig({ permissionMode: "plan" }),
  maxTurns: withConfig({ maxTurns: 1 }),
  mcpStatus: inSession((talk) => talk.session.getMcpStatus()),
  steer: inSession((talk) => talk.session.steer("Hello?")),
  images: inSession((talk) => talk.session.send([{ type: "image", mimeType: "image/png", data: "" }])),
  permissions: withConfig({ permissions: { rules: [] } }),
  reasoningEffort: withConfig({ reasoningEffort: "high" }),
  appendSystemPrompt: withConfig({ systemPrompt: "Be brief." }),
  replaceSystemPrompt: withConfig({ systemPrompt: { mode: "replace", text: "Be brief." } }),
  allowedTools: withConfig({ allowedTools: ["read"] }),
  mcpServers: withConfig({ mcpServers: { any: { type: "http", url: "http://127.0.0.1:9/mcp" } } }),
  interceptTools: withConfig({ beforeTool: async () => ({ type: "continue" }) }),
  customTools: async (bench) =>
    bench.client.registerTool({ name: "any", description: "Any.", inputSchema: {}, handler: () => "" }),
};

function inSession(call: (talk: Talk) => Promise<unknown>): (bench: ClientBench) => Promise<unknown> {
  return async (bench) => {
    script(bench, say("Yes."));
    const talk = await openTalk(bench);
    await talk.complete("Ready?");
    return call(talk);
  };
}

function withConfig(config: SessionConfig): (bench: ClientBench) => Promise<unknown> {
  return (bench) => bench.client.createSession(config);
}

/** Calls that an agent does not support are rejected with an error that names the agents that do. */
export function describeCapabilities(bench: ClientBench): void {
  describe("capabilities", () => {
    test("each is reported", () => {
      expect(Object.keys(bench.client.capabilities).toSorted()).toEqual(Object.keys(AGENT_CAPABILITIES).toSorted());
    });

    for (const [name, call] of Object.entries(CALLS)) {
      const capability = name as AgentCapability; // a key of CALLS
      if (can(bench, capability)) continue;
      test(`without "${capability}" the call throws CapabilityMissingError`, async () => {
        const error = await rejectionOf(call(bench));
        expect(error).toBeInstanceOf(CapabilityMissingError);
        const { capability: named, description, agentsWithIt } = error as CapabilityMissingError; // by the line above
        expect([named, description]).toEqual([capability, AGENT_CAPABILITIES[capability]]);
        expect(agentsWithIt).not.toContain(bench.client.agentType);
      });
    }
  });
}
