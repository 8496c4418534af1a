import { afterAll, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { isAlive, pidsIn, waitForEnd } from "../../fixtures/processes.ts";
import { rejectionOf } from "../../fixtures/test-nodes.ts";
import { runCommand } from "../../model/run-command.ts";

const folder = await realpath(await mkdtemp(join(tmpdir(), "atomic-command-")));
const never = new AbortController().signal;
const SCRIPT = join(import.meta.dirname, "../../fixtures/command-process.ts");

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Writes the process ids of a shell, a child and a grandchild to a file, then runs for a long time. */
function family(path: string, prefix = ""): string {
  return `${prefix} echo $$ >>${path}; sh -c '${prefix} echo $$ >>${path}; sleep 300 & echo $! >>${path}; wait' & wait`;
}

describe("runCommand", () => {
  test("returns the exit code and both outputs", async () => {
    const command = "echo out; echo err >&2; exit 3";
    const { durationMs, ...result } = await runCommand(command, { signal: never });
    expect(result).toEqual({ command, exitCode: 3, stdout: "out\n", stderr: "err\n", isTruncated: false });
    expect(durationMs).toBeGreaterThanOrEqual(0);
  });

  test.each([
    { title: "0 when all went well", command: "true", exitCode: 0 },
    { title: "127 when there is no such command", command: "no-such-command-here 2>/dev/null", exitCode: 127 },
    { title: "143 when SIGTERM ended it", command: "kill -TERM $$", exitCode: 143 },
    { title: "137 when SIGKILL ended it", command: "kill -KILL $$", exitCode: 137 },
  ])("reports exit code $title", async ({ command, exitCode }) => {
    expect((await runCommand(command, { signal: never })).exitCode).toBe(exitCode);
  });

  test("runs in the given directory, with an empty standard input", async () => {
    const { stdout } = await runCommand("pwd; cat; echo end", { signal: never, workingDirectory: folder });
    expect(stdout).toBe(`${folder}\nend\n`);
  });

  test("has the given environment, and nothing else", async () => {
    const env = { PATH: process.env.PATH ?? "", NAME: "Ada" };
    const { stdout } = await runCommand('echo "$NAME ${HOME-none}"', { signal: new AbortController().signal, env });
    expect(stdout).toBe("Ada none\n");
  });

  test("has what is added to the environment, whatever it contains", async () => {
    const options = { signal: new AbortController().signal, extraEnv: { PORT: "4000", NOTE: "a 'b' $(c)=d" } };
    const { stdout } = await runCommand('echo "$PORT $NOTE"; test -n "$PATH"', options);
    expect(stdout).toBe("4000 a 'b' $(c)=d\n");
  });

  test("keeps only the end of long outputs", async () => {
    const options = { signal: never, maxOutputLength: 12 };
    const long = await runCommand("seq 1 100000; echo short >&2", options);
    expect(long).toMatchObject({ stdout: "99999\n100000\n".slice(-12), stderr: "short\n", isTruncated: true });
    const exact = await runCommand("printf 123456789012; printf 1234567890123 >&2", options);
    expect(exact).toMatchObject({ stdout: "123456789012", stderr: "234567890123", isTruncated: true });
    expect(await runCommand("printf 123456789012", options)).toMatchObject({
      stdout: "123456789012",
      isTruncated: false,
    });
  });

  test("keeps characters whole that arrive in pieces", async () => {
    const { stdout } = await runCommand("printf '\\303'; sleep 0.05; printf '\\244'", { signal: never });
    expect(stdout).toBe("ä");
  });

  test("keeps 64 KiB of each output by default", async () => {
    const { stdout, isTruncated } = await runCommand("head -c 70000 /dev/zero | tr '\\0' x", { signal: never });
    expect({ length: stdout.length, isTruncated }).toEqual({ length: 65_536, isTruncated: true });
  });

  test("rejects when it cannot start", async () => {
    const error = await rejectionOf(runCommand("true", { signal: never, workingDirectory: join(folder, "missing") }));
    expect(error).toMatchObject({ code: "ENOENT" });
  });

  test("starts nothing when it is already aborted", async () => {
    const path = join(folder, "never");
    const reason = new Error("enough");
    expect(await rejectionOf(runCommand(`echo 1 >${path}`, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(await Bun.file(path).exists()).toBe(false);
  });
});

describe("nothing is left of a command", () => {
  test("when it ends and has started a background process", async () => {
    const { stdout, durationMs } = await runCommand("sleep 300 & echo $!", { signal: never });
    expect(stdout).toMatch(/^\d+\n$/);
    expect(durationMs).toBeLessThan(5_000);
    await waitForEnd([Number(stdout)]);
  });

  test("when it is aborted, grandchildren included", async () => {
    const path = join(folder, "aborted");
    const stop = new AbortController();
    const rejected = rejectionOf(runCommand(family(path), { signal: stop.signal }));
    const pids = await pidsIn(path, 3);
    expect(await Promise.all(pids.map(isAlive))).toEqual([true, true, true]);
    const reason = new Error("enough");
    stop.abort(reason);
    expect(await rejected).toBe(reason);
    await waitForEnd(pids);
  });

  test("when it is aborted and ignores SIGTERM", async () => {
    const path = join(folder, "deaf");
    const stop = new AbortController();
    const command = family(path, 'trap "" TERM; exec >/dev/null 2>&1;');
    const rejected = rejectionOf(runCommand(command, { signal: stop.signal }));
    const pids = await pidsIn(path, 3);
    stop.abort(new Error("enough"));
    expect(await rejected).toEqual(new Error("enough"));
    await waitForEnd(pids);
  });

  test("when it is aborted while a daemon of its own group holds its outputs", async () => {
    const path = join(folder, "daemon");
    const stop = new AbortController();
    const command = `setsid sh -c 'echo $$ >>${path}; exec sleep 300' & until [ -s ${path} ]; do sleep 0.01; done; echo $$ >>${path}`;
    const rejected = rejectionOf(runCommand(command, { signal: stop.signal }));
    const [daemon = 0, shell = 0] = await pidsIn(path, 2);
    await waitForEnd([shell]);
    stop.abort(new Error("enough"));
    expect(await rejected).toEqual(new Error("enough"));
    process.kill(daemon, "SIGKILL");
  });

  test("when the process that runs it is killed", async () => {
    const path = join(folder, "orphans");
    const parent = spawn(process.execPath, [SCRIPT, family(path)], { stdio: "ignore" });
    const pids = await pidsIn(path, 3);
    expect(await Promise.all(pids.map(isAlive))).toEqual([true, true, true]);
    parent.kill("SIGKILL");
    await once(parent, "exit");
    await waitForEnd(pids);
  });
});

test("runCommand ends on Node, too", async () => {
  const { outputs } = await Bun.build({ entrypoints: [SCRIPT], target: "node", format: "esm" });
  const bundle = join(folder, "command-process.mjs");
  await writeFile(bundle, (await outputs[0]?.text()) ?? "");
  const child = spawn("node", [bundle, "sleep 300 & echo out; exit 3"], { stdio: ["ignore", "pipe", "inherit"] });
  const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
  expect(await text(child.stdout)).toBe('{"exitCode":3,"stdout":"out\\n"}');
  clearTimeout(timer);
});
