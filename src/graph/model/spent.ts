import {
  addUsage,
  NO_USAGE,
  type NodeEmission,
  spentUsage,
  type Usage,
  type UsageByAgent,
} from "../../contracts/index.ts";

/** Usage, and the part of each agent in it. */
export interface Spent {
  readonly usage: Usage;
  /** The total minus all parts is the usage of unknown agents. Absent when no agent is known. */
  readonly usageByAgent?: UsageByAgent;
}

/** Nothing spent. */
export const NOTHING_SPENT: Spent = { usage: NO_USAGE };

/** What an event of a node adds, by an agent or the node itself. */
export function spentIn(event: NodeEmission): Spent | undefined {
  const usage = spentUsage(event);
  if (usage === undefined) return undefined;
  const agentType = "agentType" in event ? event.agentType : undefined;
  return agentType === undefined ? { usage } : { usage, usageByAgent: { [agentType]: usage } };
}

/** Adds two amounts, agent by agent. */
export function addSpent(left: Spent, right: Spent): Spent {
  const usage = addUsage(left.usage, right.usage);
  const parts = addParts(left.usageByAgent, right.usageByAgent);
  return parts === undefined ? { usage } : { usage, usageByAgent: parts };
}

function addParts(left: UsageByAgent | undefined, right: UsageByAgent | undefined): UsageByAgent | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  // A map, because an agent can have the name of a property that every object has.
  const sums = new Map(Object.entries(left));
  for (const [agentType, usage] of Object.entries(right)) {
    sums.set(agentType, addUsage(sums.get(agentType) ?? NO_USAGE, usage));
  }
  return Object.fromEntries(sums);
}

/** {@link Spent} as the journal keeps it. All fields are absent when nothing was spent. */
export interface RecordedSpent {
  readonly usage?: Usage;
  /** The agent that all of it belongs to. */
  readonly agent?: string;
  /** The parts, when they are not those of one agent alone. */
  readonly usageByAgent?: UsageByAgent;
}

/** The fields of a record. Usage of a single agent is written once. */
export function recordSpent(spent: Spent | undefined): RecordedSpent {
  if (spent === undefined) return {};
  const { usage, usageByAgent } = spent;
  if (usageByAgent === undefined) return { usage };
  const [[agent, part] = [], ...others] = Object.entries(usageByAgent);
  const isAll = agent !== undefined && part !== undefined && others.length === 0 && isSameUsage(part, usage);
  return isAll ? { usage, agent } : { usage, usageByAgent };
}

/** What a record's fields say. A record of an older version has no agents. */
export function spentOf({ usage, agent, usageByAgent }: RecordedSpent): Spent | undefined {
  if (usage === undefined) return undefined;
  const parts = agent === undefined ? usageByAgent : { [agent]: usage };
  return parts === undefined ? { usage } : { usage, usageByAgent: parts };
}

function isSameUsage(left: Usage, right: Usage): boolean {
  return (
    left.inputTokens === right.inputTokens &&
    left.outputTokens === right.outputTokens &&
    left.cacheReadTokens === right.cacheReadTokens &&
    left.cacheWriteTokens === right.cacheWriteTokens &&
    left.costUsd === right.costUsd
  );
}
