import { expect, test } from "bun:test";
import { graph } from "../../builder.ts";
import { FakeCodingAgent } from "../../fixtures/fake-coding-agent.ts";
import { TestState } from "../../fixtures/test-nodes.ts";
import { agentNode } from "./agent-node.ts";
import { findClient } from "./find-client.ts";

test("a provider receives the sandbox that a node wants, and which visit asks", async () => {
  const heard: unknown[] = [];
  const clients = (agentType: string | undefined, wish?: unknown) => {
    heard.push([agentType, wish]);
    return Object.assign(new FakeCodingAgent([{}]), { isSandboxed: true });
  };
  await findClient(clients, { agentType: "a", sandbox: undefined });
  await findClient(clients, { agentType: undefined, sandbox: { writeRoots: [] } });
  const node = agentNode<TestState>({ id: "plan", buildMessage: "Plan", sandbox: true });
  await graph(TestState).start(node).end().compile().run({}, { runId: "run1", services: { clients } });
  expect(heard).toEqual([
    ["a", {}],
    [undefined, { sandbox: { writeRoots: [] } }],
    [undefined, { sandbox: {}, visit: { runId: "run1", taskId: "plan" } }],
  ]);
});

test.each([
  { agentType: "a", client: undefined, problem: 'returned undefined for the agent "a"' },
  { agentType: undefined, client: {}, problem: "returned {} for the default agent" },
])("a provider that returns no client is named: $problem", async ({ agentType, client, problem }) => {
  // The cast is what a program without types could do.
  await expect(findClient(() => client as never, { agentType, sandbox: undefined })).rejects.toMatchObject({
    code: "SERVICE_INVALID",
    message: `The service "clients" of the run ${problem}; it must return the client of a coding agent, or throw.`,
  });
});

test("an agent outside of the required sandbox receives nothing, and the node is not retried", async () => {
  const agent = new FakeCodingAgent([{}]);
  const node = agentNode<TestState>({ id: "plan", buildMessage: "Plan", sandbox: {} });
  const running = graph(TestState)
    .start(node)
    .end()
    .compile()
    .run({}, { services: { clients: () => agent } });
  await expect(running).resolves.toMatchObject({
    status: "failed",
    error: {
      code: "SANDBOX_UNAVAILABLE",
      message: `The agent "${agent.agentType}" was not started, because its sandbox needs a client that makes one. Have the run's clients heed the wish for a sandbox, their second argument.`,
    },
  });
  expect(agent.calls).toEqual([]);
});
