import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PermissionRequest, permissionKey } from "../../contracts/index.ts";
import { FileLockTimeoutError } from "../../system/index.ts";
import { createProjectPermissions, PermissionMemoryBrokenError, PermissionNotSavedError } from "./permission-memory.ts";

let atomicHome: string;

beforeEach(async () => {
  atomicHome = await mkdtemp(join(tmpdir(), "atomic-memory-"));
});
afterEach(() => rm(atomicHome, { recursive: true }));

function open(projectDirectory = "/work/app") {
  return createProjectPermissions({ atomicHome, projectDirectory, clock: () => Date.UTC(2026, 0, 1) });
}

const TEST_COMMAND: PermissionRequest = {
  id: "p1",
  sessionId: "s1",
  kind: "shell",
  toolName: "bash",
  title: "bash: npm test",
  paths: [],
  command: "npm test",
};

test("a remembered call is allowed in this project, also in another process", async () => {
  expect(await open().isAllowed(TEST_COMMAND)).toBe(false);
  await open().allow(TEST_COMMAND);
  await open().allow({ ...TEST_COMMAND, id: "p2", sessionId: "s2" });
  const { kind, ...rest } = TEST_COMMAND;
  const answers = await Promise.all([
    open().isAllowed({ ...TEST_COMMAND, id: "p3", title: "another title" }),
    open().isAllowed({ ...TEST_COMMAND, command: "npm test; rm -rf ." }),
    open().isAllowed({ ...rest, kind: "other" }),
    open().isAllowed({ ...TEST_COMMAND, toolName: "sh" }),
    open("/work/other").isAllowed(TEST_COMMAND),
  ]);
  expect(kind).toBe("shell");
  expect(answers).toEqual([true, false, false, false, false]);
  expect(await open().list()).toEqual([
    { key: '["shell","bash","npm test"]', title: "bash: npm test", allowedAt: "2026-01-01T00:00:00.000Z" },
  ]);
});

test("forgetting a call leaves other calls and other projects alone", async () => {
  const other = { ...TEST_COMMAND, command: "npm run build" };
  await open().allow(TEST_COMMAND);
  await open().allow(other);
  await open("/work/other").allow(TEST_COMMAND);
  const isAllowed = () =>
    Promise.all([open().isAllowed(TEST_COMMAND), open().isAllowed(other), open("/work/other").isAllowed(TEST_COMMAND)]);
  await open().forget(new Set(["unknown"]));
  expect(await isAllowed()).toEqual([true, true, true]);
  await open().forget(new Set([permissionKey(TEST_COMMAND)]));
  expect(await isAllowed()).toEqual([false, true, true]);
  await open().forget(new Set([permissionKey(other)]));
  expect(await isAllowed()).toEqual([false, false, true]);
});

test("calls that processes allow at the same moment are all remembered", async () => {
  const script = join(import.meta.dirname, "fixtures/allow-process.ts");
  const groups = Array.from({ length: 6 }, (_, group) =>
    Array.from({ length: 5 }, (_, index) => `make ${group}-${index}`),
  );
  const codes = await Promise.all(
    groups.map((commands) => {
      const command = [process.execPath, script, atomicHome, "/work/app", ...commands];
      return Bun.spawn(command, { stdio: ["ignore", "inherit", "inherit"] }).exited;
    }),
  );
  expect(codes).toEqual([0, 0, 0, 0, 0, 0]);
  expect((await open().list()).map(({ title }) => title).toSorted()).toEqual(groups.flat());
});

test("forgetting where nothing is remembered creates nothing", async () => {
  await open().forget(new Set(["x"]));
  expect(await readdir(atomicHome)).toEqual([]);
});

test.each([
  {
    cause: new FileLockTimeoutError("/home/allowed-calls.json.lock", 10_000),
    says: "another process has locked /home/allowed-calls.json.lock for 10 seconds. Wait for that process, or end it, then try again.",
  },
  { cause: new Error("no space"), says: "no space. Make its folder writable, or set ATOMIC_HOME to another one." },
])("a call that cannot be remembered says why, and what to do: $says", ({ cause, says }) => {
  const { message } = new PermissionNotSavedError("/home/allowed-calls.json", { cause });
  expect(message).toBe(`What you allow for good cannot be written to /home/allowed-calls.json: ${says}`);
});

test("a pipe in the place of the file keeps nobody waiting, and allows nothing", async () => {
  const path = join(atomicHome, "allowed-calls.json");
  expect(Bun.spawnSync(["mkfifo", path]).exitCode).toBe(0);
  expect(await open().isAllowed(TEST_COMMAND)).toBe(false);
  await open().allow(TEST_COMMAND);
  expect([await open().isAllowed(TEST_COMMAND), (await readdir(atomicHome)).sort()]).toEqual([
    true,
    ["allowed-calls.json", "allowed-calls.json.broken", "allowed-calls.json.lock"],
  ]);
});

const NO_KEY = { key: "x", title: "bash: npm test", allowedAt: "2026-01-01T00:00:00.000Z" };

test.each([
  { text: "{", says: "JSON Parse error: Expected '}'" },
  { text: '{"version":2,"projects":{}}', says: "at version: Invalid input: expected 1" },
  {
    text: JSON.stringify({ version: 1, projects: { "/work/app": [NO_KEY] } }),
    says: "at projects › /work/app › 0 › key: expected the JSON of kind, tool and subject",
  },
])(
  "a broken file ($text) allows nothing, is named, and is put aside by the next call that is allowed",
  async ({ text, says }) => {
    const path = join(atomicHome, "allowed-calls.json");
    await writeFile(path, text);
    expect(await open().isAllowed(TEST_COMMAND)).toBe(false);
    const error = await open()
      .list()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PermissionMemoryBrokenError);
    expect(String(error)).toBe(
      `PermissionMemoryBrokenError: What you allowed for good cannot be read from ${path}: ${says}. Correct the file, or remove it: those calls then require approval again.`,
    );
    await open().allow(TEST_COMMAND);
    expect(await open().isAllowed(TEST_COMMAND)).toBe(true);
    expect(await readFile(`${path}.broken`, "utf8")).toBe(text);
    expect((await readdir(atomicHome)).sort()).toEqual([
      "allowed-calls.json",
      "allowed-calls.json.broken",
      "allowed-calls.json.lock",
    ]);
  },
);
