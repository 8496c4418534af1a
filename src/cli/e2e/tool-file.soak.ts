import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Sandbox } from "./fixtures/sandbox.ts";

const LINT = `import { tool } from "@atomic/plugin";
export default tool({
  description: "Runs the linter",
  args: { path: tool.schema.string().min(1), fix: tool.schema.boolean().default(false) },
  async execute({ path, fix }, context) {
    const state = "workflowState" in context ? context.workflowState.prompt : "no state";
    return [path, fix, context.agent, state].join(" ");
  },
});
export const many = tool({
  description: "Returns lines",
  args: { count: tool.schema.int() },
  execute: ({ count }) => Array.from({ length: count }, (_, index) => "line " + (index + 1)).join("\\n"),
});
`;

const WORKFLOW = `import { annotation, customToolNode, defineState, graph } from "@bastani/atomic/graph";
const State = defineState({ prompt: annotation("") });
export default () =>
  graph(State)
    .start(customToolNode({ id: "check", toolName: "Lint", args: ({ prompt }) => ({ path: prompt }) }))
    .end()
    .compile({ output: ({ outputs }) => outputs.check });
`;

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await Sandbox.create();
});

afterEach(async () => {
  await sandbox.remove();
});

describe("a tool file in a folder with nothing installed", () => {
  test("is a node of a workflow file beside it", async () => {
    await sandbox.write({ ".atomic/tools/lint.ts": LINT, ".atomic/workflows/check.ts": WORKFLOW });
    const { exitCode, stdout, stderr } = await sandbox.atomic("run", "check", "src/a.ts", "--trust");
    expect(exitCode).toBe(0);
    expect(stdout).toEndWith("\n\nsrc/a.ts false workflow src/a.ts\n");
    expect(stderr).toContain("✔ check (Lint)");
  });

  test("rejects arguments that it does not take, with the node and what is wrong", async () => {
    await sandbox.write({ ".atomic/tools/lint.ts": LINT, ".atomic/workflows/check.ts": WORKFLOW });
    const { exitCode, stdout } = await sandbox.atomic("run", "check", "--trust");
    expect(exitCode).toBe(1);
    expect(stdout).toContain(
      'The input of the tool "Lint" does not fit: path: Too small: expected string to have >=1 characters',
    );
  });

  test("rejects an argument of a node that it does not have", async () => {
    const typo = WORKFLOW.replace("({ path: prompt })", "({ path: prompt, fxi: true })");
    await sandbox.write({ ".atomic/tools/lint.ts": LINT, ".atomic/workflows/check.ts": typo });
    const { exitCode, stdout } = await sandbox.atomic("run", "check", "a.ts", "--trust");
    expect(exitCode).toBe(1);
    expect(stdout).toContain('The input of the tool "Lint" does not fit: Unknown argument "fxi". Did you mean "fix"?');
  });

  test("is listed, shown and run by name", async () => {
    await sandbox.write({ ".atomic/tools/lint.ts": LINT });
    const file = join(sandbox.project, ".atomic/tools/lint.ts");
    const inputSchema = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] };
    const list = await sandbox.atomic("tools", "list", "--trust");
    expect(list).toMatchObject({
      exitCode: 0,
      stdout: "TOOL       SOURCE  DESCRIPTION\nlint       local   Runs the linter\nlint_many  local   Returns lines\n",
      stderr: `Trusted ${sandbox.project}.\n`,
    });
    const shown = JSON.parse((await sandbox.atomic("tools", "show", "LINT_many", "--json")).stdout);
    expect(shown).toMatchObject({ name: "lint_many", source: "local", filePath: file, inputSchema });
    const ran = await sandbox.atomic("tools", "run", "lint", "--args", '{"path":"a b"}');
    expect(ran).toMatchObject({ exitCode: 0, stdout: "a b false cli no state\n", stderr: "" });
    const json = await sandbox.atomic("tools", "run", "lint_many", "--args", '{"count":2}', "--json");
    expect(JSON.parse(json.stdout)).toEqual({ type: "result", tool: "lint_many", output: "line 1\nline 2" });
  });

  test("works as docs/tools.md shows it", async () => {
    const text = await readFile(join(import.meta.dir, "../../../docs/tools.md"), "utf8");
    const example = /^```ts\n([\s\S]*?)^```$/m.exec(text)?.[1] ?? "";
    await sandbox.write({ ".atomic/tools/lines.ts": example, "README.md": "one\n\nthree\n" });
    const [list, , run] = (/^```sh\n([\s\S]*?)^```$/m.exec(text)?.[1] ?? "").split("\n");
    expect(await sandbox.shell(`PATH=${sandbox.root}/bin:$PATH HOME=${sandbox.root}/home; ${list}; ${run}`)).toBe(
      "TOOL   SOURCE  DESCRIPTION\nlines  local   Counts the lines of a file.\n3 lines",
    );
  });

  test("returns at most 2,000 lines, and names the file with all of them", async () => {
    await sandbox.write({ ".atomic/tools/lint.ts": LINT });
    const { stdout } = await sandbox.atomic("tools", "run", "lint_many", "--args", '{"count":5000}', "--trust");
    const lines = stdout.trimEnd().split("\n");
    const note = /^… \(3,001 lines, 30,009 bytes left out; the whole output is in (.+)\) …$/.exec(lines[1000] ?? "");
    const folder = join(sandbox.atomicHome, "tool-output");
    expect({ count: lines.length, last: lines.at(-1), folder: note?.[1]?.startsWith(`${folder}/lint_many-`) }).toEqual({
      count: 2_000,
      last: "line 5000",
      folder: true,
    });
    expect((await readFile(note?.[1] ?? "", "utf8")).split("\n")).toHaveLength(5_000);
    expect(await readdir(folder)).toHaveLength(1);
  });
});

