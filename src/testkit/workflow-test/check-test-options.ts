import { stat } from "node:fs/promises";
import { assertPermissions, messageOf, nearestName } from "../../contracts/index.ts";
import {
  type AnyOptionTable,
  aFunction,
  assertOptions,
  either,
  GRAPH_OPTIONS,
  having,
  insteadOf,
  type OptionCheck,
  type OptionTable,
  object,
  oneOf,
  RUN_OPTIONS,
  required,
  saver,
  shape,
  showValue,
  someText,
} from "../../graph/engine.ts";
import { InvalidOptionsError } from "../../graph/index.ts";
import { scriptedReply } from "../scripted-agent/check-reply.ts";
import { ANY_NODE, type TestAnswers } from "./answer-book.ts";
import type { RunWorkflowOptions } from "./run-workflow-options.ts";
import { isGiven } from "./test-agent.ts";
import type { TestNames } from "./test-names.ts";

/** The problems of a value, as those of an option at this path. */
function problemsOf(check: OptionCheck, value: unknown, path: string): readonly string[] {
  if (check.accepts(value)) return check.inside?.(value, path) ?? [];
  const advice = check.advise?.(value);
  return [`has ${path} ${showValue(value)}; it must be ${check.expected}${advice === undefined ? "" : `; ${advice}`}`];
}

function replyProblems(reply: unknown, path: string): readonly string[] {
  if (typeof reply === "function") return [];
  if (!Array.isArray(reply)) return problemsOf(scriptedReply, reply, path);
  if (reply.length === 0) return [`has ${path} without a reply; give it at least one`];
  return reply.flatMap((each, index) => problemsOf(scriptedReply, each, `${path}[${index}]`));
}

function pairProblems(pair: unknown, path: string): readonly string[] {
  if (!Array.isArray(pair) || pair.length !== 2) {
    return [`has ${path} ${showValue(pair)}; it must be a list of two: a pattern and its reply`];
  }
  const [pattern, reply]: readonly unknown[] = pair;
  const isPattern = typeof pattern === "string" || typeof pattern === "function" || pattern instanceof RegExp;
  const expected = "a text, a regular expression or a function";
  const problems = isPattern ? [] : [`has ${path}[0] ${showValue(pattern)}; it must be ${expected}`];
  return [...problems, ...replyProblems(reply, `${path}[1]`)];
}

/** An agent of a test: the table of its forms is `TestAgent`. */
const testAgent: OptionCheck = {
  expected: "replies by prompt, a function, or a client",
  accepts: (value) =>
    typeof value === "function" || Array.isArray(value) || isGiven(value) || CLIENT.accepts(value) || isPlain(value),
  advise: (value) => (typeof value === "string" ? `for any prompt, write () => ${JSON.stringify(value)}` : undefined),
  inside(value, path) {
    if (typeof value === "function" || isGiven(value) || CLIENT.accepts(value)) return [];
    if (Array.isArray(value)) return value.flatMap((pair, index) => pairProblems(pair, `${path}[${index}]`));
    // The cast is true: it is neither a list nor a function.
    const patterns = Object.entries(value as object);
    return patterns.flatMap(([pattern, reply]) => replyProblems(reply, `${path}[${JSON.stringify(pattern)}]`));
  },
};

const CLIENT = having(["createSession"], "a client");

