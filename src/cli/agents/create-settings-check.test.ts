import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import process from "node:process";
import { TestEnvironment } from "../fixtures/test-environment.ts";

const ACP_AGENT = join(import.meta.dir, "../fixtures/acp-agent.ts");

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

test("what a script sets for its agents, and the run's agent cannot be set to, is named before it starts", async () => {
  const agentWith = (...args: readonly string[]) => ({
    command: process.execPath,
    args: [ACP_AGENT, ...args],
    ungated: true,
  });
  const agents = { poor: agentWith(), able: agentWith("--effort", "high") };
  await environment.write({
    "home/.atomic/config.json": JSON.stringify({ agents }),
    "home/.claude/workflows/hard.js": [
      'export const meta = { name: "hard" };',
      'await agent("Think", { effort: "xhigh", model: "b" });',
      'return await agent("Judge", { model: args?.model ?? "b", agentType: "explore" });',
    ].join("\n"),
    "home/.claude/workflows/model.js":
      'export const meta = { name: "model" };\nawait agent("Think", { model: "opus" });',
  });
  const run = (name: string, agent: string) => environment.atomic("run", name, "--agent", agent);
  const place = (name: string): string => `<root>/home/.claude/workflows/${name}.js:2:22`;
  const rejected = async (name: string, agent: string) => {
    const { exitCode, stderr } = await run(name, agent);
    return {
      exitCode,
      lines: environment
        .normalise(stderr)
        .split("\n")
        .filter((line) => line.includes("cannot work")),
    };
  };
  expect(await rejected("hard", "poor")).toEqual({
    exitCode: 2,
    lines: [
      `         - The node "script" (${place("hard")}) cannot work: The agent "poor" has no setting for the effort. Remove the option, or use another agent.`,
    ],
  });
  expect(await rejected("model", "able")).toEqual({
    exitCode: 2,
    lines: [
      `         - The node "script" (${place("model")}) cannot work: The turn of the agent "able" failed: the model "opus" cannot be chosen: it offers: a, b. Remove the option, or use another agent.`,
    ],
  });
  expect((await run("hard", "able")).exitCode).toBe(0);
  expect((await run("hard", "scripted")).exitCode).toBe(0);
}, 30_000);
