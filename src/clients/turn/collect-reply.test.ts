import { expect, test } from "bun:test";
import type { AgentEventBody } from "../../contracts/index.ts";
import { collectReply, startReply } from "./collect-reply.ts";

const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4, costUsd: 0.5 };
const denied = { toolName: "bash", kind: "shell", title: "bash: ls", reason: "no" } as const;

test("the events of a turn add up to its reply", () => {
  const events: readonly AgentEventBody[] = [
    { type: "turn-start", sessionId: "s" },
    { type: "text-delta", sessionId: "s", text: "Let me " },
    { type: "usage", sessionId: "s", usage },
    { type: "text-delta", sessionId: "s", text: "look." },
    { type: "thinking-delta", sessionId: "s", text: "hm" },
    { type: "tool-start", sessionId: "s", toolId: "1", toolName: "bash", kind: "shell", input: {} },
    { type: "permission-denied", sessionId: "s", denied },
    { type: "tool-end", sessionId: "s", toolId: "1", toolName: "bash", isError: true, output: "" },
    { type: "text-delta", sessionId: "s", text: "Done" },
    { type: "text-delta", sessionId: "s", text: "." },
    { type: "usage", sessionId: "s", usage },
  ];
  expect(events.reduce(collectReply, startReply())).toEqual({
    content: "Let me look.\n\nDone.",
    usage: { inputTokens: 2, outputTokens: 4, cacheReadTokens: 6, cacheWriteTokens: 8, costUsd: 1 },
    toolUses: 1,
    deniedPermissions: [denied],
    isParagraphOver: false,
    keptLength: 19,
  });
});

test("an answer that starts again replaces its text, and no text of earlier model calls", () => {
  const say = (text: string): AgentEventBody => ({ type: "text-delta", sessionId: "s", text });
  const restart: AgentEventBody = { type: "text-restart", sessionId: "s" };
  const answers = [
    [say("Half of"), restart, say("\n\nHalf of"), restart, say("\n\nAll "), say("of it.")],
    [say("One."), { type: "usage", sessionId: "s", usage } as const, say("\n\nHalf"), restart, say("\n\nTwo.")],
  ];
  expect(answers.map((events) => events.reduce(collectReply, startReply()).content)).toEqual([
    "All of it.",
    "One.\n\nTwo.",
  ]);
});

test("text after tools needs no paragraph when it is the first", () => {
  const events: readonly AgentEventBody[] = [
    { type: "tool-start", sessionId: "s", toolId: "1", toolName: "read", kind: "read", input: {} },
    { type: "text-delta", sessionId: "s", text: "Done." },
  ];
  expect(events.reduce(collectReply, startReply()).content).toBe("Done.");
});

test("each of many denials is noted for itself: nothing is copied", () => {
  const first = startReply();
  const { deniedPermissions } = first;
  let reply = first;
  for (let index = 0; index < 20_000; index++) {
    reply = collectReply(reply, { type: "permission-denied", sessionId: "s", denied });
  }
  expect([reply.deniedPermissions === deniedPermissions, deniedPermissions.length]).toEqual([true, 20_000]);
});
