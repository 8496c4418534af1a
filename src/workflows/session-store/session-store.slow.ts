import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cpSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createSessionStore, type SessionStore, workflowSessionsDirectory } from "./session-store.ts";

const ABOUT = { workflowName: "review", projectDirectory: "/work/shop", input: { prompt: "look" } } as const;

let home = "";
let root = "";
let now = 0;
let store: SessionStore;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "atomic-sessions-"));
  root = workflowSessionsDirectory(home);
  now = Date.UTC(2026, 10, 21, 12);
  store = createSessionStore({ root, clock: () => now });
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function writeSessionText(id: string, text: string): Promise<string> {
  const path = join(root, id, "session.json");
  await mkdir(join(root, id), { recursive: true });
  await writeFile(path, text);
  return path;
}

test("sessions lie in workflows/sessions of the user's Atomic folder", () => {
  expect(workflowSessionsDirectory("/home/ada/.atomic")).toBe("/home/ada/.atomic/workflows/sessions");
});

test("a new session has its folders and its file, for the user only", async () => {
  const owner = { pid: 4711, startedAt: "2026-11-21T11:59:00.000Z" };
  const session = await store.create({ ...ABOUT, workflowVersion: "1.0.0", agent: "claude", model: "opus", owner });
  const { sessionId } = session;
  expect(sessionId).toMatch(/^[0-9a-z]{12}$/);
  expect(session).toEqual({
    sessionId,
    workflowName: "review",
    workflowVersion: "1.0.0",
    sessionDir: join(root, sessionId),
    createdAt: "2026-11-21T12:00:00.000Z",
    lastUpdated: "2026-11-21T12:00:00.000Z",
    status: "running",
    projectDirectory: "/work/shop",
    input: { prompt: "look" },
    agent: "claude",
    model: "opus",
    owner,
    nodeHistory: [],
    outputs: {},
  });
  expect(await store.load(sessionId)).toEqual(session);
  expect((await readdir(join(root, sessionId))).toSorted()).toEqual(["agents", "checkpoints", "logs", "session.json"]);
  const modes = await Promise.all(
    [
      root,
      join(root, sessionId),
      ...["agents", "checkpoints", "logs", "session.json"].map((name) => join(root, sessionId, name)),
    ].map(async (path) => ((await stat(path)).mode & 0o777).toString(8)),
  );
  expect(modes).toEqual(["700", "700", "700", "700", "700", "600"]);
});

test("a session can have a given identifier, a UUID for example, and only one session has it", async () => {
  const id = randomUUID();
  expect((await store.create({ ...ABOUT, id })).sessionId).toBe(id);
  await expect(store.create({ ...ABOUT, id, input: "other" })).rejects.toThrow(
    `A session "${id}" exists already, in ${join(root, id)}. Resume it, remove it, or choose another identifier.`,
  );
  expect((await store.load(id)).input).toEqual({ prompt: "look" });
});

test("a session whose input cannot be written leaves no folder", async () => {
  const circle: Record<string, never> = {};
  Object.assign(circle, { self: circle });
  await expect(store.create({ ...ABOUT, id: "circle", input: circle })).rejects.toThrow("cannot be written as JSON");
  expect(await readdir(root)).toEqual([]);
});

test("a process that is killed while it creates a session leaves none, and nothing to complain of", async () => {
  const copy = join(home, "copy");
  const input: Record<string, never> = {};
  // Called while the session is written: the copy is what a process leaves that is killed then.
  Object.assign(input, { toJSON: () => cpSync(root, copy, { recursive: true }) });
  await store.create({ ...ABOUT, input });
  const left = createSessionStore({ root: copy });
  expect(await left.list()).toEqual({ sessions: [], problems: [] });
  await expect(left.resolveId("last")).rejects.toThrow('No run is named "last".');
});

test("save writes the time of now, and drops what the caller dropped", async () => {
  const created = await store.create({ ...ABOUT, owner: { pid: 1, startedAt: "x" } });
  now += 1_000;
  const { owner: _, ...rest } = created;
  const error = { code: "NODE_FAILED", message: "no", nodeId: "plan" };
  const saved = await store.save({ ...rest, status: "failed", error, nodeHistory: ["plan"] });
  expect(saved).toEqual({
    ...rest,
    status: "failed",
    error,
    nodeHistory: ["plan"],
    lastUpdated: "2026-11-21T12:00:01.000Z",
  });
  expect(await store.load(created.sessionId)).toEqual(saved);
});

