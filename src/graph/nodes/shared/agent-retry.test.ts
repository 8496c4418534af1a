import { expect, test } from "bun:test";
import {
  AgentCrashedError,
  AgentTooNewError,
  AgentTooOldError,
  AtomicError,
  ClientNotInstalledError,
  NotSignedInError,
  RateLimitedError,
  UngatedAgentError,
} from "../../../contracts/index.ts";
import { isWorthRetrying } from "./agent-retry.ts";

test("an agent that cannot start is not retried, a failed turn is", () => {
  const versions = { found: "1.0.0", oldest: "2.0.0", below: "1.0.0" };
  const errors: readonly AtomicError[] = [
    new UngatedAgentError("goose"),
    new ClientNotInstalledError("goose", "goose"),
    new AgentTooOldError("opencode", "/bin/opencode", versions),
    new AgentTooNewError("opencode", "/bin/opencode", versions),
    new NotSignedInError("claude", "claude auth login"),
    new AtomicError("CONFIG_INVALID", "The settings cannot be read."),
    new AgentCrashedError("claude", "exit code 1", []),
    new RateLimitedError("claude", "slow down"),
  ];
  expect(errors.filter(isWorthRetrying).map(({ code }) => code)).toEqual(["AGENT_CRASHED", "RATE_LIMITED"]);
});
