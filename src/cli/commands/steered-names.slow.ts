import { afterEach, beforeEach, expect, test } from "bun:test";
import { runIdIn, TestEnvironment } from "../fixtures/test-environment.ts";
import { GATE } from "../fixtures/workflow-files.ts";

const FAILING = `import { graph, toolNode } from "@bastani/atomic/graph";
const fail = toolNode({ id: "fail", execute: () => { throw new Error("no"); } });
export default () => graph().start(toolNode({ id: "prepare", execute: () => 1 })).then(fail).end().compile();
`;

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
  await environment.writeWorkflows({ gate: GATE, failing: FAILING });
});
afterEach(() => environment.remove());

const errorOf = (text: string) => JSON.parse(text.trim().split("\n").at(-1) ?? "");

test("a command for a node that does not exist names the nodes that do", async () => {
  const id = runIdIn((await environment.atomic("run", "failing")).stdout);
  for (const command of ["retry", "skip"]) {
    const { exitCode, stderr } = await environment.atomic("runs", command, id, "prepar");
    expect([exitCode, stderr]).toEqual([
      2,
      `error: There is no node "prepar" in the run "${id}".\n       Did you mean "prepare"?\n       Its nodes: prepare, fail.\n       (USAGE)\n`,
    ]);
  }
  const { stderr } = await environment.atomic("runs", "retry", id, "prepare");
  expect(stderr).toContain("(NODE_NOT_UNDER_WAY)");
});

test("errors about a run have its id as JSON", async () => {
  const id = runIdIn((await environment.atomic("run", "gate")).stdout);
  for (const args of [
    ["show", id, "--output"],
    ["pause", id],
    ["skip", id, "nosuch"],
  ]) {
    const { exitCode, stdout, stderr } = await environment.atomic("runs", ...args, "--json");
    expect({ exitCode, stderr, error: errorOf(stdout) }).toMatchObject({
      exitCode: 2,
      stderr: "",
      error: { type: "error", runId: id },
    });
  }
});

test("a run that can be resumed, failed ones too, is deleted only with --force", async () => {
  const id = runIdIn((await environment.atomic("run", "failing")).stdout);
  const { exitCode, stderr } = await environment.atomic("runs", "delete", id);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`The run "${id}" is failed, and can be resumed`)]);
  expect((await environment.atomic("runs", "delete", id, "--force")).exitCode).toBe(0);
});

test("a fork that was not started has this status everywhere, and compares with what it inherits", async () => {
  const id = runIdIn((await environment.atomic("run", "gate")).stdout);
  const forked = await environment.atomic("runs", "fork", id, "--no-run", "--json");
  const { runId } = errorOf(forked.stdout);
  for (const status of ["not started", "not-started"]) {
    const listed = JSON.parse((await environment.atomic("runs", "list", "--status", status, "--json")).stdout);
    expect(listed).toMatchObject([{ runId, status: "not started" }]);
  }
  expect(JSON.parse((await environment.atomic("runs", "show", runId, "--json")).stdout).status).toBe("not started");
  expect((await environment.atomic("runs", "delete", runId)).stderr).toContain("is not started, and can be resumed");
  const compared = JSON.parse((await environment.atomic("runs", "compare", id, runId, "--json")).stdout);
  const [prepare] = compared.nodes;
  expect(prepare.nodes.map((node: { visits: number; status: string }) => [node.visits, node.status])).toEqual([
    [1, "completed"],
    [1, "completed"],
  ]);
  expect(prepare.nodes[1].durationMs).toBe(prepare.nodes[0].durationMs);
});

test("a recording that does not exist is no such file", async () => {
  const id = runIdIn((await environment.atomic("run", "gate")).stdout);
  const { exitCode, stderr } = await environment.atomic("runs", "compare", id, "./missing.jsonl");
  expect([exitCode, environment.normalise(stderr)]).toEqual([
    2,
    "error: There is no file <root>/project/missing.jsonl.\n       Compare recordings by their files, and runs by their ids: atomic runs list\n       (USAGE)\n",
  ]);
});
