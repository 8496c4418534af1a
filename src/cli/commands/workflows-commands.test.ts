import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { RALPH_METADATA } from "../../workflows/index.ts";
import { TestEnvironment } from "../fixtures/test-environment.ts";
import { GATE, GREET } from "../fixtures/workflow-files.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

test("the list has the project's, the user's and the built-in workflows, in the order of precedence", async () => {
  await environment.writeWorkflows({ greet: GREET });
  await environment.write({ "home/.atomic/workflows/gate.ts": `export const argumentHint = "TOPIC\\n";\n${GATE}` });
  expect(await environment.atomic("workflows", "list")).toEqual({
    exitCode: 0,
    stdout: [
      "WORKFLOW  ALIASES  ARGUMENTS                                   SOURCE   DESCRIPTION",
      "greet     hello                                                local    Greets",
      "gate               TOPIC                                       global   Custom workflow: gate",
      'ralph     loop     "<prompt-or-spec-path>" [--verify COMMAND]  builtin  Plan a piece of work, implement it task by task, and verify the result',
      "",
    ].join("\n"),
    stderr: "",
  });
});

test("as JSON the list has the metadata, the problems and the files that were not loaded", async () => {
  await environment.write({ "home/.atomic/workflows/broken.ts": "export default (" });
  await environment.write({ "project/.atomic/workflows/greet.ts": GREET });
  const { exitCode, stdout, stderr } = await environment.atomic("workflows", "list", "--json");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(JSON.parse(stdout)).toEqual({
    workflows: [RALPH_METADATA],
    problems: [
      {
        path: join(environment.atomicHome, "workflows", "broken.ts"),
        line: 1,
        column: 16,
        message: "Syntax error: Unexpected end of file.",
        remedy: "Correct the file; the rest of it has not been looked at.",
        severity: "error",
      },
    ],
    untrusted: [join(environment.project, ".atomic/workflows/greet.ts")],
  });
});

test("broken files are reported on stderr, and --trust is remembered", async () => {
  await environment.write({
    "project/.atomic/workflows/greet.ts": GREET,
    "project/.atomic/workflows/broken.ts": "export default (",
  });
  const before = await environment.atomic("workflows", "list");
  expect(before.stderr).toBe(
    "note: 2 workflow files of this project were not loaded, since it is not trusted yet. Look at them, then call again with --trust.\n",
  );
  const trusted = await environment.atomic("workflows", "list", "--trust");
  expect(environment.normalise(trusted.stderr)).toBe(
    "error: <root>/project/.atomic/workflows/broken.ts:1:16: Syntax error: Unexpected end of file. Correct the file; the rest of it has not been looked at.\n",
  );
  expect(await environment.atomic("workflows", "list")).toEqual(trusted);
});
