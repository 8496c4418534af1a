import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkflowFile } from "../../discovery/index.ts";
import { Sandbox } from "../e2e/fixtures/sandbox.ts";
import { checkInChild } from "./check-in-child.ts";
import type { CheckedKind, CheckResults } from "./check-request.ts";

let folder: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "atomic-check-")));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function check<Kind extends CheckedKind>(
  kind: Kind,
  code: string,
): Promise<{ readonly file: WorkflowFile; readonly result: CheckResults[Kind] }> {
  const path = join(folder, "file.ts");
  await writeFile(path, code);
  const file: WorkflowFile = { path, realPath: path, source: "local" };
  const env = { PATH: process.env.PATH, HOME: folder };
  const result = await checkInChild(file, { kind, env, workingDirectory: folder, importTimeoutMs: 10_000 });
  return { file, result };
}

/** Code that has the check send a text in place of its result. */
function sends(text: string): string {
  return `JSON.stringify = () => ${JSON.stringify(text)};`;
}

describe("a file that changes the result of its check", () => {
  test.each(["{nojson", '{"tools":5,"problems":[]}'])("has no result: %s", async (text) => {
    const { file, result } = await check("tools", sends(text));
    const message = "Loading it ended its process (exit code 0).";
    const remedy = "Correct the file: its code runs whenever it is loaded.";
    expect(result).toEqual({ problems: [{ path: file.path, message, remedy, severity: "error" }] });
  });

  test("cannot report another file's problems or tools", async () => {
    const problem = { path: "/other.ts", line: 2, message: "Wrong.", remedy: "Correct it.", severity: "warning" };
    const tools = [{ name: "other", source: "global", filePath: "/other.ts" }];
    const { file, result } = await check("tools", sends(JSON.stringify({ tools, problems: [problem] })));
    expect(result as unknown).toEqual({
      tools: [{ name: "other", source: "local", filePath: file.path }],
      problems: [{ ...problem, path: file.path }],
    });
  });
});

test("the code of a file does not find the request", async () => {
  const { result } = await check(
    "tools",
    `import { readFileSync } from "node:fs";
    throw new Error(JSON.stringify({ last: process.argv.at(-1)?.split("/").at(-1), input: readFileSync(0, "utf8") }));`,
  );
  expect(result.problems.map(({ message }) => message)).toEqual([
    'Loading it threw Error: {"last":"check-program.ts","input":""}',
  ]);
});

test("a process that cannot be started is a problem", async () => {
  const path = join(folder, "file.ts");
  await writeFile(path, "");
  const { problems } = await checkInChild(
    { path, realPath: path, source: "local" },
    {
      kind: "tools",
      env: { PATH: process.env.PATH, LARGE: "x".repeat(10_000_000) },
      workingDirectory: folder,
      importTimeoutMs: 10_000,
    },
  );
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^Loading it ended its process \(it cannot be started: .*E2BIG.*\)\.$/),
  ]);
});

test("a person who calls the program gets one line, and nothing is executed", async () => {
  const sandbox = await Sandbox.create();
  try {
    await sandbox.write({ "file.ts": 'console.log("executed");' });
    const path = join(sandbox.project, "file.ts");
    const file = { path, realPath: path, source: "local" };
    const request = { kind: "tools", file, workingDirectory: sandbox.project, importTimeoutMs: 1_000, token: "t" };
    for (const args of [[], ["file.ts"], [JSON.stringify(request)]]) {
      const { exitCode, stdout, stderr } = await sandbox.atomic("--check-file", ...args);
      expect({ exitCode, stdout, stderr }).toEqual({
        exitCode: 2,
        stdout: "",
        stderr: "error: only Atomic itself can use --check-file (see: atomic --help)\n",
      });
    }
  } finally {
    await sandbox.remove();
  }
});
