import { expect, test } from "bun:test";
import {
  AtomicError,
  BudgetSpentError,
  CostUnknownError,
  MaxTurnsReachedError,
  UnknownSessionError,
} from "../../contracts/index.ts";
import { JournalCorruptError, RunNotEditableError, RunNotExecutedError } from "../../graph/index.ts";
import { type EndedCall, explainForCommandLine } from "./explain-for-command-line.ts";

const RUN = "1aaaaaaaaaaa";
const call = (...args: readonly string[]): EndedCall => ({ args, atomicHome: "/home/ada/.atomic" });

test.each([
  {
    original: new RunNotExecutedError(RUN),
    message: `No process executes the run "${RUN}". See where it stands: atomic runs show ${RUN}`,
  },
  {
    original: new RunNotEditableError(RUN, "running"),
    message: `The run "${RUN}" is in progress. Pause it first: atomic runs pause ${RUN}`,
  },
  {
    original: new RunNotEditableError(RUN, "completed"),
    message: `The run "${RUN}" is completed and stays as it is. Start a new run: atomic run WORKFLOW`,
  },
  {
    original: new UnknownSessionError("claude", "nope"),
    message: 'The agent "claude" has no session "nope". Omit --session to start a new conversation.',
  },
  {
    original: new MaxTurnsReachedError("claude", 1),
    message:
      'The agent "claude" was stopped after 1 model call, the limit of --max-turns. Send another message with --session to continue, or raise --max-turns.',
  },
  {
    original: new BudgetSpentError("claude", { spentUsd: 1.5, maxBudgetUsd: 0.002 }),
    message:
      'The agent "claude" was stopped: it has spent $1.50, and --max-cost is $0.0020. Raise --max-cost to continue.',
  },
  {
    original: new CostUnknownError("copilot"),
    message:
      'The agent "copilot" does not report the cost of its model, so --max-cost cannot be enforced. Omit --max-cost and use --max-turns, or set prices for the endpoint\'s models.',
  },
])("the remedy is a command or an option: $message", ({ original, message }) => {
  const explained = explainForCommandLine(original, call("-p", "hello", "--max-turns", "1", "--max-cost=0.002"));
  const runId = "runId" in original ? { runId: RUN } : {};
  expect(explained).toMatchObject({ code: original.code, message, cause: original, ...runId });
});

const FOLDER = `/home/ada/.atomic/workflows/sessions/${RUN}`;

test("a damaged journal can be restored, and a program can drop its damaged end", () => {
  expect(explainForCommandLine(new JournalCorruptError(RUN, 3, "its checksum does not match"), call())).toMatchObject({
    code: "JOURNAL_CORRUPT",
    runId: RUN,
    message: [
      `The journal of the run "${RUN}" is damaged at entry 3 (its checksum does not match), so the run can be neither shown nor resumed.`,
      `Its folder is ${FOLDER}`,
      "Restore journal.db there from a backup, or start a new run: atomic run WORKFLOW",
      "Entry 2 and those before it are intact. To drop the later ones, back up journal.db and call this in a program, then resume the run:",
      '  import { SqliteSaver } from "@bastani/atomic/graph";',
      `  await new SqliteSaver({ path: "${FOLDER}/journal.db" }).truncate("${RUN}", 2);`,
    ].join("\n"),
  });
});

test("other errors stay unchanged", () => {
  const errors = [new AtomicError("X", "x"), new Error("y"), "z", new RunNotExecutedError(undefined)];
  expect(errors.map((error) => explainForCommandLine(error, call("--max-turns", "1")) === error)).toEqual([
    true,
    true,
    true,
    true,
  ]);
});

test("an option that was not given is not named", () => {
  const spent = new BudgetSpentError("claude", { spentUsd: 1.5, maxBudgetUsd: 1 });
  expect(explainForCommandLine(spent, call("run", "flow", "--max-turns", "3"))).toBe(spent);
  expect(explainForCommandLine(new CostUnknownError("x"), call("run", "flow"))).toBeInstanceOf(CostUnknownError);
  const reached = new MaxTurnsReachedError("claude", 1);
  expect(explainForCommandLine(reached, call("run", "flow", "--max-cost", "1"))).toBe(reached);
});
