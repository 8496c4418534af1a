import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rejectionOf } from "../../testkit/conformance/rejection-of.ts";
import type { TelemetryEvent } from "../telemetry-event.ts";
import { JsonlSink, readLocalEvents } from "./jsonl-sink.ts";

let root: string;
let folder: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "atomic-telemetry-"));
  folder = join(root, "telemetry");
});
afterEach(() => rm(root, { recursive: true }));

function event(eventId: string): TelemetryEvent {
  const timestamp = new Date("2026-11-28T10:00:00Z");
  return { eventId, timestamp, eventType: "ui.chat.opened", properties: { agentType: "claude" } };
}

const at = (text: string) => () => new Date(text);

test("appends a line per event to the file of the day, which only its owner can read", async () => {
  const sink = new JsonlSink({ folder, now: at("2026-11-28T23:59:59Z") });
  await sink.write([event("a"), event("b")]);
  await sink.write([event("c")]);
  const path = join(folder, "telemetry-2026-11-28.jsonl");
  const line = (id: string): string =>
    `{"eventId":"${id}","timestamp":"2026-11-28T10:00:00.000Z","eventType":"ui.chat.opened","properties":{"agentType":"claude"}}\n`;
  expect(await readFile(path, "utf8")).toBe(line("a") + line("b") + line("c"));
  expect([(await stat(path)).mode & 0o777, (await stat(folder)).mode & 0o777]).toEqual([0o600, 0o700]);
});

test("keeps at most two files a day, each within the limit", async () => {
  const sink = new JsonlSink({ folder, maxBytes: 300, now: at("2026-11-28T10:00:00Z") });
  for (const id of ["1", "2", "3", "4", "5", "6", "7"]) await sink.write([event(id)]);
  expect((await readdir(folder)).sort()).toEqual(["telemetry-2026-11-28.1.jsonl", "telemetry-2026-11-28.jsonl"]);
  for (const name of await readdir(folder)) expect((await stat(join(folder, name))).size).toBeLessThanOrEqual(300);
  const ids = (await readLocalEvents(folder, { count: 10 })).lines.map((line) => JSON.parse(line).eventId);
  expect(ids).toEqual(["5", "6", "7"]);
});

test("deletes the files of earlier days, and no other files", async () => {
  await new JsonlSink({ folder, now: at("2026-11-01T10:00:00Z") }).write([event("a")]);
  await new JsonlSink({ folder, now: at("2026-11-15T10:00:00Z") }).write([event("b")]);
  await writeFile(join(folder, "consent.json"), "{}");
  await writeFile(join(folder, "telemetry-notes.jsonl"), "mine");
  await new JsonlSink({ folder, now: at("2026-11-28T10:00:00Z") }).write([event("c")]);
  expect((await readdir(folder)).sort()).toEqual([
    "consent.json",
    "telemetry-2026-11-15.jsonl",
    "telemetry-2026-11-28.jsonl",
    "telemetry-notes.jsonl",
  ]);
});

test("reads the last events of several days, oldest first", async () => {
  expect(await readLocalEvents(folder, { count: 3 })).toEqual({ lines: [], isCut: false });
  await new JsonlSink({ folder, now: at("2026-11-27T10:00:00Z") }).write([event("a"), event("b")]);
  await new JsonlSink({ folder, now: at("2026-11-28T10:00:00Z") }).write([event("c")]);
  const ids = (await readLocalEvents(folder, { count: 2 })).lines.map((line) => JSON.parse(line).eventId);
  expect(ids).toEqual(["b", "c"]);
});

test("reads a huge file from its end, and says what it left out", async () => {
  await mkdir(folder);
  const path = join(folder, "telemetry-2026-11-28.jsonl");
  await writeFile(path, '{"eventId":"first"}\n');
  // Without taking its space on the disk.
  await truncate(path, 5_000_000_000);
  await appendFile(path, '\n{"eventId":"äa"}\n{"eventId":"b"}\n');
  expect(await readLocalEvents(folder, { count: 2 })).toEqual({
    lines: ['{"eventId":"äa"}', '{"eventId":"b"}'],
    isCut: false,
  });
  const { lines, isCut } = await readLocalEvents(folder, { count: 3, maxBytes: 3_000_000 });
  expect([lines, isCut]).toEqual([['{"eventId":"äa"}', '{"eventId":"b"}'], true]);
});

test("a pipe in place of a file is an error for readers and writers, which do not wait for it", async () => {
  await mkdir(folder);
  const path = join(folder, "telemetry-2026-11-28.jsonl");
  execFileSync("mkfifo", [path]);
  const message = `${path} is not a regular file. Replace it with a file of text, or remove it.`;
  expect(String(await rejectionOf(readLocalEvents(folder, { count: 1 })))).toContain(message);
  const writing = new JsonlSink({ folder, now: at("2026-11-28T10:00:00Z") }).write([event("a")]);
  expect(await rejectionOf(writing)).toBeInstanceOf(Error);
});
