import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Sandbox } from "./fixtures/sandbox.ts";

let sandbox: Sandbox;

const QUIET = `import { graph, toolNode } from "@bastani/atomic/graph";
export default () => graph().start(toolNode({ id: "work", execute: () => 1 })).end().compile();
`;

beforeAll(async () => {
  sandbox = await Sandbox.create();
  await sandbox.write({ ".atomic/workflows/quiet.ts": QUIET });
  await sandbox.atomic("trust", "add");
});

afterAll(async () => {
  await sandbox.remove();
});

/** What a shell's command line writes to its standard error, and its exit code. */
async function shell(line: string): Promise<{ readonly exitCode: number; readonly stderr: string }> {
  const child = Bun.spawn(["/bin/sh", "-c", line], {
    cwd: sandbox.project,
    env: { ...sandbox.env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const stderr = await new Response(child.stderr).text();
  return { exitCode: await child.exited, stderr };
}

const OUTPUT_FAILED = `error: Standard output cannot be written: ENOSPC: no space left on device, write.
       Lead it to a place that has room.
       (OUTPUT_FAILED)
`;

test.each(["--help", "runs list", "workflows list --json", "run quiet --json"])(
  "a full standard output is reported in words: %s",
  async (args) => {
    expect(await shell(`atomic ${args} >/dev/full`)).toEqual({ exitCode: 1, stderr: OUTPUT_FAILED });
  },
);

test("a full standard output is reported in words by the plain chat, too", async () => {
  expect(await shell("echo hello | atomic --plain --agent scripted >/dev/full")).toEqual({
    exitCode: 1,
    stderr: OUTPUT_FAILED,
  });
});

test("standard error without room stops nothing", async () => {
  expect(await shell("atomic run quiet 2>/dev/full")).toEqual({ exitCode: 0, stderr: "" });
});

test("a reader that leaves is no failure", async () => {
  expect(await shell("atomic run quiet --json | head -c 1")).toEqual({ exitCode: 0, stderr: "" });
});

test.each(["runs list", "run quiet", "trust add", "-p hello --agent scripted"])(
  "an ATOMIC_HOME that is a file is reported in words: %s",
  async (line) => {
    const home = join(sandbox.root, "a-file");
    await writeFile(home, "");
    const { exitCode, stdout, stderr } = await sandbox.start(line.split(" "), { ATOMIC_HOME: home }).ended;
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `error: Atomic cannot use its folder "${home}": it is no folder.
       Make it a folder that you may write to, or set ATOMIC_HOME to another one.
       (HOME_UNUSABLE)
`,
    });
  },
);

test.if(process.platform === "linux")("an unwritable home is reported in words, without a stack", async () => {
  const { exitCode, stdout, stderr } = await sandbox.start(["trust", "add"], { ATOMIC_HOME: "/proc/atomic" }).ended;
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: `error: The list of trusted projects, /proc/atomic/trusted-projects.json, cannot be written: ENOENT: no such file or directory, mkdir '/proc/atomic'.
       Make its folder writable, or set ATOMIC_HOME to another one.
       (TRUST_NOT_SAVED)
`,
  });
});
