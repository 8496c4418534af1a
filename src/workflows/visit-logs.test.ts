import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NO_USAGE, type RunEvent } from "../contracts/index.ts";
import { RunLog, readRunLog } from "./run-log.ts";
import { VisitLogs } from "./visit-logs.ts";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-visits-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function eventsOf(taskId: string) {
  const about = { runId: "r", at: 0, nodeId: "work", taskId } as const;
  return {
    start: (attempt = 1): RunEvent => ({ ...about, type: "node-start", nodeType: "tool", name: "Work", attempt }),
    say: (message: string): RunEvent => ({ ...about, type: "log", message }),
    fail: (attempt: number, more: { readonly retryAt?: number } = {}): RunEvent => ({
      ...about,
      type: "node-error",
      attempt,
      error: { code: "X", message: "It broke" },
      ...more,
    }),
    end: (more: { readonly next?: readonly string[]; readonly isPassed?: boolean } = {}): RunEvent => ({
      ...about,
      type: "node-end",
      durationMs: 1,
      usage: NO_USAGE,
      ...more,
    }),
    event: (type: "command-end" | "denied" | "node-dropped"): RunEvent =>
      type === "node-dropped"
        ? { ...about, type }
        : type === "command-end"
          ? { ...about, type, command: "npm test", exitCode: 1, durationMs: 3, output: "1 failed\n" }
          : {
              ...about,
              type: "agent",
              event: {
                type: "permission-denied",
                sessionId: "s",
                at: 0,
                denied: { toolName: "Bash", kind: "shell", title: "npm publish", reason: "A rule denies it." },
              },
            },
  };
}

const TIME = "1970-01-01T00:00:00.000Z";

test("a visit's file has what it printed, its attempts and what the run decided; the run's log has the same", async () => {
  const log = new RunLog(folder);
  const { start, say, fail, end, event } = eventsOf("work#2");
  const events = [
    start(),
    say("one\ntwo"),
    event("command-end"),
    fail(1, { retryAt: 5_000 }),
    start(2),
    event("denied"),
  ];
  for (const each of [...events, end({ next: ["review", "test"], isPassed: false })]) log.add(each);
  log.close();
  expect(await readFile(join(folder, "work.2.log"), "utf8")).toBe(
    [
      "# Work (tool), visit work#2 of run r",
      `${TIME}  one`,
      `${TIME}  two`,
      `${TIME}  $ npm test  exit code 1, 3 ms`,
      `${TIME}  1 failed`,
      `${TIME}  Attempt 1 failed: It broke Attempt 2 starts at 1970-01-01T00:00:05.000Z.`,
      `${TIME}  Attempt 2 starts.`,
      `${TIME}  Denied: npm publish (A rule denies it.)`,
      `${TIME}  The check did not pass. Continues with: review, test`,
      `${TIME}  Done.`,
      "",
    ].join("\n"),
  );
  expect((await stat(join(folder, "work.2.log"))).mode & 0o777).toBe(0o600);
  expect((await readRunLog(folder)).map(({ message }) => message)).toEqual([
    "one\ntwo",
    "$ npm test  exit code 1, 3 ms\n1 failed",
    "Attempt 1 failed: It broke Attempt 2 starts at 1970-01-01T00:00:05.000Z.",
    "Attempt 2 starts.",
    "Denied: npm publish (A rule denies it.)",
    "The check did not pass. Continues with: review, test",
  ]);
});

test("a visit that says nothing has no file", async () => {
  const log = new RunLog(folder);
  const { start, end } = eventsOf("work");
  for (const event of [start(), end()]) log.add(event);
  log.close();
  expect(await readdir(folder)).toEqual([]);
});

test("no visit's name leads elsewhere, and no two share a file", async () => {
  const log = new VisitLogs(folder);
  const ids = [
    "a",
    "a#2",
    "A",
    "../../x",
    "../x",
    "map[0]/a",
    "map[1]/a",
    "run",
    ".",
    "x".repeat(300),
    `${"x".repeat(300)}#2`,
  ];
  for (const id of ids) log.add(eventsOf(id).say(id), id);
  log.close();
  const names = await readdir(folder);
  expect(names).toHaveLength(ids.length);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  expect(texts.toSorted()).toEqual(ids.map((id) => `${TIME}  ${id}\n`).toSorted());
  expect(names.every((name) => /^[\w-][\w.-]{0,115}$/.test(name))).toBe(true);
});

test("files and their number are bounded: the latest lines and visits are kept", async () => {
  const log = new VisitLogs(folder, { maxFileBytes: 400, maxFiles: 40 });
  const { start, say } = eventsOf("busy");
  log.add(start(), undefined);
  for (let count = 0; count < 100; count++) log.add(say(`line ${count}`), `line ${count}`);
  const text = await readFile(join(folder, "busy.log"), "utf8");
  expect(text.length).toBeLessThan(500);
  expect(text).toStartWith("# Work (tool), visit busy of run r\n(earlier lines: atomic runs show --log)\n");
  expect(text).toEndWith("line 99\n");
  for (let count = 1; count <= 50; count++) {
    const { say: sayIn, end } = eventsOf(`v#${count}`);
    log.add(sayIn("x"), "x");
    log.add(end(), undefined);
  }
  log.close();
  const names = await readdir(folder);
  const kept = Array.from({ length: 39 }, (_, index) => `v.${index + 12}.log`);
  expect(names.toSorted()).toEqual(["busy.log", ...kept].toSorted());
});

test("files of earlier processes are removed in the order of their last lines", async () => {
  for (const [name, at] of Object.entries({ "a.log": 10, "b.log": 40, "c.log": 20, "d.log": 50 })) {
    await writeFile(join(folder, name), "x\n");
    await utimes(join(folder, name), at, at);
  }
  const log = new VisitLogs(folder, { maxFiles: 4 });
  for (const id of ["e", "f"]) log.add(eventsOf(id).say("x"), "x");
  log.close();
  expect((await readdir(folder)).toSorted()).toEqual(["b.log", "d.log", "e.log", "f.log"]);
});

test("a file that is being written stays", async () => {
  const log = new VisitLogs(folder, { maxFiles: 1 });
  const first = eventsOf("first");
  const last = eventsOf("last");
  log.add(first.say("one"), "one");
  log.add(last.say("two"), "two");
  log.add(first.say("three"), "three");
  expect(await readFile(join(folder, "first.log"), "utf8")).toBe(`${TIME}  one\n${TIME}  three\n`);
  log.add(first.end(), undefined);
  log.add(eventsOf("next").say("four"), "four");
  log.close();
  expect((await readdir(folder)).toSorted()).toEqual(["last.log", "next.log"]);
});
