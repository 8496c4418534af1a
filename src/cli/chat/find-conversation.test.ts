import { expect, test } from "bun:test";
import type { ChatFlags } from "./chat-flags.ts";
import { type ContinuedConversation, findConversation } from "./find-conversation.ts";

const STORED = [
  { sessionId: "b", agentType: "opencode", updatedAt: 2 },
  { sessionId: "a", agentType: "claude", updatedAt: 1 },
];

test.each<[ChatFlags, ContinuedConversation | undefined]>([
  [{}, undefined],
  [{ continue: true }, { sessionId: "b", agentType: "opencode" }],
  [
    { continue: true, agent: "claude" },
    { sessionId: "a", agentType: "claude" },
  ],
  [{ continue: true, agent: "copilot" }, undefined],
  [{ session: "a" }, { sessionId: "a", agentType: "claude" }],
  [
    { session: "a", continue: true },
    { sessionId: "a", agentType: "claude" },
  ],
  [{ session: "other" }, { sessionId: "other" }],
  [
    { session: "a", agent: "copilot" },
    { sessionId: "a", agentType: "copilot" },
  ],
])("with %j, the conversation is %j", (flags, conversation) => {
  expect(findConversation(flags, STORED)).toEqual(conversation);
});
