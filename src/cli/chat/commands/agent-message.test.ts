import { expect, test } from "bun:test";
import type { EntitySource, UnifiedEntity } from "../../../discovery/index.ts";
import { agentMessage } from "./agent-message.ts";

function agent(source: EntitySource, fields: UnifiedEntity["fields"] = {}): UnifiedEntity {
  return { type: "agent", name: "auditor", description: "Audits", prompt: "Find holes.\n", fields, source };
}

const TASK_TOOL = "Use the Task tool to invoke the auditor sub-agent for this exact task: look at src";
const MENTION = '@auditor look at src\n\nCall the task tool with the sub-agent "auditor" for exactly this task.';
const INSTRUCTIONS = 'Work as the agent "auditor", with these instructions:\n\nFind holes.\n\nThe task: look at src';

test.each<{
  readonly title: string;
  readonly source: EntitySource;
  readonly fields?: UnifiedEntity["fields"];
  readonly agentType: string;
  readonly hasUserSettings?: boolean;
  readonly message: string;
}>([
  {
    title: "Claude has its own project's sub-agents",
    source: { provider: "claude", location: "project" },
    ...{ agentType: "claude", message: TASK_TOOL },
  },
  {
    title: "Copilot has its user's sub-agents",
    source: { provider: "copilot", location: "user" },
    ...{ agentType: "copilot", message: TASK_TOOL },
  },
  {
    title: "OpenCode is called with a mention",
    source: { provider: "opencode", location: "project" },
    ...{ agentType: "opencode", message: MENTION },
  },
  {
    title: "OpenCode's primary agents are no sub-agents",
    source: { provider: "opencode", location: "project" },
    ...{ fields: { mode: "primary" }, agentType: "opencode", message: INSTRUCTIONS },
  },
  {
    title: "without the user's settings, an agent has none of the user's sub-agents",
    source: { provider: "claude", location: "user" },
    ...{ agentType: "claude", hasUserSettings: false, message: INSTRUCTIONS },
  },
  {
    title: "an agent of another vendor receives the instructions",
    source: { provider: "claude", location: "project" },
    ...{ agentType: "opencode", message: INSTRUCTIONS },
  },
  {
    title: "a built-in definition is Atomic's alone",
    source: { provider: "atomic", location: "builtin" },
    ...{ agentType: "claude", message: INSTRUCTIONS },
  },
])("$title", ({ source, fields, agentType, hasUserSettings = true, message }) => {
  expect(agentMessage(agent(source, fields), { agentType, hasUserSettings, task: "look at src" })).toBe(message);
});
