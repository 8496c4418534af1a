import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { identifyThisProcess, type ProcessIdentity } from "../../system/index.ts";
import { createSessionStore } from "./session-store.ts";

const ABOUT = { id: "7f3a", workflowName: "review", projectDirectory: "/work/shop", input: {} } as const;
const TWO_DAYS_MS = 2 * 24 * 60 * 60 * 1_000;

let root = "";

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "atomic-drafts-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** The name of a draft that a process made. */
function draftOf({ processId, startedAt, machine }: ProcessIdentity): string {
  return `.k2pq.${processId}.${startedAt}.${machine}.x7Yz12`;
}

/** What a killed process leaves: complete folders, and the file or a part of it. */
async function leaveDraft(name: string, { ageMs = 0 }: { readonly ageMs?: number } = {}): Promise<void> {
  for (const folder of ["agents", "logs", "checkpoints"]) await mkdir(join(root, name, folder), { recursive: true });
  await writeFile(join(root, name, ".session.json.0f.tmp"), "{");
  const changedAt = new Date(Date.now() - ageMs);
  await utimes(join(root, name), changedAt, changedAt);
}

/** The names in the folder after a session was created in it. */
async function namesAfterCreate(): Promise<readonly string[]> {
  await createSessionStore({ root }).create(ABOUT);
  return (await readdir(root)).filter((name) => name !== ABOUT.id).toSorted();
}

test("a new session deletes the drafts of processes that have ended", async () => {
  const own = await identifyThisProcess(process.pid);
  // The id of a living process that started at another time: its owner has ended, and the id was used again.
  await leaveDraft(draftOf({ ...own, startedAt: "1" }));
  expect(await namesAfterCreate()).toEqual([]);
});

test("a new session keeps the draft of a process that is running", async () => {
  const name = draftOf(await identifyThisProcess(process.pid));
  await leaveDraft(name, { ageMs: TWO_DAYS_MS });
  expect(await namesAfterCreate()).toEqual([name]);
});

test.each([
  { title: "of another machine", name: draftOf({ processId: 12, startedAt: "34", machine: "abcdef012345" }) },
  { title: "without an owner, of an earlier version", name: ".k2pq.x7Yz12" },
])("a draft $title is deleted after a day", async ({ name }) => {
  await leaveDraft(name);
  expect(await namesAfterCreate()).toEqual([name]);
  await rm(join(root, ABOUT.id), { recursive: true });
  await leaveDraft(name, { ageMs: TWO_DAYS_MS });
  expect(await namesAfterCreate()).toEqual([]);
});

test("only drafts are deleted: no folder with other content, no link, no session", async () => {
  await leaveDraft(".notes.backup");
  await writeFile(join(root, ".notes.backup", "agents", "mine.json"), "{}");
  await leaveDraft(".other.backup");
  await writeFile(join(root, ".other.backup", "mine.txt"), "");
  await leaveDraft("k2pq", { ageMs: TWO_DAYS_MS });
  await leaveDraft(".config", { ageMs: TWO_DAYS_MS });
  await symlink(join(root, "k2pq"), join(root, ".linked.x7Yz12"));
  const longAgo = new Date(Date.now() - TWO_DAYS_MS);
  for (const name of [".notes.backup", ".other.backup"]) await utimes(join(root, name), longAgo, longAgo);
  expect(await namesAfterCreate()).toEqual([".config", ".linked.x7Yz12", ".notes.backup", ".other.backup", "k2pq"]);
  expect(await readdir(join(root, "k2pq"))).toHaveLength(4);
});

test("a session does not take the place of an empty folder", async () => {
  const directory = join(root, ABOUT.id);
  await mkdir(directory);
  await expect(createSessionStore({ root }).create(ABOUT)).rejects.toThrow(
    `A session "${ABOUT.id}" exists already, in ${directory}. Resume it, remove it, or choose another identifier.`,
  );
  expect([await readdir(root), await readdir(directory)]).toEqual([[ABOUT.id], []]);
});
