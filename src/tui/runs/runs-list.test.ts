import { expect, test } from "bun:test";
import { RUN } from "./fixtures/fake-runs.ts";
import { filterRuns } from "./runs-list.ts";

const runs = [
  { ...RUN, id: "0vra", workflow: "ralph", prompt: "Repair the cart" },
  { ...RUN, id: "0vrb", workflow: "review", prompt: "", agent: "opencode" },
  { ...RUN, id: "0vrc", workflow: "ralph", prompt: "Round prices", state: "failed" },
] as const;

test.each([
  ["", ["0vra", "0vrb", "0vrc"]],
  ["  ", ["0vra", "0vrb", "0vrc"]],
  ["RALPH", ["0vra", "0vrc"]],
  ["ralph price", ["0vrc"]],
  ["failed", ["0vrc"]],
  ["opencode", ["0vrb"]],
  ["0vra", ["0vra"]],
  ["nothing", []],
])("the filter %p finds %p", (query, ids) => {
  expect(filterRuns(runs, query).map(({ id }) => id)).toEqual(ids as (typeof runs)[number]["id"][]);
});
