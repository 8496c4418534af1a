import { afterEach, beforeEach, expect, test } from "bun:test";
import { TestEnvironment } from "./fixtures/test-environment.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

/** A workflow that calls the tool "lint"; its file runs `top` when it is imported. */
function workflow(top: string, inside = ""): string {
  return `import { customToolNode, getSubagentRegistry, getToolRegistry, graph, subgraphNode, toolNode } from "@bastani/atomic/graph";
const register = (name, answer) =>
  getToolRegistry().register({ name, description: name, inputSchema: { type: "object" }, handler: () => answer });
${top}
export default () => {
  ${inside}
  return graph()
    .start(customToolNode({ id: "use", toolName: "lint" }))
    .then(toolNode({ id: "known", execute: () => [...getToolRegistry().names(), ...getSubagentRegistry().names()] }))
    .end()
    .compile({ output: ({ outputs }) => [outputs.use, ...outputs.known].join(" ") });
};
`;
}

async function outputOf(name: string): Promise<string> {
  const { stdout } = await environment.atomic("run", name, "--agent", "scripted");
  return stdout.trimEnd().split("\n").at(-1) ?? "";
}

test("what one workflow's file registers is not seen by runs of others in the same process", async () => {
  const agent = 'getSubagentRegistry().register({ name: "scout", prompt: "Look." });';
  await environment.writeWorkflows({
    first: workflow(`register("lint", "first"); ${agent}`),
    second: workflow('register("lint", "second");', 'register("built", "");'),
    third: workflow(""),
  });
  expect([await outputOf("first"), await outputOf("second"), await outputOf("first")]).toEqual([
    "first lint scout",
    "second lint built",
    "first lint scout",
  ]);
  const { exitCode, stderr } = await environment.atomic("run", "third", "--agent", "scripted");
  expect(exitCode).toBe(2);
  expect(stderr.replace(/\n +/g, " ")).toContain(
    'The node "use" needs the tool "lint", which does not exist. There are no tools. Add it, or correct the name.',
  );
});

test("what a node registers during a run ends with the run", async () => {
  await environment.writeWorkflows({
    adds: `import { getToolRegistry, graph, toolNode } from "@bastani/atomic/graph";
export default () =>
  graph()
    .start(toolNode({
      id: "add",
      execute: () => {
        const before = getToolRegistry().names().length;
        getToolRegistry().register({ name: "late", description: "d", inputSchema: {}, handler: () => 1 });
        return before + " before, " + getToolRegistry().names().length + " after";
      },
    }))
    .end()
    .compile();
`,
  });
  expect([await outputOf("adds"), await outputOf("adds")]).toEqual(["0 before, 1 after", "0 before, 1 after"]);
});

test("a tool of the workflow's file wins over a tool file, which serves what the workflow lacks", async () => {
  await environment.writeWorkflows({ own: workflow('register("lint", "registered");'), found: workflow("") });
  await environment.write({
    "project/.atomic/tools/lint.ts": 'export default { description: "d", execute: () => "found" };',
  });
  expect([await outputOf("own"), await outputOf("found")]).toEqual(["registered lint", "found"]);
});

test("a workflow that is a step of another brings its own tools, and loses to those of the outer one", async () => {
  const outer = (top: string): string => `import { getToolRegistry, graph, subgraphNode } from "@bastani/atomic/graph";
${top}
export default () =>
  graph()
    .start(subgraphNode({ id: "inner", subgraph: "inner", outputMapper: ({ outputs }) => ({ outputs: { inner: outputs.use } }) }))
    .end()
    .compile({ output: ({ outputs }) => outputs.inner });
`;
  await environment.writeWorkflows({
    inner: workflow('register("lint", "inner");'),
    plain: outer(""),
    owner: outer(
      'getToolRegistry().register({ name: "lint", description: "d", inputSchema: {}, handler: () => "outer" });',
    ),
  });
  expect([await outputOf("plain"), await outputOf("owner")]).toEqual(["inner", "outer"]);
});
