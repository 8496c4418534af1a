import { expect, test } from "bun:test";
import { agentEnvironment, withoutTelemetryReceivers } from "./agent-environment.ts";

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

test.each([
  { kind: "opencode", allowed: undefined, names: ["OTEL_SERVICE_NAME"] },
  { kind: "my-agent", allowed: ["*"], names: ["OTEL_SERVICE_NAME"] },
  { kind: "opencode", allowed: ["OTEL_*"], names: ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_SERVICE_NAME"] },
  { kind: "claude", allowed: undefined, names: ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_SERVICE_NAME"] },
])("Atomic's receivers of telemetry are not those of an agent: $kind $allowed", ({ kind, allowed, names }) => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318", OTEL_SERVICE_NAME: "mine" };
  expect<readonly string[]>(Object.keys(withoutTelemetryReceivers(env, { kind, allowed }))).toEqual(names);
});
