import { afterAll, expect, test } from "bun:test";
import { startOpenCodeBench } from "../../../clients/vendors/opencode/fixtures/opencode-bench.ts";
import type { ToolDefinition } from "../../../contracts/index.ts";
import { call, say } from "../../../testkit/conformance/client/client-script.ts";
import { graph } from "../../builder.ts";
import { TestState } from "../../fixtures/test-nodes.ts";
import { NamedRegistry } from "../../model/named-registry.ts";
import { agentNode } from "./agent-node.ts";

const bench = await startOpenCodeBench(process.env.PATH ?? "");
afterAll(() => bench.stop());

test("OpenCode calls the tool of the run that its node names, and is offered no other", async () => {
  const calls: unknown[] = [];
  const toolOf = (name: string): ToolDefinition => ({
    name,
    description: `Runs ${name}.`,
    inputSchema: { type: "object", properties: { path: { type: "string" } } },
    handler: (input) => {
      calls.push({ name, input });
      return "2 issues";
    },
  });
  const offered: (readonly string[])[] = [];
  bench.models.setScript(({ messages, toolNames }) => {
    offered.push(toolNames.filter((name) => name.startsWith("atomic-")).map((name) => name.replace(/^.*_/, "")));
    const last = messages.at(-1);
    if (last?.role === "tool") return say(`It says: ${last.text}`);
    const [lint = "none"] = toolNames.filter((name) => name.endsWith("_lint"));
    return call(lint, { path: "a.ts" });
  });
  const check = agentNode<TestState>({ id: "check", buildMessage: "Check it.", tools: ["lint"] });
  const { status, state } = await graph(TestState)
    .start(check)
    .end()
    .compile()
    .run(
      {},
      {
        services: {
          clients: () => bench.client,
          tools: new NamedRegistry([toolOf("lint"), toolOf("other")]),
          sessionConfig: { permissions: { rules: [{ effect: "allow", tools: ["mcp"] }] } },
        },
      },
    );
  expect({ status, outputs: state.outputs, calls }).toEqual({
    status: "completed",
    outputs: { check: "It says: 2 issues" },
    calls: [{ name: "lint", input: { path: "a.ts" } }],
  });
  expect(new Set(offered.flat())).toEqual(new Set(["lint"]));
});
