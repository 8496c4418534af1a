import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { appendFile, mkdir, mkdtemp, readFile, rm, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { NO_USAGE, type RunEvent } from "../../contracts/index.ts";
import { followEvents, readEvents } from "./read-events.ts";
import { recordEvents } from "./record-events.ts";

let folder = "";
let path = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-events-"));
  path = join(folder, "events.jsonl");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const BASE = { runId: "r", at: 7 } as const;
const START: RunEvent = { ...BASE, type: "run-start", workflow: "w", isResume: false };
const END: RunEvent = { ...BASE, type: "run-end", status: "completed", usage: NO_USAGE };
const nodeOf = (taskId: string) => ({ ...BASE, nodeId: "work", taskId });
const log = (message: string, taskId = "a"): RunEvent => ({ ...nodeOf(taskId), type: "log", message });

function text(text: string, { taskId = "a", type = "text-delta" as "text-delta" | "thinking-delta" } = {}): RunEvent {
  return { ...nodeOf(taskId), type: "agent", event: { type, sessionId: "s", at: 7, text } };
}

async function readAll(): Promise<readonly RunEvent[]> {
  return await Array.fromAsync(readEvents(path));
}

function write(events: readonly RunEvent[], options?: { readonly maxBytes: number }): void {
  const record = recordEvents(path, options);
  for (const event of events) record.add(event);
  record.close();
}

test("a record returns the events in their order, and only its owner may read it", async () => {
  const update = { count: 3n, names: new Set(["x"]) };
  const done: RunEvent = { ...nodeOf("a"), type: "node-end", durationMs: 1, usage: NO_USAGE, update };
  write([START, log("one\ntwo"), done, END]);
  expect(await readAll()).toEqual([START, log("one\ntwo"), { ...done, update: { count: "3", names: ["x"] } }, END]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("pieces of one text become one line, before the next event of the visit", async () => {
  const thought = text("Hm", { type: "thinking-delta" });
  const other = log("other", "b");
  write([thought, text("Hel"), other, text("lo"), log("one"), text("Bye"), END]);
  expect(await readAll()).toEqual([thought, other, text("Hello"), log("one"), text("Bye"), END]);
});

test("a text is written while the agent continues", async () => {
  const record = recordEvents(path);
  const stop = new AbortController();
  record.add(text("Hel"));
  record.add(text("lo"));
  for await (const event of followEvents(path, { signal: stop.signal })) {
    expect(event).toEqual(text("Hello"));
    break;
  }
  record.close();
});

test("a resumed run appends, and half a line of a killed process is skipped", async () => {
  write([START]);
  await appendFile(path, '{"type":"log","runId":"r","at":7,"mess');
  write([log("again"), END]);
  expect(await readAll()).toEqual([START, log("again"), END]);
});

test("lines that are no events of this version are skipped", async () => {
  const strange = ["", "null", "[]", '{"type":"log"}', '{"type":"new","runId":"r","at":7}', '{"type":"toString"}'];
  await writeFile(path, `${[...strange, JSON.stringify(END)].join("\n")}`);
  expect(await readAll()).toEqual([END]);
});

test("no file has no events", async () => {
  expect(await readAll()).toEqual([]);
});

test("a full record says so once, and keeps only the essential events", async () => {
  const maxBytes = 300;
  const long = log("x".repeat(400));
  write([START, long, log("lost"), text("lost"), END], { maxBytes });
  write([{ ...START, isResume: true }, log("lost")], { maxBytes });
  const message = `The record of the run's events is full (300 bytes): what agents say and do is not recorded from here on.`;
  const full: RunEvent = { ...BASE, type: "warning", message };
  expect(await readAll()).toEqual([START, long, full, END, { ...START, isResume: true }]);
});

test("a line is never longer than a megabyte", async () => {
  const update = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, "x".repeat(20_000)]));
  const done: RunEvent = { ...nodeOf("a"), type: "node-end", durationMs: 1, usage: NO_USAGE, update };
  const about = { sessionId: "s", at: 5 };
  const input = Array.from({ length: 100 }, () => "x".repeat(20_000));
  const call = { ...nodeOf("a"), type: "agent" } as const;
  const tool = { ...about, type: "tool-start", toolId: "t", toolName: "write", kind: "edit", input } as const;
  write([log("x".repeat(2_000_000)), done, { ...call, event: tool }]);
  const short = log(`${"x".repeat(16_384)}… (1983616 characters more)`);
  const { update: _long, ...rest } = done;
  const event = { ...about, type: "vendor", name: "tool-start", data: "too long to be recorded" } as const;
  expect(await readAll()).toEqual([short, rest, { ...call, event }]);
});

test("a record that cannot be written fails once", async () => {
  const record = recordEvents(folder);
  const path = folder;
  expect(() => record.add(START)).toThrow(
    `The events of the run are no longer recorded in ${path}: EISDIR: illegal operation on a directory, open '${path}'. "atomic runs watch" and reports do not show what happens from here on.`,
  );
  record.add(END);
  record.close();
});

test("a follower of a file that is not there yet gets every event, until its signal is aborted", async () => {
  const stop = new AbortController();
  const seen: RunEvent[] = [];
  let caughtUp = 0;
  const record = recordEvents(path);
  const following = (async () => {
    for await (const event of followEvents(path, { signal: stop.signal, onCaughtUp: () => caughtUp++ })) {
      seen.push(event);
      if (event.type === "run-start") record.add(log("ä".repeat(70_000)));
      else if (event.type === "log") stop.abort();
    }
  })();
  record.add(START);
  await following;
  record.close();
  expect(seen).toEqual([START, log("ä".repeat(70_000))]);
  expect(caughtUp).toBe(1);
  expect((await readFile(path, "utf8")).split("\n")).toHaveLength(3);
});

test.each([
  {
    title: "a link",
    problem: "it is a link",
    create: async (at: string) => {
      await writeFile(join(folder, "precious.txt"), `${JSON.stringify(START)}\n`);
      await symlink(join(folder, "precious.txt"), at);
    },
  },
  { title: "a pipe", problem: "it is not a file", create: (at: string) => promisify(execFile)("mkfifo", [at]) },
  { title: "a folder", problem: "it is not a file", create: (at: string) => mkdir(at) },
  {
    title: "a file larger than any record",
    problem: `it is too large (${2 ** 31} bytes)`,
    create: async (at: string) => {
      await writeFile(at, "");
      await truncate(at, 2 ** 31);
    },
  },
])("$title in the place of a record is not read", async ({ create, problem }) => {
  await create(path);
  const message = `The events of the run cannot be read from ${path}: ${problem}. Move it away: the run itself does not need it.`;
  await expect(readAll()).rejects.toThrow(message);
  const first = followEvents(path, { signal: new AbortController().signal }).next();
  await expect(first).rejects.toThrow(message);
});

test("events are not appended through a link, nor to a pipe", async () => {
  const precious = join(folder, "precious.txt");
  await writeFile(precious, "precious");
  await symlink(precious, path);
  expect(() => write([START])).toThrow(`The events of the run are no longer recorded in ${path}: it is a link.`);
  expect(await readFile(precious, "utf8")).toBe("precious");
  await rm(path);
  await promisify(execFile)("mkfifo", [path]);
  expect(() => write([START])).toThrow(`The events of the run are no longer recorded in ${path}: it is not a file.`);
});

test("a line that is too long for an event is skipped, and the next one is read", async () => {
  await writeFile(path, `${JSON.stringify(START)}\n${"x".repeat(17 * 1024 * 1024)}\n${JSON.stringify(END)}\n`);
  expect(await readAll()).toEqual([START, END]);
});

test("what is appended to a truncated record is read", async () => {
  write([START, log("one")]);
  const stop = new AbortController();
  const read: RunEvent[] = [];
  for await (const event of followEvents(path, { signal: stop.signal })) {
    read.push(event);
    if (read.length === 2) {
      await truncate(path);
      await appendFile(path, `${JSON.stringify(END)}\n`);
    }
    if (event.type === "run-end") break;
  }
  expect(read).toEqual([START, log("one"), END]);
});
