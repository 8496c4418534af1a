import { describe, expect, test } from "bun:test";
import type { AgentEvent, AgentReply } from "../../../contracts/index.ts";
import { findGrammarProblems, findReplyProblems } from "./client-event-grammar.ts";

const SESSION = { sessionId: "s1", at: 1 } as const;
const START: AgentEvent = { ...SESSION, type: "turn-start" };
const END: AgentEvent = { ...SESSION, type: "turn-end", outcome: "completed" };
const FAILED_END: AgentEvent = { ...SESSION, type: "turn-end", outcome: "failed" };
const ABORTED_END: AgentEvent = { ...SESSION, type: "turn-end", outcome: "aborted" };
const ERROR: AgentEvent = { ...SESSION, type: "error", message: "It broke.", code: "AGENT_TURN_FAILED" };
const TEXT: AgentEvent = { ...SESSION, type: "text-delta", text: "Hi." };
const TOOL = { ...SESSION, toolId: "t1", toolName: "bash" } as const;
const TOOL_START: AgentEvent = { ...TOOL, type: "tool-start", kind: "shell", input: {} };
const TOOL_END: AgentEvent = { ...TOOL, type: "tool-end", isError: false, output: "" };
const OTHER_TOOL_END: AgentEvent = { ...TOOL, type: "tool-end", toolName: "write", isError: false, output: "" };
const AGENT_START: AgentEvent = { ...SESSION, type: "subagent-start", subagentId: "a1", title: "Look" };
const AGENT_END: AgentEvent = { ...SESSION, type: "subagent-end", subagentId: "a1", isError: false };

const FRAME = ["turn-start is not the first event, once"];
const END_FRAME = ["turn-end is not the last event, once"];

describe("the grammar of a turn", () => {
  test.each([
    { title: "a turn without a word", events: [START, END] },
    { title: "text and tools", events: [START, TEXT, TOOL_START, TOOL_END, TEXT, END] },
    { title: "a sub-agent with a tool", events: [START, AGENT_START, TOOL_START, TOOL_END, AGENT_END, END] },
    { title: "a failed turn", events: [START, TEXT, ERROR, FAILED_END] },
    { title: "an aborted turn whose tool was cut off", events: [START, TOOL_START, ABORTED_END] },
  ])("allows $title", ({ events }) => {
    expect(findGrammarProblems(events, "s1")).toEqual([]);
  });

  test.each([
    { title: "no beginning", events: [TEXT, END], problems: FRAME },
    { title: "two beginnings", events: [START, START, END], problems: FRAME },
    { title: "no end", events: [START, TEXT], problems: END_FRAME },
    { title: "text after the end", events: [START, END, TEXT], problems: END_FRAME },
    {
      title: "an error in a completed turn",
      events: [START, ERROR, END],
      problems: ["the errors do not fit the outcome: turn-start, error, turn-end"],
    },
    {
      title: "a failure without an error",
      events: [START, FAILED_END],
      problems: ["the errors do not fit the outcome: turn-start, turn-end"],
    },
    {
      title: "a tool that ends before it starts",
      events: [START, TOOL_END, TOOL_START, END],
      problems: ["tool t1 (bash) ends without being open", "tool t1 never ends"],
    },
    {
      title: "a tool that starts twice",
      events: [START, TOOL_START, TOOL_END, TOOL_START, TOOL_END, END],
      problems: ["tool t1 starts twice"],
    },
    {
      title: "a tool that ends under another name",
      events: [START, TOOL_START, OTHER_TOOL_END, END],
      problems: ["tool t1 (write) ends without being open"],
    },
    {
      title: "a sub-agent that never ends",
      events: [START, AGENT_START, END],
      problems: ["sub-agent a1 never ends"],
    },
    {
      title: "an empty delta",
      events: [START, { ...TEXT, text: "" }, END],
      problems: ["event 1 is an empty text-delta"],
    },
    {
      title: "another session's event",
      events: [START, { ...TEXT, sessionId: "s2" }, END],
      problems: ["event 1 (text-delta) is of session s2"],
    },
    {
      title: "a time that runs backwards",
      events: [START, { ...TEXT, at: 0 }, END],
      problems: ["event 1 (text-delta) is at 0, before the last one"],
    },
  ])("rejects $title", ({ events, problems }) => {
    expect(findGrammarProblems(events, "s1")).toEqual(problems);
  });
});

describe("the reply of a turn", () => {
  const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const events: readonly AgentEvent[] = [START, TEXT, TOOL_START, TOOL_END, { ...SESSION, type: "usage", usage }, END];
  const reply: AgentReply = { type: "text", content: "Hi.", usage, toolUses: 1, deniedPermissions: [] };

  test("follows from its events", () => {
    expect(findReplyProblems(events, reply)).toEqual([]);
  });

  test("may set paragraphs apart, and a structured one may have no text", () => {
    expect(
      findReplyProblems([START, TEXT, TEXT, END], { ...reply, content: "Hi.\n\nHi.", usage: NONE, toolUses: 0 }),
    ).toEqual([]);
    expect(
      findReplyProblems([START, END], { ...reply, content: '{"a":1}', structured: { a: 1 }, usage: NONE, toolUses: 0 }),
    ).toEqual([]);
  });

  test("that differs from its events is reported, field by field", () => {
    const denied = { toolName: "bash", kind: "shell", title: "bash: rm", reason: "no" } as const;
    expect(
      findReplyProblems(events, { ...reply, content: "Ho.", usage: { ...usage, outputTokens: 3 }, toolUses: 2 }),
    ).toEqual([
      'the deltas say "Hi.", the reply "Ho."',
      'the events say usage {"cacheReadTokens":0,"cacheWriteTokens":0,"inputTokens":1,"outputTokens":2}, the reply {"cacheReadTokens":0,"cacheWriteTokens":0,"inputTokens":1,"outputTokens":3}',
      "the events say toolUses 1, the reply 2",
    ]);
    expect(findReplyProblems(events, { ...reply, deniedPermissions: [denied] })).toEqual([
      'the events say deniedPermissions [], the reply [{"kind":"shell","reason":"no","title":"bash: rm","toolName":"bash"}]',
    ]);
  });

  const NONE = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
});