test("fields of another version stay in the file, through update and through save", async () => {
  const created = await store.create(ABOUT);
  const path = join(created.sessionDir, "session.json");
  await writeFile(path, JSON.stringify({ ...created, tags: ["a"], future: { deep: 1 } }));
  await store.update(created.sessionId, (session) => ({ ...session, status: "paused" }));
  await store.save({ ...created, status: "completed" });
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual({
    ...created,
    status: "completed",
    tags: ["a"],
    future: { deep: 1 },
  });
});

test("updates of one session that start together all count", async () => {
  const { sessionId } = await store.create(ABOUT);
  const nodes = Array.from({ length: 25 }, (_, index) => `node-${index}`);
  await Promise.all(
    nodes.map((node) =>
      store.update(sessionId, (session) => ({ ...session, nodeHistory: [...session.nodeHistory, node] })),
    ),
  );
  expect((await store.load(sessionId)).nodeHistory).toEqual(nodes);
});

test("an update that throws changes nothing and does not stop the next one", async () => {
  const { sessionId } = await store.create(ABOUT);
  const failing = store.update(sessionId, () => {
    throw new Error("no change");
  });
  const next = store.update(sessionId, (session) => ({ ...session, status: "completed" }));
  await expect(failing).rejects.toThrow("no change");
  expect((await next).status).toBe("completed");
});

test("a root that was moved takes its sessions along", async () => {
  const { sessionId } = await store.create(ABOUT);
  const moved = join(home, "elsewhere");
  await mkdir(join(moved, sessionId), { recursive: true });
  await writeFile(join(moved, sessionId, "session.json"), await readFile(join(root, sessionId, "session.json")));
  expect((await createSessionStore({ root: moved }).load(sessionId)).sessionDir).toBe(join(moved, sessionId));
});

test("sessions are listed newest first, and there are none at first", async () => {
  expect(await store.list()).toEqual({ sessions: [], problems: [] });
  for (const id of ["bbbb", "aaaa", "cccc"]) {
    await store.create({ ...ABOUT, id });
    now += 60_000;
  }
  now -= 60_000;
  await store.create({ ...ABOUT, id: "dddd" });
  expect((await store.list()).sessions.map(({ sessionId }) => sessionId)).toEqual(["dddd", "cccc", "aaaa", "bbbb"]);
});

const REMEDY = "Correct the file, or remove the session's folder.";

test.each([
  { title: "no JSON", text: '{\n  "sessionId": \n}', problems: ["line 3, column 1: expected a value"] },
  { title: "an empty file", text: "", problems: ["line 1, column 1: expected a value"] },
  { title: "another shape", text: "[]", problems: ["expected object, received array"] },
  {
    title: "several wrong fields",
    text: JSON.stringify({
      sessionId: "broken",
      workflowName: 7,
      createdAt: "yesterday",
      lastUpdated: "2026-11-21T12:00:00.000Z",
      status: "lost",
      projectDirectory: "/p",
      input: null,
      owner: { pid: "1", startedAt: "x" },
    }),
    problems: [
      "workflowName: expected string, received number",
      "createdAt: Invalid ISO datetime",
      'status: expected one of "running"|"paused"|"completed"|"failed"|"cancelled"',
      "owner.pid: expected number, received string",
    ],
  },
  {
    title: "another session's file",
    text: JSON.stringify({
      sessionId: "other",
      workflowName: "x",
      createdAt: "2026-11-21T12:00:00Z",
      lastUpdated: "2026-11-21T13:00:00+01:00",
      status: "running",
      projectDirectory: "/p",
      input: 1,
    }),
    problems: ['it belongs to the session "other", not to "broken"'],
  },
])("$title is an error that names the file, and a problem in the list", async ({ text, problems }) => {
  const good = await store.create(ABOUT);
  const path = await writeSessionText("broken", text);
  const message = `${path} cannot be used: ${problems.join("; ")}. ${REMEDY}`;
  await expect(store.load("broken")).rejects.toThrow(
    expect.objectContaining({ code: "WORKFLOW_SESSION_BROKEN", message }),
  );
  await expect(store.update("broken", (session) => session)).rejects.toThrow(message);
  expect(await store.list()).toEqual({
    sessions: [good],
    problems: [{ path, message: `${problems.join("; ")}.`, remedy: REMEDY, severity: "error" }],
  });
});

test("a folder without a file is a problem; folders and files with other names are not sessions", async () => {
  await mkdir(join(root, "abandoned"), { recursive: true });
  await mkdir(join(root, ".trash"));
  await mkdir(join(root, "Not A Session"));
  await writeFile(join(root, "notes"), "");
  expect(await store.list()).toEqual({
    sessions: [],
    problems: [
      {
        path: join(root, "abandoned", "session.json"),
        message: "the file is missing.",
        remedy: REMEDY,
        severity: "error",
      },
    ],
  });
});

