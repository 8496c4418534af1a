import { afterAll, expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { AcpTerminals } from "./acp-terminals.ts";

const terminals = new AcpTerminals("odd");
afterAll(() => terminals.releaseAll());

/** A command's final output, and how long it took. */
async function runToEnd(command: string, outputByteLimit?: number) {
  const startedAt = performance.now();
  const id = terminals.create({
    command,
    args: [],
    workingDirectory: tmpdir(),
    env: { PATH: process.env.PATH ?? "" },
    ...(outputByteLimit === undefined ? {} : { outputByteLimit }),
  });
  await terminals.waitForExit(id);
  return { ...terminals.output(id), tookMs: performance.now() - startedAt };
}

test("a command has ended even if a process in another session still holds its output open", async () => {
  const { tookMs, output = "", ...rest } = await runToEnd("setsid sleep 12 & sleep 0.2; echo $!");
  process.kill(Number(output), "SIGKILL");
  expect(rest).toEqual({ truncated: false, exitStatus: { exitCode: 0, signal: null } });
  expect(tookMs).toBeLessThan(9_000);
}, 20_000);

test.each([
  { title: "fits", limit: 6, kept: "1\n2\n3\n", truncated: false },
  { title: "is a little too long", limit: 5, kept: "\n2\n3\n", truncated: true },
  { title: "is much too long", limit: 2, kept: "3\n", truncated: true },
  { title: "has a limit of 0", limit: 0, kept: "", truncated: true },
])("the end of an output that $title is kept", async ({ limit, kept, truncated }) => {
  const { output, truncated: isTruncated } = await runToEnd("for n in 1 2 3; do echo $n; sleep 0.02; done", limit);
  expect([output, isTruncated]).toEqual([kept, truncated]);
});

test("an output in many pieces keeps its last megabyte", async () => {
  const { output = "", truncated } = await runToEnd("yes 0123456789 | head -c 4000000; echo end");
  expect([output.length, output.slice(-6), truncated]).toEqual([1024 * 1024, "23end\n", true]);
});
