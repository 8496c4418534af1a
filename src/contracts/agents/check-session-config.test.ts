import { expect, test } from "bun:test";
import { PermissionsInvalidError } from "../permissions/check-permissions.ts";
import { PLAN_MODE_RULE, readSessionConfig, SessionConfigInvalidError } from "./check-session-config.ts";
import type { SessionConfig } from "./session-config.ts";

const handler = () => "done";
const tool = { name: "note", description: "Notes.", inputSchema: {}, handler };

test.each<SessionConfig>([
  {},
  {
    maxTurns: 1,
    maxBudgetUsd: 0.01,
    spentUsd: 0.02,
    permissionMode: "default",
    tools: [tool, { ...tool, name: "other" }],
    mcpServers: { atomics: { type: "http", url: "http://127.0.0.1:1" } },
  },
])("%j can be used as it is", (config) => {
  expect(readSessionConfig(config)).toEqual(config);
});

test("plan mode denies edits and commands before every other rule", () => {
  const permissions = { rules: [{ effect: "allow", tools: ["edit"] }], otherwise: "allow" } as const;
  expect(readSessionConfig({ permissionMode: "plan", permissions }).permissions).toEqual({
    rules: [PLAN_MODE_RULE, { effect: "allow", tools: ["edit"] }],
    otherwise: "allow",
  });
  expect(readSessionConfig({ permissionMode: "plan" }).permissions).toEqual({ rules: [PLAN_MODE_RULE] });
});

test.each<{ config: unknown; problem: string }>([
  { config: { maxTurns: 0 }, problem: "maxTurns: It must be a whole number from 1, not 0." },
  { config: { maxTurns: 1.5 }, problem: "maxTurns: It must be a whole number from 1, not 1.5." },
  { config: { maxTurns: "3" }, problem: 'maxTurns: It must be a whole number from 1, not "3".' },
  { config: { maxBudgetUsd: 0 }, problem: "maxBudgetUsd: It must be a number above 0, not 0." },
  { config: { maxBudgetUsd: Number.NaN }, problem: "maxBudgetUsd: It must be a number above 0, not NaN." },
  { config: { spentUsd: -1 }, problem: "spentUsd: It must be a number from 0, not -1." },
  {
    config: { permissionMode: "plans" },
    problem: 'permissionMode: "plans" is not possible. Did you mean "plan"? Possible: "default", "plan".',
  },
  {
    config: { permissionMode: "bypassPermissions" },
    problem:
      'permissionMode: "bypassPermissions" is not possible. Use permissions: { rules: [], otherwise: "allow" }. Possible: "default", "plan".',
  },
  { config: { tools: [{ ...tool, name: "" }] }, problem: "tools[0]: It needs a name." },
  { config: { tools: [{ name: "note" }] }, problem: 'tools[0]: The tool "note" needs a handler.' },
  {
    config: { sessionId: "../other" },
    problem: 'sessionId: It must be up to 100 letters, digits, "-" and "_", not "../other".',
  },
  ...["atomic", "Atomic", "atomic_x", "atomic-tools"].map((name) => ({
    config: { mcpServers: { [name]: { type: "http", url: "http://127.0.0.1:1" } } },
    problem: `mcpServers: The name "${name}" is reserved for Atomic's own tools. Choose another.`,
  })),
  { config: { tools: [tool, tool] }, problem: 'tools[1]: There is already a tool "note".' },
])("$problem", ({ config, problem }) => {
  // The cast is true of the type only: no type checker has seen what a program passes.
  expect(() => readSessionConfig(config as SessionConfig)).toThrow(new SessionConfigInvalidError([problem]));
});

test("a misspelled setting is rejected, with the nearest name", () => {
  const config = { maxturns: 3 } as SessionConfig; // no type checker has seen it
  expect(() => readSessionConfig(config)).toThrow('maxturns: No such setting. Did you mean "maxTurns"? Known: model, ');
});

test("an invalid policy is rejected with its own error", () => {
  const config = { permissions: "all" } as unknown as SessionConfig; // no type checker has seen it
  expect(() => readSessionConfig(config)).toThrow(PermissionsInvalidError);
});
