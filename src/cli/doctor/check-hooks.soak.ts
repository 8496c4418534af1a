import { afterEach, beforeEach, expect, test } from "bun:test";
import type { AgentCheck as Check } from "../agents/check-agents.ts";
import { TestEnvironment } from "../fixtures/test-environment.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

const HOOKS = JSON.stringify({
  hooks: { PreToolUse: [{ hooks: [1, 2].map((number) => ({ type: "command", command: `true ${number}` })) }] },
});

test("hooks are counted by file, with those that no trust covers, and telemetry says where it goes", async () => {
  await environment.write({ "home/.claude/settings.json": HOOKS, "project/.claude/settings.json": HOOKS });
  const receiver = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://user:hunter2-pass@127.0.0.1:9" };
  await environment.start(["telemetry", "on"], { env: receiver }).ended;
  const { stdout } = await environment.start(["doctor", "--json"], { env: receiver }).ended;
  const { checks, problems } = JSON.parse(stdout);
  const [user, project] = [
    `${environment.root}/home/.claude/settings.json`,
    `${environment.project}/.claude/settings.json`,
  ];
  const hooks = {
    ...{ name: "hooks", status: "not trusted", detail: `4 hooks: ${user} (2), ${project} (2, not trusted)` },
    files: [
      { path: user, hooks: 2, source: "user", isTrusted: true },
      { path: project, hooks: 2, source: "project", isTrusted: false },
    ],
    remedy: "Look at the project's hooks: atomic hooks list. Then: atomic trust add",
  };
  const found = (name: string): unknown => checks.find((check: Check) => check.name === name);
  expect<unknown>(found("hooks")).toEqual(hooks);
  expect(found("telemetry")).toEqual({
    ...{ name: "telemetry", status: "ok" },
    detail: `recorded in ${environment.root}/home/.local/share/atomic/telemetry, sent: OTLP traces http://127.0.0.1:9/v1/traces, OTLP metrics http://127.0.0.1:9/v1/metrics`,
  });
  expect(problems).toEqual(checks.filter(({ status }: Check) => status !== "ok"));
  expect(problems.map(({ name }: Check) => name)).toContain("hooks");
  expect(stdout).not.toContain("hunter2-pass");

  const shown = environment.normalise((await environment.atomic("doctor")).stdout);
  expect(shown.slice(shown.indexOf("What to do:"))).toContain(
    "\nLook at the project's hooks: atomic hooks list. Then: atomic trust add\n",
  );
});
