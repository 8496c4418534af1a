import { afterEach, beforeEach, expect, test } from "bun:test";
import { appendFile, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRedactor } from "../../contracts/index.ts";
import { createMessageHistory } from "./message-history.ts";

let atomicHome: string;
const redactor = createRedactor({ secrets: [{ name: "TOKEN", value: "tok-1234567890" }] });

beforeEach(async () => {
  atomicHome = await mkdtemp(join(tmpdir(), "atomic-history-"));
});
afterEach(() => rm(atomicHome, { recursive: true, force: true }));

const open = () => createMessageHistory({ atomicHome, redactor, clock: () => 5 });
const path = () => join(atomicHome, "chat", "history.jsonl");

test("messages come back oldest first, with several lines and without secrets", async () => {
  expect(await open().load()).toEqual([]);
  for (const message of ["one\ntwo", " ", "use tok-1234567890", "x".repeat(20_001)]) await open().append(message);
  expect(await open().load()).toEqual(["one\ntwo", "use [redacted:TOKEN]", "x".repeat(20_000)]);
  expect(((await stat(path())).mode & 0o777).toString(8)).toBe("600");
});

test("chats that append at the same time lose no message", async () => {
  const messages = Array.from({ length: 12 }, (_, index) => `message ${index}`);
  await Promise.all(messages.map((message) => open().append(message)));
  expect((await open().load()).toSorted()).toEqual(messages.toSorted());
});

test("a broken line is left out", async () => {
  await open().append("one");
  await appendFile(path(), '{"message": "hal\n{"message": 1, "at": 1}\n');
  await open().append("two");
  expect(await open().load()).toEqual(["one", "two"]);
});

test("the file is shortened to the newest thousand", async () => {
  await open().append("first");
  const line = (index: number): string => `${JSON.stringify({ message: `m${index}`, at: 1 })}\n`;
  await appendFile(path(), Array.from({ length: 1_199 }, (_, index) => line(index)).join(""));
  expect((await open().load()).at(0)).toBe("m199");
  await open().append("last");
  const lines = (await readFile(path(), "utf8")).trimEnd().split("\n");
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([1_000, line(200).trimEnd(), '{"message":"last","at":5}']);
});
