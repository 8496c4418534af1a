import { afterEach, beforeEach, expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ModelServer, startModelServer } from "../../testkit/index.ts";
import { Sandbox } from "./fixtures/sandbox.ts";
import { useScriptedModel } from "./fixtures/vendor-agents.ts";

const WORKFLOW = `import { annotation, defineState, graph, parallelSubagentNode, subagentNode } from "@bastani/atomic/graph";
const State = defineState({ found: annotation("") });
export default () =>
  graph(State)
    .start(
      parallelSubagentNode({
        id: "look",
        agents: ["claude", "opencode", "copilot"].map((agentType) => ({
          agentName: "explore",
          agentType,
          task: "Look, " + agentType + ".",
        })),
        merge: (results) => ({ found: [...results.values()].map(({ output }) => output).join("\\n") }),
      }),
    )
    .then(subagentNode({ id: "sum", agentName: "general-purpose", agentType: "opencode", task: (state) => "Sum up: " + state.found }))
    .end()
    .compile();
`;

const LONG = `begin ${"x".repeat(5_000)} end`;

let model: ModelServer;
let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.create();
  model = await startModelServer({
    script: ({ messages }) => {
      const task = messages.findLast(({ role }) => role === "user")?.text ?? "";
      return {
        type: "message",
        text: /Look, \w+\./.test(task) ? `${/Look, (\w+)/.exec(task)?.[1]}: ${LONG}` : "Done.",
      };
    },
  });
  await useScriptedModel(sandbox, model);
  await sandbox.write({ ".atomic/workflows/look.ts": WORKFLOW });
});
afterEach(async () => {
  await sandbox.remove();
  await model.stop();
});

test("three vendors' agents work side by side in one node; each result is a file, and the next prompt has its bounds", async () => {
  const { exitCode, stderr, events } = await sandbox.atomic("run", "look", "--trust", "--json");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const sessions = events.flatMap((event) => (event.type === "agent-session" ? [event.agentType] : []));
  expect(sessions.toSorted()).toEqual(["claude", "copilot", "opencode", "opencode"]);

  const folder = join(sandbox.atomicHome, "workflows/sessions", events[0]?.runId ?? "", "agents");
  const names = (await readdir(folder)).sort();
  const files = await Promise.all(names.map(async (name) => JSON.parse(await readFile(join(folder, name), "utf8"))));
  expect(
    files.map(({ agentName, agentType, task, success, output }) => ({ agentName, agentType, task, success, output })),
  ).toEqual([
    ...["claude", "opencode", "copilot"].map((agentType) => ({
      agentName: "explore",
      agentType,
      task: `Look, ${agentType}.`,
      success: true,
      output: `${agentType}: ${LONG}`,
    })),
    {
      agentName: "general-purpose",
      agentType: "opencode",
      task: expect.stringMatching(/^Sum up: /),
      success: true,
      output: "Done.",
    },
  ]);
  for (const { usage, sessionId, durationMs } of files) {
    expect(usage.inputTokens).toBeGreaterThan(0);
    expect([sessionId, durationMs]).toEqual([expect.any(String), expect.any(Number)]);
  }
  const parts = files.at(-1).task.replace("Sum up: ", "").split("\n");
  // Each answer is a first half, a line about what is missing, and a second half.
  expect(parts.map((part: string) => part.length).filter((length: number) => length > 1_100)).toEqual([]);
  expect(parts.filter((part: string) => part.includes("characters left out"))).toHaveLength(3);
});
