import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RunLeases, type Task } from "../../graph/index.ts";
import { taskStoreConformance } from "../../testkit/conformance/saver/task-store-conformance.ts";
import { createTaskStore } from "./task-store.ts";
import { loadTasks } from "./tasks-file.ts";
import { TasksLockInvalidError } from "./with-list-lease.ts";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "atomic-task-store-")));
  path = join(folder, "tasks.json");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(tasks: readonly Task[], more: object = {}): Promise<void> {
  await writeFile(path, JSON.stringify({ version: "1.0", tasks, ...more }));
}

async function read(): Promise<unknown> {
  return JSON.parse(await readFile(path, "utf8"));
}

function task(id: string, status: Task["status"] = "pending", more: object = {}): Task {
  return { id, name: `Task ${id}`, status, ...more };
}

function pass(id: string): (tasks: readonly Task[]) => readonly Task[] {
  return (tasks) => tasks.map((each) => (each.id === id ? { ...each, status: "passing" } : each));
}

taskStoreConformance("createTaskStore", async (tasks) => {
  await write(tasks);
  return { store: createTaskStore(), path };
});

test("the rest of a file stays: notes, other fields of tasks, and the way to it", async () => {
  await write([task("a", "pending", { owner: "ada" })], {
    note: "mine",
    metadata: { createdAt: "2026-02-05T00:00:00Z", updatedAt: "2026-02-05T00:00:00Z" },
  });
  const linked = join(folder, "linked");
  await symlink(".", linked);
  await createTaskStore({ clock: () => Date.UTC(2026, 10, 21) }).update(join(linked, "tasks.json"), pass("a"));
  expect(await read()).toEqual({
    version: "1.0",
    tasks: [task("a", "passing", { owner: "ada" })],
    note: "mine",
    metadata: { createdAt: "2026-02-05T00:00:00Z", updatedAt: "2026-11-21T00:00:00.000Z" },
  });
  expect((await readdir(folder)).sort()).toEqual(["linked", "tasks.json"]);
});

test("a list that is a link is neither read nor written: an agent could turn it to any file", async () => {
  await write([task("a")]);
  const link = join(folder, "link.json");
  await symlink("tasks.json", link);
  await expect(createTaskStore().update(link, pass("a"))).rejects.toThrow(
    expect.objectContaining({
      code: "TASKS_FILE_INVALID",
      problems: ["It is a link, and Atomic writes through none: put the file itself in its place, or name that file."],
    }),
  );
  expect(await read()).toEqual({ version: "1.0", tasks: [task("a")] });
});

test.each([
  { title: "a pipe", create: (at: string) => execFileSync("mkfifo", [at]) },
  { title: "a folder", create: (at: string) => mkdir(at) },
])("$title in place of a list is an error, and nothing waits for it", async ({ create }) => {
  await create(path);
  const problems = ["It is not a regular file: put a file in its place."];
  const error = expect.objectContaining({ code: "TASKS_FILE_INVALID", problems });
  await expect(createTaskStore().update(path, pass("a"))).rejects.toThrow(error);
  await expect(loadTasks(path)).rejects.toThrow(error);
});

test("a file that lies where the claims are kept is named, and stays", async () => {
  await write([task("a")]);
  await writeFile(`${path}.lock`, "mine");
  const error = await createTaskStore()
    .update(path, pass("a"))
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TasksLockInvalidError);
  expect(String(error)).toBe(
    `TasksLockInvalidError: The list of tasks cannot be changed: ${path}.lock must be a folder of Atomic's, and is something else. Move it away, then try again.`,
  );
  expect(await readFile(`${path}.lock`, "utf8")).toBe("mine");
  expect(await read()).toEqual({ version: "1.0", tasks: [task("a")] });
});

