import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRedactor } from "../../contracts/index.ts";
import { createStoredConversations } from "./stored-conversations.ts";

let atomicHome: string;
const redactor = createRedactor({ secrets: [{ name: "TOKEN", value: "tok-1234567890" }] });

beforeEach(async () => {
  atomicHome = await mkdtemp(join(tmpdir(), "atomic-conversations-"));
});
afterEach(() => rm(atomicHome, { recursive: true, force: true }));

const open = (projectDirectory = "/shop") => createStoredConversations({ atomicHome, projectDirectory, redactor });
const path = () => join(atomicHome, "chat", "conversations.json");

test("conversations are listed by project, the newest first, and saved again under a new name", async () => {
  expect(await open().list()).toEqual([]);
  await open().save({ sessionId: "a", agentType: "claude", updatedAt: 1 });
  await open().save({ sessionId: "b", agentType: "opencode", updatedAt: 3 });
  await open("/other").save({ sessionId: "c", agentType: "claude", updatedAt: 9 });
  await open().save({ sessionId: "a", agentType: "claude", name: "tok-1234567890 cart", updatedAt: 2 });
  expect(await open().list()).toEqual([
    { sessionId: "b", agentType: "opencode", updatedAt: 3 },
    { sessionId: "a", agentType: "claude", name: "[redacted:TOKEN] cart", updatedAt: 2 },
  ]);
  expect(((await stat(path())).mode & 0o777).toString(8)).toBe("600");
});

test("chats that save at the same time lose no conversation", async () => {
  const ids = Array.from({ length: 8 }, (_, index) => `s${index}`);
  await Promise.all(ids.map((sessionId) => open().save({ sessionId, agentType: "claude", updatedAt: 1 })));
  expect((await open().list()).map(({ sessionId }) => sessionId).toSorted()).toEqual(ids);
});

test("a broken file counts as empty and is kept beside the new one", async () => {
  await open().save({ sessionId: "a", agentType: "claude", updatedAt: 1 });
  await writeFile(path(), '{"version": 2}');
  expect(await open().list()).toEqual([]);
  await open().save({ sessionId: "b", agentType: "claude", updatedAt: 1 });
  expect(await open().list()).toEqual([{ sessionId: "b", agentType: "claude", updatedAt: 1 }]);
  expect(await readFile(`${path()}.broken`, "utf8")).toBe('{"version": 2}');
});
