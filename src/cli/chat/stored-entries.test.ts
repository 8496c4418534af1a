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
