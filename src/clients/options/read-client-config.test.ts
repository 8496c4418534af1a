import { expect, test } from "bun:test";
import {
  CapabilityMissingError,
  CostUnknownError,
  type SessionConfig,
  SessionConfigInvalidError,
} from "../../contracts/index.ts";
import { presetCapabilities } from "../vendors/acp/program/acp-features.ts";
import { ACP_PRESETS } from "../vendors/acp/program/acp-presets.ts";
import { CAPABILITIES } from "./capabilities.ts";
import { isFreeModel, joinTools, readClientConfig } from "./read-client-config.ts";

const ENDPOINT = {
  protocol: "openai-chat",
  baseUrl: "http://127.0.0.1:1/v1",
  models: [{ id: "cheap", costPerMillionInputUsd: 1 }, { id: "unpriced" }, { id: "free", costPerMillionOutputUsd: 0 }],
} as const;

const tool = { name: "note", description: "Notes.", inputSchema: {}, handler: () => "done" };

test("an endpoint's model without a price cannot be held to a budget", () => {
  const client = { agentType: "opencode", capabilities: CAPABILITIES.opencode, options: { endpoint: ENDPOINT } };
  const config: SessionConfig = { maxBudgetUsd: 1 };
  expect(readClientConfig(config, client)).toEqual(config);
  expect(() => readClientConfig({ ...config, model: "unpriced" }, client)).toThrow(
    new CostUnknownError("opencode", "unpriced"),
  );
  const ofFree = { ...config, model: "free" };
  expect(readClientConfig(ofFree, client)).toEqual(ofFree);
});

test("an endpoint's model is free where the user says that it costs 0", () => {
  const models = ["cheap", "unpriced", "free", "unknown"];
  expect(models.filter((model) => isFreeModel({ model }, { endpoint: ENDPOINT }))).toEqual(["free"]);
  expect(isFreeModel({}, { endpoint: ENDPOINT, model: "free" })).toBe(true);
  expect([isFreeModel({}, { endpoint: ENDPOINT }), isFreeModel({ model: "free" }, {})]).toEqual([false, false]);
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

test("settings that the agent does not support are rejected", () => {
  const capabilities = { ...CAPABILITIES.acp, customTools: false, cost: false };
  const client = { agentType: "mine", capabilities, options: {} };
  expect(() => readClientConfig({ tools: [tool] }, client)).toThrow(CapabilityMissingError);
  expect(() => readClientConfig({ maxBudgetUsd: 1 }, client)).toThrow(CapabilityMissingError);
});

test("an identifier names a new conversation only, or the one that is resumed", () => {
  const config: SessionConfig = { sessionId: "mine" };
  const able = { agentType: "copilot", capabilities: CAPABILITIES.copilot, options: {} };
  const unable = { agentType: "opencode", capabilities: CAPABILITIES.opencode, options: {} };
  expect(readClientConfig(config, able)).toEqual(config);
  expect(() => readClientConfig(config, unable)).toThrow(CapabilityMissingError);
  expect(readClientConfig(config, unable, { type: "resumed", id: "mine" })).toEqual(config);
  const refusal = (owner: string) =>
    new SessionConfigInvalidError([`sessionId: It names a new conversation, and ${owner} has its own. Leave it out.`]);
  expect(() => readClientConfig(config, able, { type: "resumed", id: "other" })).toThrow(refusal('"other"'));
  expect(() => readClientConfig(config, able, { type: "forked" })).toThrow(refusal("a copy"));
  expect(() => readClientConfig(config, unable, { type: "forked" })).toThrow(CapabilityMissingError);
});

test("a session's own tool wins over one of the client's", () => {
  const own = { ...tool, description: "Own." };
  const other = { ...tool, name: "other" };
  expect(joinTools(new Map([["note", tool]]), [own, other])).toEqual([own, other]);
});
