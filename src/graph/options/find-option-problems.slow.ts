import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { PLAN_OPTIONS } from "../dry-run/plan-options.ts";
import { LOOP_OPTIONS, MAP_OPTIONS, PARALLEL_OPTIONS } from "../model/builder-config.ts";
import { GRAPH_OPTIONS } from "../model/graph-config.ts";
import { AGENT_NODE, NAMED_AGENT_NODE } from "../nodes/agents/agent-node.ts";
import { COMMAND_NODE } from "../nodes/agents/command-node.ts";
import { SKILL_NODE } from "../nodes/agents/skill-node.ts";
import { CLEAR_CONTEXT_NODE } from "../nodes/context/clear-context-node.ts";
import { CONTEXT_MONITOR_NODE } from "../nodes/context/context-monitor-node.ts";
import { DECISION_NODE } from "../nodes/flow/decision-node.ts";
import { PARALLEL_NODE } from "../nodes/flow/parallel-node.ts";
import { SUBGRAPH_NODE } from "../nodes/flow/subgraph-node.ts";
import { ASK_USER_NODE } from "../nodes/people/ask-user-node.ts";
import { WAIT_NODE } from "../nodes/people/wait-node.ts";
import { PARALLEL_SUBAGENT_NODE } from "../nodes/subagents/parallel-subagent-node.ts";
import { SUBAGENT_NODE } from "../nodes/subagents/subagent-node.ts";
import { CRITERIA_LOOP_NODE } from "../nodes/tasks/criteria-loop-node.ts";
import { TASK_LOOP_NODE } from "../nodes/tasks/task-loop-node.ts";
import { CUSTOM_TOOL_NODE } from "../nodes/tools/custom-tool-node.ts";
import { SHELL_NODE } from "../nodes/tools/shell-node.ts";
import { TOOL_NODE } from "../nodes/tools/tool-node.ts";
import { FORK_OPTIONS, RESUME_OPTIONS, RUN_OPTIONS, STREAM_OPTIONS } from "../run/run-options.ts";
import { type AnyOptionTable, findOptionProblems, listOf, shape } from "./find-option-problems.ts";
import { anything, count, required, text } from "./option-checks.ts";

const FACTORIES = [
  TOOL_NODE,
  CUSTOM_TOOL_NODE,
  AGENT_NODE,
  NAMED_AGENT_NODE,
  SKILL_NODE,
  COMMAND_NODE,
  SUBAGENT_NODE,
  PARALLEL_SUBAGENT_NODE,
  SHELL_NODE,
  DECISION_NODE,
  WAIT_NODE,
  ASK_USER_NODE,
  PARALLEL_NODE,
  SUBGRAPH_NODE,
  TASK_LOOP_NODE,
  CRITERIA_LOOP_NODE,
  CLEAR_CONTEXT_NODE,
  CONTEXT_MONITOR_NODE,
];

const TABLES: readonly (readonly [name: string, table: AnyOptionTable])[] = [
  ...FACTORIES.map(({ name, options }): readonly [string, AnyOptionTable] => [name, options]),
  ["loop", LOOP_OPTIONS],
  ["parallel", PARALLEL_OPTIONS],
  ["map", MAP_OPTIONS],
  ["compile", GRAPH_OPTIONS],
  ["run", RUN_OPTIONS],
  ["resume", RESUME_OPTIONS],
  ["stream", STREAM_OPTIONS],
  ["fork", FORK_OPTIONS],
  ["plan", PLAN_OPTIONS],
];

/** A name with one letter that is wrong: another one, one too much, or two that changed places. */
function misspell(name: string, { kind, place }: { readonly kind: number; readonly place: number }): string {
  const at = place % name.length;
  if (kind === 0) return `${name.slice(0, at)}q${name.slice(at + 1)}`;
  if (kind === 1) return `${name.slice(0, at)}q${name.slice(at)}`;
  const [left = "", right = ""] = [name[at], name[at + 1]];
  return name.slice(0, at) + right + left + name.slice(at + 2);
}

describe("a config in which one option is misspelt by one letter", () => {
  test.each(TABLES)("of %s is reported with that option as the nearest", (_name, table) => {
    const names = Object.keys(table);
    const spelling = fc.record({ name: fc.constantFrom(...names), kind: fc.nat(2), place: fc.nat(30) });
    fc.assert(
      fc.property(spelling, ({ name, ...how }) => {
        const misspelt = misspell(name, how);
        fc.pre(!(misspelt in table));
        const problems = findOptionProblems(table, { [misspelt]: 1 }).filter((problem) => problem.name === misspelt);
        const text = `has an unknown option "${misspelt}"; did you mean "${name}"?`;
        expect(problems).toEqual([{ name: misspelt, text }]);
        // It is not missing besides.
        const names = findOptionProblems(table, { [misspelt]: 1 }).map((problem) => problem.name);
        expect(names).not.toContain(name);
      }),
      { numRuns: 200 },
    );
  });
});

describe("findOptionProblems", () => {
  const table = {
    id: required(text),
    size: count,
    extra: anything,
    list: listOf(shape({ at: count }), "a list", { min: 1 }),
  };

  test("finds nothing in a config that is right, and takes undefined for not given", () => {
    expect(
      findOptionProblems(table, { id: "", size: 1, list: [{ at: 2 }], extra: undefined, other: undefined }),
    ).toEqual([]);
  });

  test("says where in the config a value is wrong", () => {
    expect(findOptionProblems(table, { id: "x", list: [{ at: 0 }, 5, { a: 1 }] }, { path: "about." })).toEqual([
      { name: "list", text: "has about.list[0].at 0; it must be a whole number from 1" },
      { name: "list", text: "has about.list[1] 5; it must be an object" },
      { name: "list", text: 'has an unknown option "about.list[2].a"; did you mean "about.list[2].at"?' },
    ]);
  });

  test("takes names of objects for what they are", () => {
    expect(findOptionProblems(table, { id: "x", constructor: 1, toString: 2 })).toEqual([
      { name: "constructor", text: 'has an unknown option "constructor"; its options: id, size, extra, list' },
      { name: "toString", text: 'has an unknown option "toString"; its options: id, size, extra, list' },
    ]);
  });

  test("shows every value, however odd, in one short piece", () => {
    const loop: unknown[] = [];
    loop.push(loop);
    class Own {}
    const values = [
      "x".repeat(100),
      null,
      Number.NaN,
      5n,
      Symbol("s"),
      () => 1,
      loop,
      { a: 5n },
      new Own(),
      new Map(),
      [1],
    ];
    const shown = values.flatMap((size) =>
      findOptionProblems({ size: count }, { size }).map((problem) => problem.text),
    );
    expect(shown.map((line) => line.replace("; it must be a whole number from 1", ""))).toEqual([
      `has size "${"x".repeat(60)}…"`,
      "has size null",
      "has size NaN",
      "has size 5n",
      "has size a symbol",
      "has size a function",
      "has size a list",
      "has size an object",
      "has size an Own",
      "has size a Map",
      "has size [1]",
    ]);
  });
});
