import { expect, test } from "bun:test";
import { type Confirmation, confirmationRows } from "./confirmation.ts";
import { nodeStart } from "./fixtures/run-events.ts";
import { EMPTY_RUN, type RunVisit, reduceRun } from "./run-model.ts";

function visitOf(item: string | undefined, name: string): RunVisit {
  const start = nodeStart("parts[1]/check", { name, ...(item === undefined ? {} : { item }) });
  const [visit] = reduceRun(EMPTY_RUN, [start]).visits.values();
  if (visit === undefined) throw new Error("No visit.");
  return visit;
}

const cancel = (item: string | undefined, name: string): Confirmation => ({
  ...{ type: "cancel", visit: visitOf(item, name), isFatal: true },
});

test.each<{
  readonly title: string;
  readonly confirmation: Confirmation;
  readonly columns: number;
  readonly rows: readonly string[];
}>([
  {
    title: "names the branch and the step",
    ...{ confirmation: cancel("beta", "check"), columns: 116 },
    rows: ['Cancel "beta check"? The run fails with it.  y this step · a the whole run · n no'],
  },
  {
    title: "names a step outside of a list by its name alone",
    ...{ confirmation: { type: "skip", visit: visitOf(undefined, "check") }, columns: 116 },
    rows: ['Skip "check"?  y skip it · n no'],
  },
  {
    title: "names a branch that is called like its step once",
    ...{ confirmation: { type: "retry", visit: visitOf("check", "check") }, columns: 116 },
    rows: ['Retry "check"?  y retry it · n no'],
  },
  {
    title: "has its answers below it where they do not fit beside it",
    ...{ confirmation: cancel("beta", "check"), columns: 38 },
    rows: ['Cancel "beta check"? The run fails', "with it.", "y this step · a the whole run · n no"],
  },
  {
    title: "is short for a long name",
    ...{ confirmation: cancel("a-long-name-".repeat(20), "check"), columns: 78 },
    rows: [
      'Cancel "a-long-name-a-long-name-a-long-name-a-long-name-a-long-name…"? The',
      "run fails with it.",
      "y this step · a the whole run · n no",
    ],
  },
  {
    title: "is about the run without a step",
    ...{ confirmation: { type: "cancel", visit: undefined }, columns: 38 },
    rows: ["Cancel the run? It can be resumed.", "y cancel it · n no"],
  },
])("a question before a command $title", ({ confirmation, columns, rows }) => {
  expect(confirmationRows(confirmation, columns)).toEqual(rows);
});
