import { expect, test } from "bun:test";
import { workflowSearchPaths } from "./workflow-search-paths.ts";

test("the project's folder comes before the user's", () => {
  expect(workflowSearchPaths({ projectDirectory: "/work/shop", homeDirectory: "/home/ada/.atomic" })).toEqual([
    { path: "/work/shop/.atomic/workflows", source: "local" },
    { path: "/home/ada/.atomic/workflows", source: "global" },
  ]);
});
