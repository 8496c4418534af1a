import { expect, test } from "bun:test";
import { graph } from "../../builder.ts";
import { FakeCodingAgent } from "../../fixtures/fake-coding-agent.ts";
import { TestState } from "../../fixtures/test-nodes.ts";
import type { AgentDefinition, PromptDefinition } from "../../model/named-definitions.ts";
import { NamedRegistry } from "../../model/named-registry.ts";
import type { NodeDefinition } from "../../model/node-definition.ts";
import { agentNode } from "../agents/agent-node.ts";
import { skillNode } from "../agents/skill-node.ts";
import { subagentNode } from "../subagents/subagent-node.ts";
import { shellNode } from "../tools/shell-node.ts";

const agents = new NamedRegistry<AgentDefinition>([{ name: "scout", prompt: "You look." }]);
const skills = new NamedRegistry<PromptDefinition>([{ name: "commit", prompt: "Commit: $ARGUMENTS" }]);

/** What files that are not type-checked can contain. */
const wrong = (value: unknown) => (() => value) as () => string;

test.each<{ readonly node: NodeDefinition<TestState>; readonly option: string; readonly returned: string }>([
  { node: agentNode({ id: "n", buildMessage: wrong(undefined) }), option: "buildMessage", returned: "undefined" },
  { node: agentNode({ id: "n", agent: "scout", prompt: wrong(5) }), option: "buildMessage", returned: "5" },
  {
    node: agentNode({ id: "n", buildMessage: wrong(Promise.resolve("later")) }),
    option: "buildMessage",
    returned: "a promise",
  },
  {
    node: agentNode({ id: "n", buildMessage: "Go.", systemPrompt: wrong(null) }),
    option: "systemPrompt",
    returned: "null",
  },
  { node: skillNode({ id: "n", skill: "commit", args: wrong(undefined) }), option: "args", returned: "undefined" },
  {
    node: subagentNode({ id: "n", agentName: "scout", task: wrong(undefined) }),
    option: "task",
    returned: "undefined",
  },
  { node: shellNode({ id: "n", command: wrong(undefined) }), option: "command", returned: "undefined" },
  {
    node: shellNode({ id: "n", command: "exit 0", workingDirectory: wrong(undefined) }),
    option: "workingDirectory",
    returned: "undefined",
  },
])(
  "$option of a node that returns $returned fails it at once, and no agent is called",
  async ({ node, option, returned }) => {
    const agent = new FakeCodingAgent([{ content: "done" }]);
    const commands: string[] = [];
    const shell = async (command: string) => {
      commands.push(command);
      return { command, exitCode: 0, stdout: "", stderr: "", isTruncated: false, durationMs: 1 };
    };
    let failureCount = 0;
    const { errorInfo } = await graph(TestState)
      .start(node)
      .end()
      .compile()
      .run(
        {},
        {
          services: { agents, skills, clients: () => agent, shell },
          onEvent: ({ type }) => {
            if (type === "node-error") failureCount += 1;
          },
        },
      );
    expect({ code: errorInfo?.code, message: errorInfo?.message, failureCount, calls: agent.calls, commands }).toEqual({
      code: "NOT_A_TEXT",
      message: `The function "${option}" of the node "n" returned ${returned}. It must return a text: look for a misspelled field of the state.`,
      failureCount: 1,
      calls: [],
      commands: [],
    });
  },
);