test.each([
  { title: "a named pipe", make: (path: string) => execFileSync("mkfifo", [path]), reason: "is not a regular file" },
  { title: "a device", make: (path: string) => symlink("/dev/zero", path), reason: "is not a regular file" },
  { title: "a folder", make: (path: string) => mkdir(path), reason: "is not a regular file" },
  {
    title: "too large",
    make: async (path: string) => {
      await writeFile(path, "{");
      await truncate(path, 300_000_000);
    },
    reason: "is larger than 67108864 bytes",
  },
])("a file of a session that is $title is a problem, and is not read", async ({ make, reason }) => {
  await mkdir(join(root, "broken"), { recursive: true });
  const path = join(root, "broken", "session.json");
  await make(path);
  await expect(store.load("broken")).rejects.toThrow(
    `${path} cannot be used: the file ${reason}. Correct the file, or remove the session's folder.`,
  );
  expect((await store.list()).problems).toMatchObject([{ path, message: `the file ${reason}.` }]);
});

test("a session can be saved over its broken file", async () => {
  const session = await store.create(ABOUT);
  await writeSessionText(session.sessionId, "{");
  await store.save(session);
  expect(await store.load(session.sessionId)).toEqual(session);
});

test("a person's short form of an identifier is resolved among the folders", async () => {
  await store.create({ ...ABOUT, id: "abcd1111" });
  await store.create({ ...ABOUT, id: "abcd2222" });
  expect(await store.resolveId("ABCD1")).toBe("abcd1111");
  await expect(store.resolveId("abcd")).rejects.toThrow('2 runs begin with "abcd": abcd1111, abcd2222.');
});

test("removing deletes the folder, and a removed session is unknown to every method", async () => {
  await store.create({ ...ABOUT, id: "gone1111" });
  await store.create({ ...ABOUT, id: "gone2222" });
  const session = await store.load("gone1111");
  await store.remove("gone1111");
  expect(await readdir(root)).toEqual(["gone2222"]);
  const message = 'No run is named "gone1111". None resembles it; list them with: atomic runs list';
  const calls = [
    store.load("gone1111"),
    store.save(session),
    store.update("gone1111", (unchanged) => unchanged),
    store.remove("gone1111"),
  ];
  for (const result of await Promise.allSettled(calls)) {
    expect(result).toEqual({ status: "rejected", reason: expect.objectContaining({ message }) });
  }
});

test.each([
  { id: "../outside" },
  { id: "/etc/passwd" },
  { id: "a/../../b" },
  { id: "" },
  { id: "UPPER" },
  { id: "abcd\n" },
])("$id never becomes a path", async ({ id }) => {
  const refused = `${JSON.stringify(id)} cannot identify a session.`;
  const session = { ...(await store.create(ABOUT)), sessionId: id };
  expect(() => store.directoryOf(id)).toThrow(refused);
  const calls = [
    store.create({ ...ABOUT, id }),
    store.load(id),
    store.save(session),
    store.update(id, (unchanged) => unchanged),
    store.remove(id),
  ];
  for (const result of await Promise.allSettled(calls)) {
    expect(result).toMatchObject({ status: "rejected", reason: { code: "WORKFLOW_SESSION_ID_INVALID" } });
  }
});

test("a process killed while it saves leaves a session that can be loaded", async () => {
  for (let round = 0; round < 5; round++) {
    const { sessionId } = await store.create(ABOUT);
    const program = fileURLToPath(new URL("fixtures/save-for-ever.ts", import.meta.url));
    const child = Bun.spawn([process.execPath, program], {
      stdin: new Blob([JSON.stringify({ root, id: sessionId })]),
      stdout: "pipe",
    });
    try {
      await waitForLines(child.stdout, 20 + round);
    } finally {
      child.kill("SIGKILL");
      await child.exited;
    }
    const { outputs } = await store.load(sessionId);
    expect(String(outputs.text)).toMatch(/^(\d+?)\1*$/);
  }
});

async function waitForLines(stream: ReadableStream<Uint8Array>, count: number): Promise<void> {
  const decoder = new TextDecoder();
  let lines = 0;
  for await (const chunk of stream) {
    lines += decoder.decode(chunk).split("\n").length - 1;
    if (lines > count) return;
  }
  throw new Error(`The child ended after ${lines} saves.`);
}
