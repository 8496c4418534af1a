import { expect, test } from "bun:test";
import * as contracts from "../index.ts";
import {
  AgentConfigInvalidError,
  AgentCrashedError,
  AgentTooNewError,
  AgentTooOldError,
  AgentTurnError,
  AtomicError,
  BudgetSpentError,
  CapabilityMissingError,
  ClientNotInstalledError,
  ContextOverflowError,
  CostUnknownError,
  LASTING_ERROR_CODES,
  MaxTurnsReachedError,
  NoTurnRunningError,
  NotSignedInError,
  PermissionGateMissingError,
  PermissionsInvalidError,
  RateLimitedError,
  SandboxInvalidError,
  SandboxUnavailableError,
  ServerNotJoinedError,
  SessionBusyError,
  SessionConfigInvalidError,
  SessionDestroyedError,
  StructuredOutputError,
  TurnStalledError,
  UngatedAgentError,
  UngatedToolCallError,
  UnknownSessionError,
} from "../index.ts";

/** Something has to be changed before another attempt, or another piece of work, makes sense. */
const LASTING: readonly AtomicError[] = [
  new AgentConfigInvalidError("a", "/a.json", "It is empty"),
  new AgentTooNewError("a", "/bin/a", { found: "3", oldest: "1", below: "2" }),
  new AgentTooOldError("a", "/bin/a", { found: "1", oldest: "2" }),
  new CapabilityMissingError("a", "resume", []),
  new ClientNotInstalledError("a", "a"),
  new CostUnknownError("a"),
  new NotSignedInError("a", "a login"),
  new PermissionGateMissingError("a", "no hook"),
  new PermissionsInvalidError(["No."]),
  new SandboxInvalidError("sandbox", "No."),
  new SandboxUnavailableError("a", ["bwrap"], "Install it."),
  new ServerNotJoinedError("a", "http://127.0.0.1", "it is another one"),
  new SessionConfigInvalidError(["No."]),
  new UngatedAgentError("a"),
];

/** The next attempt may end otherwise, or another piece of work may. */
const PASSING: readonly AtomicError[] = [
  new AgentCrashedError("a", "exit code 1", []),
  new AgentTurnError("a", "overloaded"),
  new BudgetSpentError("a", { spentUsd: 2, maxBudgetUsd: 1 }),
  new ContextOverflowError("a", "too long"),
  new MaxTurnsReachedError("a", 3),
  new NoTurnRunningError("s"),
  new RateLimitedError("a", "slow down"),
  new SessionBusyError("s"),
  new SessionDestroyedError("s"),
  new StructuredOutputError("a", [], ""),
  new TurnStalledError("a", 1_000),
  new UngatedToolCallError("a", "Bash"),
  new UnknownSessionError("a", "s"),
];

test("an error is lasting where something has to be changed before anything else can work", () => {
  const isLasting = ({ code }: AtomicError): boolean => LASTING_ERROR_CODES.has(code);
  expect(LASTING.filter((error) => !isLasting(error))).toEqual([]);
  expect(PASSING.filter(isLasting)).toEqual([]);
});

test("every class of error has been decided about", () => {
  const isErrorClass = (value: unknown): boolean =>
    typeof value === "function" && value.prototype instanceof AtomicError;
  const classes = Object.entries(contracts).flatMap(([name, value]) => (isErrorClass(value) ? [name] : []));
  expect([...LASTING, ...PASSING].map(({ name }) => name).sort()).toEqual(classes.sort());
});
