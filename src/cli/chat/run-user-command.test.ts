import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createRedactor, type PermissionPolicy } from "../../contracts/index.ts";
import { runUserCommand } from "./run-user-command.ts";

let folder: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "atomic-user-command-")));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface TestRun {
  readonly permissions?: PermissionPolicy;
  readonly signal?: AbortSignal;
  readonly onOutput?: (text: string) => void;
}

async function run(command: string, options: TestRun = {}) {
  const { permissions = { rules: [], otherwise: "allow" } } = options;
  let output = "";
  const exitCode = await runUserCommand(
    command,
    {
      signal: options.signal ?? new AbortController().signal,
      onOutput: (text) => {
        output += text;
        options.onOutput?.(text);
      },
    },
    {
      workingDirectory: folder,
      env: { PATH: process.env.PATH ?? "", OWN: "own" },
      permissions,
      redactor: createRedactor({ secrets: [{ name: "TOKEN", value: "tok-1234567890" }] }),
    },
  );
  return { exitCode, output };
}

test("a command runs in the working directory, with the environment and its own exit code", async () => {
  expect(await run("pwd; echo $OWN; printf end; exit 3")).toEqual({
    exitCode: 3,
    output: `${folder}\nown\nend`,
  });
});

test("secrets do not reach the conversation, also when they arrive in two pieces", async () => {
  expect(await run("printf 'a tok-1234'; printf '567890 b\\n'")).toEqual({
    exitCode: 0,
    output: "a [redacted:TOKEN] b\n",
  });
});

test("a command that requires approval runs: the user typed it", async () => {
  expect(await run("echo hi", { permissions: { rules: [], otherwise: "ask" } })).toEqual({
    exitCode: 0,
    output: "hi\n",
  });
});

test("a denied command does not run, and the reason names the rule", async () => {
  const permissions: PermissionPolicy = { rules: [{ effect: "deny", tools: ["shell"], commands: ["echo *"] }] };
  await expect(run("echo hi", { permissions })).rejects.toThrow(
    'The command did not run: Rule 1 denies it: the command "echo hi" matches "echo *".',
  );
});

test("an abort ends the command and what it started", async () => {
  const controller = new AbortController();
  const running = run("sleep 100 & echo $!; wait", {
    signal: controller.signal,
    onOutput: () => controller.abort(new Error("stopped")),
  });
  await expect(running).rejects.toThrow("stopped");
});
