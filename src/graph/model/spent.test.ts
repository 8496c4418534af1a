import { expect, test } from "bun:test";
import { NO_USAGE, type NodeEmission, type Usage } from "../../contracts/index.ts";
import { addSpent, recordSpent, type Spent, spentIn, spentOf } from "./spent.ts";

const tokens = (inputTokens: number): Usage => ({ ...NO_USAGE, inputTokens });

test.each<{ title: string; event: NodeEmission; expected: Spent | undefined }>([
  {
    title: "usage of an agent",
    event: {
      ...{ type: "agent", agentType: "claude" },
      event: { type: "usage", sessionId: "s", at: 1, usage: tokens(1) },
    },
    expected: { usage: tokens(1), usageByAgent: { claude: tokens(1) } },
  },
  {
    title: "usage that a node reports for an agent",
    event: { type: "usage", usage: tokens(2), agentType: "copilot" },
    expected: { usage: tokens(2), usageByAgent: { copilot: tokens(2) } },
  },
  {
    title: "usage of an unknown agent",
    event: { type: "usage", usage: tokens(3) },
    expected: { usage: tokens(3) },
  },
  {
    title: "an event without usage",
    event: { type: "agent-session", agentType: "claude", sessionId: "s", isResumed: false },
    expected: undefined,
  },
])("what an event adds: $title", ({ event, expected }) => {
  expect(spentIn(event)).toEqual(expected);
});

test.each<{ title: string; parts: readonly Spent[]; expected: Spent }>([
  {
    title: "two agents",
    parts: [
      { usage: tokens(1), usageByAgent: { claude: tokens(1) } },
      { usage: tokens(2), usageByAgent: { opencode: tokens(2) } },
      { usage: tokens(4), usageByAgent: { claude: tokens(4) } },
    ],
    expected: { usage: tokens(7), usageByAgent: { claude: tokens(5), opencode: tokens(2) } },
  },
  {
    title: "an agent and an unknown one",
    parts: [{ usage: tokens(1) }, { usage: tokens(2), usageByAgent: { claude: tokens(2) } }, { usage: tokens(4) }],
    expected: { usage: tokens(7), usageByAgent: { claude: tokens(2) } },
  },
  {
    title: "one that reports its cost, and one that does not",
    parts: [
      { usage: { ...tokens(1), costUsd: 0.5 }, usageByAgent: { claude: { ...tokens(1), costUsd: 0.5 } } },
      { usage: tokens(2), usageByAgent: { copilot: tokens(2) } },
    ],
    expected: {
      usage: { ...tokens(3), costUsd: 0.5 },
      usageByAgent: { claude: { ...tokens(1), costUsd: 0.5 }, copilot: tokens(2) },
    },
  },
  {
    title: "an agent with the name of an object's property",
    parts: [
      { usage: tokens(1), usageByAgent: { claude: tokens(1) } },
      { usage: tokens(2), usageByAgent: { constructor: tokens(2) } },
    ],
    expected: { usage: tokens(3), usageByAgent: { claude: tokens(1), constructor: tokens(2) } },
  },
  { title: "unknown agents only", parts: [{ usage: tokens(1) }, { usage: tokens(2) }], expected: { usage: tokens(3) } },
])("the sum of $title", ({ parts, expected }) => {
  expect(parts.reduce(addSpent)).toEqual(expected);
});

test.each<{ title: string; spent: Spent | undefined; record: object }>([
  { title: "nothing", spent: undefined, record: {} },
  { title: "an unknown agent", spent: { usage: tokens(1) }, record: { usage: tokens(1) } },
  {
    title: "one agent, written once",
    spent: { usage: tokens(1), usageByAgent: { claude: tokens(1) } },
    record: { usage: tokens(1), agent: "claude" },
  },
  {
    title: "an agent and an unknown one",
    spent: { usage: tokens(3), usageByAgent: { claude: tokens(1) } },
    record: { usage: tokens(3), usageByAgent: { claude: tokens(1) } },
  },
  {
    title: "two agents",
    spent: { usage: tokens(3), usageByAgent: { claude: tokens(1), opencode: tokens(2) } },
    record: { usage: tokens(3), usageByAgent: { claude: tokens(1), opencode: tokens(2) } },
  },
])("a record keeps what was spent: $title", ({ spent, record }) => {
  const recorded = recordSpent(spent);
  expect({ recorded, read: spentOf(recorded) }).toEqual({ recorded: record, read: spent });
});
