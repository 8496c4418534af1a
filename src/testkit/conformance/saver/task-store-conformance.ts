import { describe, expect, test } from "bun:test";
import type { Task, TaskStore } from "../../../graph/index.ts";

/** A store with a list that a test may change. */
export interface TaskStorePlace {
  readonly store: TaskStore;
  readonly path: string;
}

/** Makes a store with one list of these tasks. */
type CreatePlace = (tasks: readonly Task[]) => TaskStorePlace | Promise<TaskStorePlace>;

const TASKS: readonly Task[] = [
  { id: "a", name: "Task a", status: "passing", metadata: { note: [1] } },
  { id: "b", name: "Task b", description: "Do b", status: "pending", dependencies: ["a"], priority: 2 },
];

/** The tasks with another status for one of them. */
function withStatus(tasks: readonly Task[], id: string, status: Task["status"]): readonly Task[] {
  return tasks.map((task) => (task.id === id ? { ...task, status } : task));
}

/** The tasks as they are now. */
async function read({ store, path }: TaskStorePlace): Promise<readonly Task[]> {
  return await store.update(path, (tasks) => tasks);
}

/**
 * What every {@link TaskStore} must do. Call it at the top of a test file:
 *
 * ```ts
 * taskStoreConformance("MemoryTaskStore", (tasks) => ({ store: new MemoryTaskStore({ list: tasks }), path: "list" }));
 * ```
 */
export function taskStoreConformance(name: string, createPlace: CreatePlace): void {
  describe(`${name} as a TaskStore`, () => {
    test("returns the tasks as they are", async () => {
      const { store, path } = await createPlace(TASKS);
      expect(await read({ store, path })).toEqual(TASKS);
    });

    test("keeps what an edit returns, and returns it", async () => {
      const { store, path } = await createPlace(TASKS);
      const expected = withStatus(TASKS, "b", "in_progress");
      expect(await store.update(path, (tasks) => withStatus(tasks, "b", "in_progress"))).toEqual(expected);
      expect(await read({ store, path })).toEqual(expected);
    });

    test("leaves the list as it was when an edit throws", async () => {
      const { store, path } = await createPlace(TASKS);
      const edit = (): never => {
        throw new Error("no");
      };
      await expect(store.update(path, edit)).rejects.toThrow("no");
      expect(await read({ store, path })).toEqual(TASKS);
      expect(await store.update(path, (tasks) => withStatus(tasks, "b", "failing"))).toHaveLength(2);
    });

    test("loses none of many updates at once", async () => {
      const ids = Array.from({ length: 20 }, (_, index) => `t${index}`);
      const { store, path } = await createPlace(ids.map((id) => ({ id, name: id, status: "pending" })));
      await Promise.all(ids.map((id) => store.update(path, (tasks) => withStatus(tasks, id, "passing"))));
      expect((await read({ store, path })).map(({ status }) => status)).toEqual(ids.map(() => "passing"));
    });

    test("rejects a list that does not exist, and names it", async () => {
      const { store, path } = await createPlace(TASKS);
      const missing = `${path}.missing`;
      await expect(store.update(missing, (tasks) => tasks)).rejects.toThrow(missing);
    });

    test("reports when a list is no longer as somebody knows it", async () => {
      const { store, path } = await createPlace(TASKS);
      await store.changed(path, []);
      const isTold: string[] = [];
      const told = store.changed(path, TASKS).then(() => void isTold.push("told"));
      await read({ store, path });
      expect(isTold).toEqual([]);
      await store.update(path, (tasks) => withStatus(tasks, "b", "passing"));
      await told;
      expect(isTold).toEqual(["told"]);
    });

    test("ends the wait for a change when it is cancelled", async () => {
      const { store, path } = await createPlace(TASKS);
      const stop = new AbortController();
      const told = store.changed(path, TASKS, { signal: stop.signal });
      stop.abort(new Error("enough"));
      await expect(told).rejects.toThrow("enough");
      await expect(store.changed(path, TASKS, { signal: stop.signal })).rejects.toThrow("enough");
    });

    test("does nothing once it is cancelled", async () => {
      const { store, path } = await createPlace(TASKS);
      const signal = AbortSignal.abort(new Error("enough"));
      await expect(store.update(path, () => [], { signal })).rejects.toThrow("enough");
      expect(await read({ store, path })).toEqual(TASKS);
    });
  });
}
