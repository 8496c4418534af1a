import { expect, test } from "bun:test";
import { z } from "zod";
import { graph } from "../../builder.ts";
import { FakeCodingAgent } from "../../fixtures/fake-coding-agent.ts";
import type { AgentDefinition, PromptDefinition } from "../../model/named-definitions.ts";
import { NamedRegistry } from "../../model/named-registry.ts";
import type { NodeDefinition } from "../../model/node-definition.ts";
import { annotation, defineState, type StateOf } from "../../state/annotation.ts";
import { agentNode } from "../agents/agent-node.ts";
import { commandNode } from "../agents/command-node.ts";
import { skillNode } from "../agents/skill-node.ts";
import { subgraphNode } from "../flow/subgraph-node.ts";
import { subagentNode } from "../subagents/subagent-node.ts";
import { customToolNode } from "../tools/custom-tool-node.ts";
import { shellNode } from "../tools/shell-node.ts";
import { toolNode } from "../tools/tool-node.ts";

const fail = (): never => {
  throw new RangeError("no such finding");
};

const State = defineState({ value: annotation(""), fussy: annotation<string>("", fail) });
type State = StateOf<typeof State>;

const agents = new NamedRegistry<AgentDefinition>([{ name: "scout", prompt: "You look." }]);
const skills = new NamedRegistry<PromptDefinition>([{ name: "commit", prompt: "Commit it." }]);
const commands = new NamedRegistry<PromptDefinition>([{ name: "review", prompt: "Review it." }]);

/** Runs a node, and counts how often its agent, its tool or its command did the work. */
async function runAndCount(node: NodeDefinition<State>) {
  let workCount = 0;
  const work = (): string => {
    workCount += 1;
    return '"done"';
  };
  const agent = new FakeCodingAgent(Array.from({ length: 9 }, () => ({ content: '"done"' })));
  const tool = { name: "probe", description: "Probes.", inputSchema: { type: "object" }, handler: async () => work() };
  const { errorInfo } = await graph(State)
    .start(node)
    .end()
    .compile()
    .run(
      {},
      {
        services: {
          agents,
          skills,
          commands,
          clients: () => agent,
          tools: new NamedRegistry([tool]),
          shell: async (command) => {
            const stdout = work();
            return { command, exitCode: 0, stdout, stderr: "", isTruncated: false, durationMs: 1 };
          },
        },
      },
    );
  workCount += agent.calls.filter((call) => call.startsWith("send ")).length;
  return { code: errorInfo?.code, message: errorInfo?.message, workCount };
}

const common = { id: "n", retry: { maxAttempts: 3, backoffMs: 0 }, outputMapper: fail };
const tool = { id: "n", execute: () => "done", retry: common.retry };

test.each<{ readonly title: string; readonly node: NodeDefinition<State> }>([
  { title: "the outputMapper of an agentNode", node: agentNode({ ...common, buildMessage: "Go." }) },
  { title: "the outputMapper of a skillNode", node: skillNode({ ...common, skill: "commit" }) },
  { title: "the outputMapper of a commandNode", node: commandNode({ ...common, command: "review" }) },
  { title: "the outputMapper of a subagentNode", node: subagentNode({ ...common, agentName: "scout", task: "Look." }) },
  { title: "the outputMapper of a customToolNode", node: customToolNode({ ...common, toolName: "probe" }) },
  { title: "the outputMapper of a shellNode", node: shellNode({ ...common, command: "npm test" }) },
  {
    title: "the outputSchema of an agentNode",
    node: agentNode({
      id: "n",
      buildMessage: "Go.",
      retry: common.retry,
      outputSchema: z.string().transform((): string => fail()),
    }),
  },
])("$title that throws fails the node, and its work is done once", async ({ node }) => {
  expect(await runAndCount(node)).toEqual({ code: "NODE_FAILED", message: "no such finding", workCount: 1 });
});

test("a reducer that throws fails the node, and its work is done once", async () => {
  const node = agentNode<State>({ ...common, buildMessage: "Go.", outputMapper: () => ({ fussy: "x" }) });
  expect(await runAndCount(node)).toEqual({
    code: "STATE_UNFIT_UPDATE",
    message:
      'The update of "fussy" from "n" does not fit this field, and nothing was changed: its reducer was given "x", and threw: no such finding. Give a value of the field\'s own type.',
    workCount: 1,
  });
});

test("an outputMapper that throws does not repeat the function of a toolNode", async () => {
  let callCount = 0;
  const execute = (): number => {
    callCount += 1;
    return callCount;
  };
  const { code } = await runAndCount(toolNode({ ...tool, execute, outputMapper: fail }));
  expect({ code, callCount }).toEqual({ code: "NODE_FAILED", callCount: 1 });
});

test("an outputMapper that throws does not repeat a subgraph that is no compiled graph", async () => {
  let callCount = 0;
  const subgraph = {
    execute: async () => {
      callCount += 1;
      return { executionId: "r", lastUpdated: new Date(0), outputs: {} };
    },
  };
  const { code } = await runAndCount(subgraphNode({ ...common, subgraph }));
  expect({ code, callCount }).toEqual({ code: "NODE_FAILED", callCount: 1 });
});

test("a retryOn of the author's can repeat the work of a node whose outputMapper threw", async () => {
  const retry = { ...common.retry, retryOn: (error: Error) => error instanceof RangeError };
  const { workCount } = await runAndCount(agentNode({ ...common, buildMessage: "Go.", retry }));
  expect(workCount).toBe(3);
});

test("a handler sees the very error that an outputMapper threw", async () => {
  const thrown = new RangeError("no such finding");
  const caught: unknown[] = [];
  const outputMapper = (): never => {
    throw thrown;
  };
  const agent = new FakeCodingAgent([{ content: "done" }]);
  await graph(State)
    .start(agentNode({ ...common, buildMessage: "Go.", outputMapper }))
    .catch((error) => {
      caught.push(error);
      return {};
    })
    .end()
    .compile()
    .run({}, { services: { clients: () => agent } });
  expect(caught[0]).toBe(thrown);
});

test("an outputMapper that returns a promise fails the node instead of losing the update", async () => {
  // Files that are run directly are not type-checked.
  const later = (async () => ({ value: "x" })) as unknown as () => { readonly value: string };
  expect(await runAndCount(agentNode({ ...common, buildMessage: "Go.", outputMapper: later }))).toEqual({
    code: "NODE_RESULT_INVALID",
    message:
      'The node "n" returned a promise from its outputMapper. A mapper cannot wait: wait in the node, or in a toolNode() after it.',
    workCount: 1,
  });
});
