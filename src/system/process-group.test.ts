import { describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { Writable } from "node:stream";
import { processesWith } from "../clients/fixtures/running-processes.ts";
import { waitUntil } from "../testkit/conformance/wait-until.ts";
import { ProcessGroup, type ProcessGroupOptions, startProcessGroup } from "./process-group.ts";

const PATH = process.env.PATH ?? "";

interface StartedGroup {
  readonly group: ProcessGroup;
  /** Part of the environment of all processes of the group. */
  readonly marker: string;
  /** Its output so far. */
  printed(): string;
  /** Resolves when it has printed this. */
  hasPrinted(text: string): Promise<void>;
}

function startShell(script: string, options: Partial<ProcessGroupOptions> = {}): StartedGroup {
  const marker = `marker-${crypto.randomUUID()}`;
  const env = { PATH, MARKER: marker };
  const group = startProcessGroup(["sh", "-c", script], { env, workingDirectory: "/", graceMs: 10_000, ...options });
  let printed = "";
  group.leader.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    printed += chunk;
  });
  group.leader.stderr?.resume();
  const hasPrinted = (text: string) => waitUntil(() => printed.includes(text), `"${text}" is not printed`);
  return { group, marker, printed: () => printed, hasPrinted };
}

function write({ leader }: ProcessGroup, { descriptor, text }: { descriptor: number; text: string }): void {
  const pipe = leader.stdio[descriptor];
  if (pipe instanceof Writable) pipe.end(text);
}

describe.skipIf(process.platform !== "linux")("a process group", () => {
  test("that is stopped may clean up, and gets one signal however often it is stopped", async () => {
    const script = `trap 'echo asked' TERM; echo begun; until read -r line <&5; do :; done; echo "$line"`;
    const { group, marker, printed, hasPrinted } = startShell(script, { extraPipes: 1 });
    await hasPrinted("begun");
    const stopped = group.stop();
    await hasPrinted("asked");
    await Promise.all([stopped, group.stop(), write(group, { descriptor: 5, text: "over\n" })]);
    expect([printed(), processesWith(marker)]).toEqual(["begun\nasked\nover\n", []]);
    await group.stop();
  });

  test("that ignores SIGTERM is killed when its time is over", async () => {
    const script = "trap '' TERM; sleep 300 & echo begun; sleep 300; wait";
    const { group, marker, hasPrinted } = startShell(script, { graceMs: 50 });
    await hasPrinted("begun");
    expect(processesWith(marker).length).toBeGreaterThan(2);
    await group.stop();
    expect(processesWith(marker)).toEqual([]);
  });

  test("that is stopped ends what its command has started in other sessions, also if that ignores SIGTERM", async () => {
    const script = "setsid sh -c 'trap \"\" TERM; sleep 300; sleep 300' & setsid sleep 300 & echo begun; wait";
    const { group, marker, hasPrinted } = startShell(script, { graceMs: 200, endsDescendants: true });
    await hasPrinted("begun");
    await waitUntil(
      () => processesWith(marker).length > 5,
      () => `only ${processesWith(marker).join()}`,
    );
    await group.stop();
    expect(processesWith(marker)).toEqual([]);
  });

  test("whose command ends by itself leaves nothing running", async () => {
    const { group, marker } = startShell("sleep 300 & echo over");
    await group.ended;
    expect(processesWith(marker)).toEqual([]);
  });

  test("waits `leftoverGraceMs` for leftover processes of its command", async () => {
    const script = '(read -r line <&5; echo "$line") & echo over';
    const { group, marker, printed, hasPrinted } = startShell(script, { extraPipes: 1, leftoverGraceMs: 10_000 });
    group.leader.once("exit", () => write(group, { descriptor: 5, text: "late\n" }));
    await hasPrinted("late");
    await group.ended;
    expect([printed(), processesWith(marker)]).toEqual(["over\nlate\n", []]);
  });

  test("that cannot be started has ended", async () => {
    const group = startProcessGroup(["true"], { workingDirectory: "/no/such/folder", graceMs: 10_000 });
    await Promise.all([group.ended, group.stop()]);
    expect(group.leader.pid).toBeUndefined();
  });

  test("has the pipes it was started with, and an empty input otherwise", async () => {
    const { group, hasPrinted, printed } = startShell("cat; cat <&5; cat <&6", { extraPipes: 2 });
    write(group, { descriptor: 5, text: "one\n" });
    write(group, { descriptor: 6, text: "two\n" });
    await hasPrinted("two");
    await group.ended;
    expect(printed()).toBe("one\ntwo\n");
  });
});

test.skipIf(process.platform === "win32")("a group that has ended gets no signal any more", async () => {
  const leader = spawn("sh", ["-c", "exit 0"], { detached: true, stdio: ["ignore", "pipe", "pipe", "pipe"] });
  leader.stdout?.resume();
  leader.stderr?.resume();
  const group = new ProcessGroup(leader, { graceMs: 10_000 });
  await group.ended;
  // As if another program had got the number: this one leads a group, too.
  const stranger = spawn("sleep", ["300"], { detached: true, stdio: "ignore" });
  Object.defineProperty(leader, "pid", { value: stranger.pid });
  await group.stop();
  stranger.kill("SIGUSR1");
  const [, signal] = await once(stranger, "exit");
  expect(signal).toBe("SIGUSR1");
});
