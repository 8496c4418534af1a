import { expect, test } from "bun:test";
import { CapabilityMissingError, CostUnknownError, type SessionConfig } from "../contracts/index.ts";
import { presetCapabilities } from "./acp/acp-features.ts";
import { ACP_PRESETS } from "./acp/acp-presets.ts";
import { CAPABILITIES } from "./capabilities.ts";
import { joinTools, readClientConfig } from "./read-client-config.ts";

const ENDPOINT = {
  protocol: "openai-chat",
  baseUrl: "http://127.0.0.1:1/v1",
  models: [{ id: "cheap", costPerMillionInputUsd: 1 }, { id: "unpriced" }],
} as const;

const tool = { name: "note", description: "Notes.", inputSchema: {}, handler: () => "done" };

test("an endpoint's model without a price cannot be held to a budget", () => {
  const client = { agentType: "opencode", capabilities: CAPABILITIES.opencode, options: { endpoint: ENDPOINT } };
  const config: SessionConfig = { maxBudgetUsd: 1 };
  expect(readClientConfig(config, client)).toEqual(config);
  expect(() => readClientConfig({ ...config, model: "unpriced" }, client)).toThrow(
    new CostUnknownError("opencode", "unpriced"),
  );
});

test("an agent whose calls Atomic does not decide has no plan mode", () => {
  const modes = Object.entries(ACP_PRESETS).map(([name, preset]) => [name, presetCapabilities(preset).planMode]);
  expect(Object.fromEntries(modes)).toEqual({
    gemini: false,
    codex: false,
    goose: false,
    opencode: true,
    copilot: false,
    claude: true,
  });
  const client = { agentType: "gemini", capabilities: presetCapabilities(ACP_PRESETS.gemini), options: {} };
  expect(() => readClientConfig({ permissionMode: "plan" }, client)).toThrow(CapabilityMissingError);
});

test("what the agent lacks is refused", () => {
  const capabilities = { ...CAPABILITIES.acp, customTools: false, cost: false };
  const client = { agentType: "mine", capabilities, options: {} };
  expect(() => readClientConfig({ tools: [tool] }, client)).toThrow(CapabilityMissingError);
  expect(() => readClientConfig({ maxBudgetUsd: 1 }, client)).toThrow(CapabilityMissingError);
});

test("a session's own tool wins over one of the client's", () => {
  const own = { ...tool, description: "Own." };
  const other = { ...tool, name: "other" };
  expect(joinTools(new Map([["note", tool]]), [own, other])).toEqual([own, other]);
});
