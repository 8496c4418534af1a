import { expect, test } from "bun:test";
import type { AgentEventBody } from "./agent-event.ts";
import { BudgetSpentError, CostUnknownError, MaxTurnsReachedError, SessionLimits } from "./session-limits.ts";
import { NO_USAGE } from "./usage.ts";

const agentType = "fake";

function usage(costUsd?: number): AgentEventBody {
  const priced = costUsd === undefined ? {} : { costUsd };
  return { type: "usage", sessionId: "s", usage: { ...NO_USAGE, inputTokens: 10, ...priced } };
}

function start(toolId: string): AgentEventBody {
  return { type: "tool-start", sessionId: "s", toolId, toolName: "read", kind: "read", input: {} };
}

function end(toolId: string): AgentEventBody {
  return { type: "tool-end", sessionId: "s", toolId, toolName: "read", isError: false, output: "" };
}

const text: AgentEventBody = { type: "text-delta", sessionId: "s", text: "x" };

test("the call after the last allowed one is an error, and the count restarts with each turn", () => {
  const limits = new SessionLimits({ agentType, config: { maxTurns: 2 } });
  for (const _turn of [1, 2]) {
    limits.beginTurn();
    expect([limits.noteCall(), limits.noteCall()]).toEqual([undefined, undefined]);
    expect(limits.noteCall()).toEqual(new MaxTurnsReachedError(agentType, 2));
  }
});

test("an agent that announces another call is stopped before it", () => {
  const limits = new SessionLimits({ agentType, config: { maxTurns: 1 } });
  limits.beginTurn();
  expect([limits.noteCall(), limits.noteCallAhead()]).toEqual([undefined, new MaxTurnsReachedError(agentType, 1)]);
});

test("unreported calls are inferred from output after tool results", () => {
  const limits = new SessionLimits({ agentType, config: { maxTurns: 2 }, hidesCalls: true });
  limits.beginTurn();
  const events = [text, start("a"), start("b"), end("a"), text, end("b"), text, start("c"), end("c")];
  expect(events.map((event) => limits.noteEvent(event))).toEqual(events.map(() => undefined));
  expect(limits.noteEvent(text)).toEqual(new MaxTurnsReachedError(agentType, 2));
});

test("a tool that stays open hides no calls", () => {
  const limits = new SessionLimits({ agentType, config: { maxTurns: 2 }, hidesCalls: true });
  limits.beginTurn();
  const events = [start("open"), start("a"), end("a"), start("b"), end("b")];
  expect(events.map((event) => limits.noteEvent(event))).toEqual(events.map(() => undefined));
  expect(limits.noteEvent(start("c"))).toEqual(new MaxTurnsReachedError(agentType, 2));
});

test("with a budget, a turn that reports neither tokens nor a price fails", () => {
  const limits = new SessionLimits({ agentType, config: { maxBudgetUsd: 1 } });
  limits.beginTurn();
  expect(limits.noteEvent(text)).toBeUndefined();
  expect(limits.endTurn()).toEqual(new CostUnknownError(agentType));
});

test("a spent budget stops the turn before the next call, and prevents the next turn", () => {
  const limits = new SessionLimits({ agentType, config: { maxBudgetUsd: 1 } });
  limits.beginTurn();
  const spent = new BudgetSpentError(agentType, { spentUsd: 1.5, maxBudgetUsd: 1 });
  expect([limits.noteCall(), limits.noteEvent(usage(1.5)), limits.endTurn()]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect([limits.noteCallAhead(), limits.beginTurn(), limits.remainingUsd]).toEqual([spent, spent, 0]);
  expect(spent.message).toBe(
    'The session of the agent "fake" has spent $1.50 of its budget of $1.00, so it was stopped. Raise maxBudgetUsd, or continue in a new session.',
  );
});

test("spending before the session counts and can prevent its first turn", () => {
  const limits = new SessionLimits({ agentType, config: { maxBudgetUsd: 1, spentUsd: 1.5 } });
  expect(limits.beginTurn()).toEqual(new BudgetSpentError(agentType, { spentUsd: 1.5, maxBudgetUsd: 1 }));
});

test("a sub-agent's call after the budget is spent stops the turn", () => {
  const limits = new SessionLimits({ agentType, config: { maxBudgetUsd: 1 } });
  limits.beginTurn();
  expect(limits.noteEvent(usage(1))).toBeUndefined();
  expect(limits.noteEvent(usage(1))).toEqual(new BudgetSpentError(agentType, { spentUsd: 1, maxBudgetUsd: 1 }));
});

test("a price reported during the turn is not counted again at its end", () => {
  const limits = new SessionLimits({ agentType, config: { maxBudgetUsd: 10 } });
  limits.beginTurn();
  expect([limits.noteTurnCost(2), limits.noteTurnCost(3)]).toEqual([undefined, undefined]);
  limits.noteEvent(usage(4));
  expect(limits.remainingUsd).toBe(6);
});

test("a budget without a price fails the turn", () => {
  const limits = new SessionLimits({ agentType, config: { maxBudgetUsd: 1 } });
  limits.beginTurn();
  expect([limits.noteEvent(usage()), limits.endTurn()]).toEqual([undefined, new CostUnknownError(agentType)]);
  const priced = new SessionLimits({ agentType, config: { maxBudgetUsd: 1 }, pricesEachCall: true });
  priced.beginTurn();
  expect(priced.noteEvent(usage(0))).toEqual(new CostUnknownError(agentType));
});

test("a free model fits any budget, but a reported price still counts", () => {
  const config = { maxBudgetUsd: 1 };
  const limits = new SessionLimits({ agentType, config, pricesEachCall: true, isFree: true });
  limits.beginTurn();
  expect([limits.noteEvent(usage(0)), limits.endTurn(), limits.remainingUsd]).toEqual([undefined, undefined, 1]);
  limits.noteEvent(usage(2));
  expect(limits.beginTurn()).toEqual(new BudgetSpentError(agentType, { spentUsd: 2, maxBudgetUsd: 1 }));
});

test("without limits nothing is stopped", () => {
  const limits = new SessionLimits({ agentType, config: {}, hidesCalls: true, pricesEachCall: true });
  const events = [usage(), text, start("a"), end("a"), text];
  expect([limits.beginTurn(), ...events.map((event) => limits.noteEvent(event)), limits.endTurn()]).toEqual(
    [undefined, ...events, undefined].map(() => undefined),
  );
});
