import { expect, test } from "bun:test";
import { levelsOf } from "./task-path.ts";

test.each<{ taskId: string; levels: ReturnType<typeof levelsOf> }>([
  { taskId: "plan#2", levels: [] },
  { taskId: "deep#3/find", levels: [{ kind: "subgraph", key: "deep#3", name: "deep" }] },
  {
    taskId: "parallel_1#2[search]/deep/map_1[0]/find#4",
    levels: [
      { kind: "fork", key: "parallel_1#2[", name: "parallel_1" },
      { kind: "branch", key: "parallel_1#2[search]", name: "search" },
      { kind: "subgraph", key: "parallel_1#2[search]/deep", name: "deep" },
      { kind: "fork", key: "parallel_1#2[search]/deep/map_1[", name: "map_1" },
      { kind: "branch", key: "parallel_1#2[search]/deep/map_1[0]", name: "0" },
    ],
  },
])("$taskId is in the levels that its id names", ({ taskId, levels }) => {
  expect(levelsOf(taskId)).toEqual(levels);
});
