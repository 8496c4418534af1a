import { afterAll, beforeAll, expect, test } from "bun:test";
import { startModelServer } from "../../testkit/index.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

let sandbox: Sandbox;

const TWO_TURNS = `import { agentNode, graph, shellNode } from "@bastani/atomic/graph";
export default () => graph()
  .start(agentNode({ id: "first", buildMessage: "Hello" }))
  .then(shellNode({ id: "wait", command: "until test -e stopped; do sleep 0.05; done" }))
  .then(agentNode({ id: "second", buildMessage: "Hello again" }))
  .end().compile();
`;

beforeAll(async () => {
  sandbox = await Sandbox.create();
  await sandbox.write({ ".atomic/workflows/two-turns.ts": TWO_TURNS });
  await sandbox.atomic("trust", "add");
});

afterAll(async () => {
  await sandbox.remove();
});

// By themselves, the agents retry for one to three minutes, and each node three times.
test.each([
  { agent: "opencode", protocol: "openai-chat", path: "/v1" },
  { agent: "claude", protocol: "anthropic-messages", path: "" },
  { agent: "copilot", protocol: "openai-chat", path: "/v1" },
] as const)(
  "a connection that fails on this machine in the middle of a run is not retried for minutes: $agent",
  async ({ agent, protocol, path }) => {
    const server = await startModelServer({ script: () => ({ type: "message", text: "Hello." }) });
    const endpoint = { protocol, baseUrl: server.url + path, models: [{ id: "m" }] };
    await sandbox.writeConfig({ agents: { [agent]: { endpoint } } });
    await sandbox.shell("rm -f stopped");
    const run = sandbox.start(["run", "two-turns", "--agent", agent, "--json"]);
    await run.waitFor((event) => event.type === "node-start" && event.nodeId === "wait");
    await server.stop();
    await sandbox.write({ stopped: "" });
    const { exitCode, events } = await run.ended;
    expect({ exitCode, end: events.at(-1) }).toMatchObject({
      exitCode: 1,
      end: {
        type: "run-end",
        status: "failed",
        error: {
          code: "ENDPOINT_UNREACHABLE",
          message: `Nothing answers at ${new URL(server.url).host} (ECONNREFUSED). Start the model's server, or correct "agents.${agent}.endpoint.baseUrl" in ${sandbox.atomicHome}/config.json.`,
        },
      },
    });
    expect(events.filter(({ type }) => type === "node-error")).toHaveLength(1);
  },
  120_000,
);
