import { expect, test } from "bun:test";
import { agentEnvironment } from "./agent-environment.ts";

const ENV = {
  PATH: "/usr/bin:node_modules/.bin:.:/bin",
  HOME: "/home/me",
  LC_ALL: "C",
  ANTHROPIC_API_KEY: "key",
  GITHUB_TOKEN: "token",
  DATABASE_URL: "postgres://",
  DATABASE_PASSWORD: "secret",
  UNSET: undefined,
};

test("an agent gets everything, but no folder of the PATH that a repository could fill", () => {
  expect(agentEnvironment({ kind: "claude", env: ENV })).toEqual({
    PATH: "/usr/bin:/bin",
    HOME: "/home/me",
    LC_ALL: "C",
    ANTHROPIC_API_KEY: "key",
    GITHUB_TOKEN: "token",
    DATABASE_URL: "postgres://",
    DATABASE_PASSWORD: "secret",
  });
});

test.each([
  { kind: "claude", allowed: [], more: { ANTHROPIC_API_KEY: "key" } },
  { kind: "copilot", allowed: [], more: { GITHUB_TOKEN: "token" } },
  { kind: "constructor", allowed: [], more: {} },
  { kind: "my-agent", allowed: ["DATABASE_URL"], more: { DATABASE_URL: "postgres://" } },
  {
    kind: "my-agent",
    allowed: ["DATABASE_*"],
    more: { DATABASE_URL: "postgres://", DATABASE_PASSWORD: "secret" },
  },
])("settings may limit it: $kind $allowed", ({ kind, allowed, more }) => {
  const base = { PATH: "/usr/bin:/bin", HOME: "/home/me", LC_ALL: "C" };
  expect(agentEnvironment({ kind, env: ENV, allowed })).toEqual({ ...base, ...more });
});