test("stores of several processes wait for each other", async () => {
  const ids = Array.from({ length: 10 }, (_, index) => `t${index}`);
  await write(ids.map((id) => task(id)));
  await Promise.all(ids.map((id) => createTaskStore().update(path, pass(id))));
  expect(await read()).toEqual({ version: "1.0", tasks: ids.map((id) => task(id, "passing")) });
});

test("what an editor writes in the middle of an update is not lost", async () => {
  await write([task("a"), task("b")]);
  let asked = 0;
  const updated = await createTaskStore().update(path, (tasks) => {
    if (asked++ === 0)
      writeFileSync(path, JSON.stringify({ version: "1.0", tasks: [task("a"), task("b", "skipped")] }));
    return pass("a")(tasks);
  });
  expect(asked).toBe(2);
  expect(updated).toEqual([task("a", "passing"), task("b", "skipped")]);
  expect(await read()).toEqual({ version: "1.0", tasks: updated });
});

test("a file that others never stop writing is given up, with what to do", async () => {
  await write([task("a")]);
  let count = 0;
  const edit = (tasks: readonly Task[]): readonly Task[] => {
    writeFileSync(path, JSON.stringify({ version: "1.0", tasks: [task("a")], count: ++count }));
    return pass("a")(tasks);
  };
  await expect(createTaskStore().update(path, edit)).rejects.toThrow(
    expect.objectContaining({
      code: "TASKS_FILE_BUSY",
      message: `The list of tasks ${path} was changed by somebody else 20 times while it was being updated. Find out what writes it, stop that, then try again.`,
    }),
  );
  expect(await readdir(folder)).toEqual(["tasks.json"]);
});

test("an update that changes nothing writes nothing", async () => {
  const text = '{"version":"1.0","tasks":[{"id":"a","name":"x","status":"passing"}]}';
  await writeFile(path, text);
  await createTaskStore().update(path, (tasks) => tasks);
  expect(await readFile(path, "utf8")).toBe(text);
});

test("an edit that makes a cycle of tasks is rejected", async () => {
  await write([task("a"), task("b", "pending", { dependencies: ["a"] })]);
  const edit = (tasks: readonly Task[]): readonly Task[] => [{ ...task("a"), dependencies: ["b"] }, ...tasks.slice(1)];
  await expect(createTaskStore().update(path, edit)).rejects.toThrow(
    `The list of tasks ${path} cannot be used. Correct the following:\n  - These tasks depend on each other in a cycle: a → b → a.`,
  );
});

test("a wait for another writer can be cancelled, and leaves the list and the other one alone", async () => {
  await write([task("a")]);
  const theirs = await new RunLeases({ folder: `${path}.lock` }).acquire("tasks");
  const stop = new AbortController();
  const { signal } = stop;
  const isWaiting = Promise.withResolvers<void>();
  const throwIfAborted = signal.throwIfAborted.bind(signal);
  let looks = 0;
  // Each look for the list begins with one at the signal: at the second it has been waited for.
  signal.throwIfAborted = () => {
    if (++looks === 2) isWaiting.resolve();
    throwIfAborted();
  };
  const waiting = createTaskStore().update(path, pass("a"), { signal });
  await isWaiting.promise;
  stop.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  expect(await read()).toEqual({ version: "1.0", tasks: [task("a")] });
  theirs.confirm();
  await theirs.release();
  expect(await createTaskStore().update(path, pass("a"))).toEqual([task("a", "passing")]);
  expect(await readdir(folder)).toEqual(["tasks.json"]);
});

test("a missing list says where it was looked for, and leaves nothing", async () => {
  await mkdir(join(folder, "research"));
  for (const missing of [join(folder, "research", "tasks.json"), join(folder, "specs", "tasks.json")]) {
    await expect(createTaskStore().update(missing, (tasks) => tasks)).rejects.toThrow(
      `There is no list of tasks at ${missing}. Create it, or give another path.`,
    );
  }
  expect(await readdir(folder, { recursive: true })).toEqual(["research"]);
});