/** Whether a value is an object without a class. */
function isPlain(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // An object of another realm, as in Vitest, has another prototype.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

const REPOSITORY: AnyOptionTable = { path: required(someText) };

const repository: OptionCheck = {
  ...shape(REPOSITORY, { isOpen: true }),
  expected: "what createTestRepository() returns, or an object with a path",
  advise: (value) => (typeof value === "string" ? `write { path: ${JSON.stringify(value)} }` : undefined),
};

const agentsByType: OptionCheck = {
  expected: "an object of agents by type",
  accepts: object.accepts,
  inside: (value, path) =>
    // The cast is true: only what is accepted is looked into.
    Object.entries(value as object).flatMap(([type, agent]) => problemsOf(testAgent, agent, `${path}.${type}`)),
};

const answersByNode: OptionCheck = { ...object, expected: 'an object of answers by node, such as { approve: "yes" }' };

const WORKFLOW_OPTIONS: OptionTable<RunWorkflowOptions> = {
  input: object,
  answers: answersByNode,
  agent: testAgent,
  agents: agentsByType,
  clock: { ...either(RUN_OPTIONS.clock, oneOf(["real"])), expected: 'a VirtualClock or "real"' },
  repository,
  workingDirectory: insteadOf("repository", someText),
  permissions: object,
  config: object,
  settings: shape(GRAPH_OPTIONS),
  saver,
  services: RUN_OPTIONS.services,
  runId: someText,
  signal: RUN_OPTIONS.signal,
  onEvent: aFunction,
};

/** Checks what does not depend on the workflow. @throws InvalidOptionsError, PermissionsInvalidError with all that is wrong */
export async function assertTestOptions(options: RunWorkflowOptions): Promise<void> {
  assertOptions("runWorkflow", options, { table: WORKFLOW_OPTIONS });
  assertPermissions(options.permissions);
  const { repository: where, workingDirectory } = options;
  const path = where?.path ?? workingDirectory;
  if (path === undefined) return;
  const name = where === undefined ? "workingDirectory" : "repository.path";
  const problem = await folderProblem(path);
  if (problem === undefined) return;
  throw new InvalidOptionsError("runWorkflow", [`runWorkflow() has ${name} ${showValue(path)}, ${problem}`]);
}

async function folderProblem(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isDirectory() ? undefined : "which is no folder; name the folder around it";
  } catch (error) {
    return `which cannot be read: ${messageOf(error)}; create the folder, or use createTestRepository()`;
  }
}

/** Checks the names of nodes and agents, as far as the workflow says them. @throws InvalidOptionsError */
export function assertTestNames(
  method: string,
  { answers = {}, agents = {}, names }: Pick<RunWorkflowOptions, "answers" | "agents"> & { readonly names: TestNames },
): void {
  const problems = names.isOpen
    ? []
    : [
        ...Object.keys(answers).flatMap((name) => answerProblems(name, names.nodeIds)),
        ...Object.keys(agents).flatMap((type) => agentProblems(type, names.agentTypes)),
      ];
  if (problems.length > 0) {
    throw new InvalidOptionsError(
      method,
      problems.map((problem) => `${method}() ${problem}`),
    );
  }
}

/** An answer is for a node, or for a question by its id: `sub/approve`, `approve#2`. */
function answerProblems(name: string, nodeIds: ReadonlySet<string>): readonly string[] {
  const node = (name.split("/").at(-1) ?? name).replace(/#\d+$/, "");
  if (name === ANY_NODE || nodeIds.has(name) || nodeIds.has(node)) return [];
  const nearest = nearestName(node, nodeIds);
  const known = nodeIds.size === 0 ? "it has no nodes" : `its nodes: ${[...nodeIds].join(", ")}`;
  return [
    `has an answer for "${name}", which is no node of the workflow; ${nearest === undefined ? known : `did you mean "${nearest}"?`}`,
  ];
}

/** Only a misspelling is wrong for sure: a node may choose its agent in a run. */
function agentProblems(type: string, agentTypes: ReadonlySet<string>): readonly string[] {
  if (agentTypes.has(type)) return [];
  const nearest = nearestName(type, agentTypes);
  return nearest === undefined ? [] : [`has an agent "${type}", which no node names; did you mean "${nearest}"?`];
}

/** Checks the answers of a later part of the run. @throws InvalidOptionsError */
export function assertLaterAnswers(answers: TestAnswers, names: TestNames): void {
  if (!object.accepts(answers)) {
    throw new InvalidOptionsError("resume", [
      `resume() was given ${showValue(answers)}; it must be ${answersByNode.expected}`,
    ]);
  }
  assertTestNames("resume", { answers, names });
}
