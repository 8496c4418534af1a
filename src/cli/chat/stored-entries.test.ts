import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRedactor } from "../../contracts/index.ts";
import { createStoredEntries } from "./stored-entries.ts";

let atomicHome: string;
const redactor = createRedactor({ secrets: [{ name: "TOKEN", value: 'tok-"1234567890' }] });

beforeEach(async () => {
  atomicHome = await mkdtemp(join(tmpdir(), "atomic-entries-"));
});
afterEach(() => rm(atomicHome, { recursive: true, force: true }));

const folder = () => join(atomicHome, "chat", "conversations");

test("messages are stored by conversation, without secrets and for the user alone", async () => {
  const entries = createStoredEntries({ atomicHome, redactor });
  expect(await entries.load("../a")).toBeUndefined();
  await entries.save("../a", JSON.stringify([{ type: "user", text: 'use tok-"1234567890' }]));
  await entries.save("b", "[]");
  expect(JSON.parse((await entries.load("../a")) ?? "")).toEqual([{ type: "user", text: "use [redacted:TOKEN]" }]);
  const files = await readdir(folder());
  expect(files).toHaveLength(2);
  const modes = await Promise.all(files.map(async (name) => (await stat(join(folder(), name))).mode & 0o777));
  expect(modes).toEqual([0o600, 0o600]);
});

test("the oldest conversations are removed when there are more than two hundred", async () => {
  await mkdir(folder(), { recursive: true });
  for (let index = 0; index < 201; index++) {
    const path = join(folder(), `${index}.json`);
    await writeFile(path, "[]");
    await utimes(path, index, index);
  }
  const entries = createStoredEntries({ atomicHome, redactor });
  await entries.save("new", "[]");
  const files = new Set(await readdir(folder()));
  expect([files.size, files.has("0.json"), files.has("1.json"), files.has("2.json")]).toEqual([
    200,
    false,
    false,
    true,
  ]);
  expect(await entries.load("new")).toBe("[]\n");
});

/** Two chats that opened a conversation with one message and one comment, and what is stored of it. */
async function openTwice() {
  const line = { path: "a.ts", text: "x();", isRemoved: false };
  const [first, comment] = [
    { type: "user", id: "e1", at: 1, text: "Go." },
    { type: "comment", line, text: "Why?", isSent: false },
  ];
  const [one, other] = [createStoredEntries({ atomicHome, redactor }), createStoredEntries({ atomicHome, redactor })];
  await one.save("s", JSON.stringify([first, comment]));
  await other.load("s");
  const stored = async (): Promise<unknown> => JSON.parse((await one.load("s")) ?? "");
  return { one, other, first, comment, stored };
}

test("two chats with one conversation keep the messages and comments of both, in the order of time", async () => {
  const { one, other, first, comment, stored } = await openTwice();
  const [mine, theirs] = [
    { type: "user", id: "e2", at: 3, text: "Mine." },
    { type: "user", id: "e2", at: 2, text: "Theirs." },
  ];
  const theirComment = { ...comment, text: "And this?" };
  await one.save("s", JSON.stringify([first, mine, comment]));
  await other.save("s", JSON.stringify([first, theirs, comment, theirComment]));
  await one.save("s", JSON.stringify([first, mine, comment]));
  expect(await stored()).toEqual([first, theirs, mine, comment, theirComment]);
});

test("what one chat changes or removes stays so when the other one, which does not know it, stores its own", async () => {
  const { one, other, first, comment, stored } = await openTwice();
  await one.save("s", JSON.stringify([first, { ...comment, isSent: true }]));
  await other.save("s", JSON.stringify([first, comment]));
  expect(await stored()).toEqual([first, { ...comment, isSent: true }]);
  await one.save("s", JSON.stringify([first]));
  await other.save("s", JSON.stringify([first, comment]));
  expect(await stored()).toEqual([first]);
});

test("chats that store at the same time lose nothing", async () => {
  const { one, other, first, stored } = await openTwice();
  const entryOf = (at: number) => ({ type: "user", id: `e${at}`, at, text: `${at}` });
  for (const at of [2, 4, 6]) {
    await Promise.all([
      one.save("s", JSON.stringify([first, ...[2, 4, 6].filter((time) => time <= at).map(entryOf)])),
      other.save("s", JSON.stringify([first, ...[3, 5, 7].filter((time) => time <= at + 1).map(entryOf)])),
    ]);
  }
  expect(await stored()).toEqual([first, ...[2, 3, 4, 5, 6, 7].map(entryOf)]);
});

test("a broken file is kept beside the new one", async () => {
  const { one, other, first } = await openTwice();
  const [name = ""] = await readdir(folder());
  await writeFile(join(folder(), name), "[{");
  await other.load("s");
  await one.save("s", JSON.stringify([first]));
  expect((await readdir(folder())).toSorted()).toEqual([name, `${name}.broken`]);
});