test("a node receives the whole text of a tool", async () => {
  const workflow = WORKFLOW.replace(
    '"Lint", args: ({ prompt }) => ({ path: prompt })',
    '"lint_many", args: { count: 5000 }',
  );
  const summary = "({ outputs }) => JSON.stringify([outputs.check.length, outputs.check.slice(-9)])";
  await sandbox.write({
    ".atomic/tools/lint.ts": LINT,
    ".atomic/workflows/check.ts": workflow.replace("({ outputs }) => outputs.check", summary),
  });
  const { exitCode, stdout } = await sandbox.atomic("run", "check", "--trust");
  const whole = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}`).join("\n");
  expect(exitCode).toBe(0);
  expect(stdout).toEndWith(`\n\n${JSON.stringify([whole.length, "line 5000"])}\n`);
});

test("a tool that blocks for longer than its time limit has timed out", async () => {
  await sandbox.write({
    ".atomic/tools/busy.ts": `export default { description: "d", timeoutMs: 20, execute() {
      for (const end = Date.now() + 60; Date.now() < end; );
      return "late";
    } };`,
  });
  const { exitCode, stdout, stderr } = await sandbox.atomic("tools", "run", "busy", "--trust");
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toContain("longer than its 20 ms.");
  expect(stderr).toContain("(TOOL_TIMEOUT)");
});

describe("a call that goes wrong says what to do:", () => {
  test.each([
    {
      title: "an unknown name",
      args: ["tools", "show", "lnt"],
      expected: ['There is no tool "lnt".', 'Did you mean "lint"?', "Known tools: lint, lint_many."],
    },
    {
      title: "arguments that do not match",
      args: ["tools", "run", "lint", "--args", "{}"],
      expected: [
        'The arguments of the tool "lint" are invalid:',
        "- path: Invalid input: expected string, received undefined",
        "See what it takes: atomic tools show lint",
      ],
    },
    {
      title: "an argument that the tool does not have",
      args: ["tools", "run", "lint", "--args", '{"path":"a","fxi":true}'],
      expected: ['The arguments of the tool "lint" are invalid:', '- Unknown argument "fxi". Did you mean "fix"?'],
    },
    {
      title: "arguments that are not JSON",
      args: ["tools", "run", "lint", "--args", "{path}"],
      expected: [
        "The arguments of --args are not JSON:",
        `For example: atomic tools run lint --args '{"name": "value"}'`,
      ],
    },
    {
      title: "arguments that are no object",
      args: ["tools", "run", "lint", "--args", "[1]"],
      expected: ["The arguments of --args must be a JSON object."],
    },
  ])("$title", async ({ args, expected }) => {
    await sandbox.write({ ".atomic/tools/lint.ts": LINT });
    await sandbox.atomic("tools", "list", "--trust");
    const { exitCode, stdout, stderr } = await sandbox.atomic(...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    for (const text of expected) expect(stderr).toContain(text);
  });

  test("a tool that fails, with the line", async () => {
    await sandbox.write({
      ".atomic/tools/fails.ts":
        'export default {\n  description: "d",\n  execute() {\n    throw new Error("no linter.");\n  },\n};',
    });
    const { exitCode, stdout, stderr } = await sandbox.atomic("tools", "run", "fails", "--trust");
    const file = join(sandbox.project, ".atomic/tools/fails.ts");
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `Trusted ${sandbox.project}.\nerror: The tool "fails" failed: no linter.\n       Its code is in ${file}:4:15.\n       (TOOL_FAILED)\n`,
    });
  });

  test("a broken file does not affect the others", async () => {
    await sandbox.write({ ".atomic/tools/lint.ts": LINT, ".atomic/tools/exits.ts": "process.exit(7);" });
    const { exitCode, stdout, stderr } = await sandbox.atomic("tools", "list", "--trust");
    expect({ exitCode, names: stdout.match(/^lint\w*/gm) }).toEqual({ exitCode: 0, names: ["lint", "lint_many"] });
    expect(stderr).toBe(
      `Trusted ${sandbox.project}.\nerror: ${sandbox.project}/.atomic/tools/exits.ts:1:9: Loading it threw process.exit(7) was called, which would end Atomic itself. Return, or throw an error, instead. Correct the file; code outside its functions runs whenever Atomic loads the file.\n`,
    );
  });
});

describe("a tool of a broken file", () => {
  const BAD = 'export default { description: "d", exectue: () => "hello" };';

  test("is reported with what is wrong with the file, by the command and by a node", async () => {
    await sandbox.write({
      ".atomic/tools/lint.ts": BAD,
      ".atomic/tools/other.ts": "throw 1;",
      ".atomic/workflows/check.ts": WORKFLOW,
    });
    const says = `${sandbox.project}/.atomic/tools/lint.ts:1:1: The default export has the unknown option "exectue". Did you mean "execute"?`;
    const run = await sandbox.atomic("tools", "run", "lint", "--trust");
    expect({ exitCode: run.exitCode, stdout: run.stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(run.stderr).toStartWith(
      `Trusted ${sandbox.project}.\nerror: The tool "lint" cannot be loaded.\n       ${says}`,
    );
    expect(run.stderr).not.toContain("other.ts");
    const node = await sandbox.atomic("run", "check", "a.ts", "--trust");
    expect(node.exitCode).toBe(2);
    const text = node.stderr.replace(/\s+/g, " ");
    expect(text).toContain('The tool "Lint" cannot be loaded.');
    expect(text).toContain(says);
  });

  test("is not mentioned by a call of another tool", async () => {
    await sandbox.write({ ".atomic/tools/lint.ts": LINT, ".atomic/tools/bad.ts": BAD });
    await sandbox.atomic("trust", "add");
    for (const args of [
      ["tools", "show", "lint"],
      ["tools", "run", "lint", "--args", '{"path":"a"}'],
    ]) {
      expect(await sandbox.atomic(...args, "--trust")).toMatchObject({ exitCode: 0, stderr: "" });
    }
  });

  test("is checked again when its file has changed", async () => {
    await sandbox.write({ ".atomic/tools/lint.ts": BAD });
    expect((await sandbox.atomic("tools", "run", "lint", "--trust")).exitCode).toBe(2);
    await sandbox.write({ ".atomic/tools/lint.ts": BAD.replace("exectue", "execute") });
    expect(await sandbox.atomic("tools", "run", "lint")).toMatchObject({ exitCode: 0, stdout: "hello\n" });
  });
});

describe("in an untrusted project no tool file is imported:", () => {
  const planted = { ".atomic/tools/lint.ts": 'await Bun.write("marker", "");\nexport default {};' };

  test.each([
    { args: ["tools", "list"], code: 0, says: "note: 1 tool file of this project was not loaded" },
    { args: ["tools", "show", "lint"], code: 2, says: "call again with --trust" },
    { args: ["tools", "run", "lint"], code: 2, says: "Its tool files run code on your machine" },
    { args: ["-p", "hello", "--agent", "scripted"], code: 0, says: "" },
  ])("$args", async ({ args, code, says }) => {
    await sandbox.write(planted);
    const { exitCode, stderr } = await sandbox.atomic(...args);
    expect(exitCode).toBe(code);
    expect(stderr).toContain(says);
    expect(await readdir(sandbox.project)).toEqual([".atomic"]);
  });
});

test("a run in an untrusted project says that the tool may be the project's", async () => {
  await sandbox.write({ ".atomic/tools/lint.ts": LINT });
  await mkdir(join(sandbox.atomicHome, "workflows"));
  await writeFile(join(sandbox.atomicHome, "workflows/check.ts"), WORKFLOW);
  const { exitCode, stderr } = await sandbox.atomic("run", "check", "a.ts");
  expect(exitCode).toBe(2);
  expect(stderr.replace(/\s+/g, " ")).toContain(
    'The tool "Lint" may be one of this project\'s own, and you have not trusted the project yet.',
  );
  expect(stderr).toContain(join(sandbox.project, ".atomic/tools/lint.ts"));
});

test("a plan knows the tools of files", async () => {
  await sandbox.write({ ".atomic/tools/lint.ts": LINT, ".atomic/workflows/check.ts": WORKFLOW });
  const { exitCode, stdout } = await sandbox.atomic("run", "check", "a.ts", "--plan", "--trust");
  expect(exitCode).toBe(0);
  expect(stdout).toContain("check: tool, not executed");
});

test("a call that needs no tool does not import the files of tools", async () => {
  await sandbox.write({ ".atomic/tools/lint.ts": 'await Bun.write("marker", "");\nexport default {};' });
  for (const args of [["--version"], ["-p", "hello", "--agent", "scripted", "--trust"], ["agents", "list"]]) {
    expect((await sandbox.atomic(...args)).exitCode).toBe(0);
  }
  expect(await readdir(sandbox.project)).toEqual([".atomic"]);
});
