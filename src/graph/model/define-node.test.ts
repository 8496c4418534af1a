import { describe, expect, test } from "bun:test";
import { type GraphBuilder, graph } from "../builder.ts";
import { node, TestState } from "../fixtures/test-nodes.ts";
import { lie, messageOf, textOf, untyped } from "../fixtures/wrong-graphs.ts";
import { AGENT_NODE, agentNode } from "../nodes/agents/agent-node.ts";
import { commandNode } from "../nodes/agents/command-node.ts";
import { skillNode } from "../nodes/agents/skill-node.ts";
import { clearContextNode } from "../nodes/context/clear-context-node.ts";
import { contextMonitorNode } from "../nodes/context/context-monitor-node.ts";
import { decisionNode } from "../nodes/flow/decision-node.ts";
import { parallelNode } from "../nodes/flow/parallel-node.ts";
import { subgraphNode } from "../nodes/flow/subgraph-node.ts";
import { askUserNode } from "../nodes/people/ask-user-node.ts";
import { waitNode } from "../nodes/people/wait-node.ts";
import { parallelSubagentNode } from "../nodes/subagents/parallel-subagent-node.ts";
import { subagentNode } from "../nodes/subagents/subagent-node.ts";
import { criteriaLoopNode } from "../nodes/tasks/criteria-loop-node.ts";
import { taskLoopNode } from "../nodes/tasks/task-loop-node.ts";
import { customToolNode } from "../nodes/tools/custom-tool-node.ts";
import { shellNode } from "../nodes/tools/shell-node.ts";
import { toolNode } from "../nodes/tools/tool-node.ts";
import type { NodeDefinition } from "./node-definition.ts";

type Builder = GraphBuilder<TestState>;
type Call = { readonly title: string; readonly build: () => Builder; readonly problems: readonly string[] };

const execute = () => undefined;
const [a, b] = [node("a"), node("b")];
const begun = () => graph(TestState).start(a);

/** A graph of one node, which a factory makes of a config that is as wrong as it likes. */
function made(factory: unknown, ...args: readonly unknown[]): () => Builder {
  return () => begun().then(untyped<NodeDefinition<TestState>>(factory)(...args));
}

const FACTORIES: readonly (readonly [name: string, factory: unknown, subject: string])[] = [
  ["toolNode", toolNode, "a toolNode"],
  ["customToolNode", customToolNode, "a customToolNode"],
  ["agentNode", agentNode, "an agentNode"],
  ["skillNode", skillNode, "a skillNode"],
  ["commandNode", commandNode, "a commandNode"],
  ["subagentNode", subagentNode, "a subagentNode"],
  ["parallelSubagentNode", parallelSubagentNode, "a parallelSubagentNode"],
  ["shellNode", shellNode, "a shellNode"],
  ["decisionNode", decisionNode, "a decisionNode"],
  ["waitNode", waitNode, "a waitNode"],
  ["askUserNode", askUserNode, "an askUserNode"],
  ["parallelNode", parallelNode, "a parallelNode"],
  ["subgraphNode", subgraphNode, "a subgraphNode"],
  ["taskLoopNode", taskLoopNode, '"task-loop"'],
  ["criteriaLoopNode", criteriaLoopNode, '"criteria-loop"'],
  ["clearContextNode", clearContextNode, '"clear-context"'],
  ["contextMonitorNode", contextMonitorNode, '"context-monitor"'],
];

describe("a config that is no object is reported by compile(), whatever it is given to:", () => {
  for (const [name, factory, subject] of FACTORIES) {
    test.each<[string, unknown]>([
      ["undefined", undefined],
      ["null", null],
      ["[]", []],
      ["5", 5],
      ['""', ""],
      ["a function", execute],
    ])(`${name}(%s)`, (shown, given) => {
      const problem = `${subject} was given ${shown} instead of an object with its options`;
      expect(messageOf(() => made(factory, given)().end().compile())).toBe(textOf([problem]));
    });

    test(`${name}("plan", {}), as document 5 has it`, () => {
      const hint = name === "agentNode" ? "; the client comes from the run's services" : "";
      const problem = `"plan" was made by ${name}("plan", …), but ${name}() takes one object: ${name}({ id: "plan", … })${hint}`;
      expect(messageOf(() => made(factory, "plan", {}, {})().end().compile())).toBe(textOf([problem]));
    });
  }
});

const nodes: readonly Call[] = [
  {
    title: "toolNode without execute",
    build: made(toolNode, { id: "t", toolName: "gh" }),
    problems: ['"t" has no execute; give it the function to run, or call a tool by its name with customToolNode()'],
  },
  {
    title: "toolNode whose execute is misspelt",
    build: made(toolNode, { id: "t", exceute: execute }),
    problems: ['"t" has an unknown option "exceute"; did you mean "execute"?'],
  },
  {
    title: "retry",
    build: made(toolNode, {
      id: "t",
      execute,
      retry: { maxAttempts: 0, backoffMs: -1, maxBackofMs: 2, jitter: 2, foo: 1 },
    }),
    problems: [
      '"t" has retry.maxAttempts 0; it must be a whole number from 1, or Infinity',
      '"t" has retry.backoffMs -1; it must be a number of milliseconds from 0',
      '"t" has an unknown option "retry.maxBackofMs"; did you mean "retry.maxBackoffMs"?',
      '"t" has retry.jitter 2; it must be a number from 0 to 1',
      '"t" has an unknown option "retry.foo"; its options: maxAttempts, backoffMs, backoffMultiplier, maxBackoffMs, jitter, retryOn',
    ],
  },
  {
    title: "retry: 3",
    build: made(agentNode, { id: "t", buildMessage: "x", retry: 3 }),
    problems: ['"t" has retry 3; it must be an object, for example { maxAttempts: 3 }'],
  },
  {
    title: "timeouts",
    build: () =>
      begun().then(
        ["5s", "2 min", "soon", Number.NaN, -1, 0].map((timeout, index) =>
          toolNode<TestState>({ id: `t${index}`, execute, timeout: lie(timeout) }),
        ),
      ),
    problems: [
      '"t0" has timeout "5s"; it must be a number of milliseconds above 0; write 5000',
      '"t1" has timeout "2 min"; it must be a number of milliseconds above 0; write 120000',
      '"t2" has timeout "soon"; it must be a number of milliseconds above 0',
      '"t3" has timeout NaN; it must be a number of milliseconds above 0',
      '"t4" has timeout -1; it must be a number of milliseconds above 0',
      '"t5" has timeout 0; it must be a number of milliseconds above 0',
    ],
  },
  {
    title: "customToolNode without a tool, and with an invalid schema",
    build: made(customToolNode, { id: "t", inputSchema: { type: "object" }, execute }),
    problems: [
      '"t" has inputSchema {"type":"object"}; it must be a schema, for example one of zod 4',
      '"t" has an unknown option "execute"; its options: id, name, description, toolName, args, outputMapper, timeout, retry, inputSchema',
      '"t" has no toolName; give it the name of a tool',
    ],
  },
  {
    title: "agentNode without buildMessage",
    build: made(agentNode, { id: "t", prompt: "x", sessionConfig: { modle: "opus" }, tools: "read" }),
    problems: [
      '"t" has an unknown option "prompt"; write buildMessage, or name an agent',
      '"t" has an unknown option "sessionConfig.modle"; did you mean "sessionConfig.model"?',
      '"t" has tools "read"; it must be a list of names',
    ],
  },
  {
    title: "a list of tools with entries that are no names",
    build: () =>
      made(agentNode, {
        id: "t",
        buildMessage: "x",
        tools: ["*", "!wrte", "!bsh", "!Bsh(rm:*)", "Bash(git", 5],
      })().then(subagentNode({ id: "s", agentName: "scout", task: "Look", tools: ["*", "!wrte", "!write", "raed"] })),
    problems: [
      '"t" has tools[4] "Bash(git"; it must be the name of a tool, such as "read", "!write" or "Bash(git:*)"',
      '"t" has tools[5] 5; it must be the name of a tool, such as "read", "!write" or "Bash(git:*)"',
    ],
  },
  {
    title: "agentNode without anything",
    build: made(agentNode, {}),
    problems: [
      "an agentNode has no id; give it a text that is not empty",
      "an agentNode has no buildMessage; give it the text to send, or a function of the state that makes it",
    ],
  },
  {
    title: "agentNode whose agent has no name",
    build: made(agentNode, { agent: "" }),
    problems: ['an agentNode has agent ""; it must be a text that is not empty'],
  },
  {
    title: "agentNode with the agentName of other nodes",
    build: made(agentNode, { id: "t", agentName: "scout", prompt: "Look" }),
    problems: ['"t" has an unknown option "agentName"; did you mean "agent"?'],
  },
  {
    title: "agentNode with options of sub-agents",
    build: made(agentNode, { id: "t", buildMessage: "x", onLimit: "stop", isolation: "worktree" }),
    problems: [
      '"t" has an unknown option "onLimit"; only sub-agents take it: use subagentNode',
      '"t" has an unknown option "isolation"; only sub-agents take it: use subagentNode',
    ],
  },
  {
    title: "agentNode with an option unlike any other",
    build: made(agentNode, { id: "t", buildMessage: "x", zzzzzzzz: 1 }),
    problems: [
      `"t" has an unknown option "zzzzzzzz"; its options: ${[...Object.keys(AGENT_NODE.options), "prompt"].join(", ")}`,
    ],
  },
  {
    title: "skillNode and commandNode without a name",
    build: () => made(skillNode, {})().then(untyped<NodeDefinition<TestState>>(commandNode)({ command: 5, args: [] })),
    problems: [
      "a skillNode has no skill; give it the name of a skill",
      "a commandNode has command 5; it must be a text that is not empty",
      "a commandNode has args []; it must be a text or a function",
    ],
  },
  {
    title: "agentNode with session settings that belong in sessionConfig",
    build: made(agentNode, {
      id: "t",
      buildMessage: "x",
      maxTurns: 3,
      maxBudgetUsd: 1,
      permissionMode: "plan",
      reasoningEffort: "low",
      allowedTools: ["read"],
    }),
    problems: [
      '"t" has an unknown option "maxTurns"; write sessionConfig.maxTurns',
      '"t" has an unknown option "maxBudgetUsd"; write sessionConfig.maxBudgetUsd',
      '"t" has an unknown option "permissionMode"; write sessionConfig.permissionMode',
      '"t" has an unknown option "reasoningEffort"; write sessionConfig.reasoningEffort',
      '"t" has an unknown option "allowedTools"; write tools',
    ],
  },
  {
    title: "agentNode with values of its session that no session takes",
    build: made(agentNode, {
      id: "t",
      buildMessage: "x",
      sessionConfig: { maxTurns: 0, maxBudgetUsd: 0, sessionId: "../other" },
    }),
    problems: [
      '"t" has sessionConfig.maxTurns 0; it must be a whole number from 1',
      '"t" has sessionConfig.maxBudgetUsd 0; it must be a number above 0',
      '"t" has sessionConfig.sessionId "../other"; it must be up to 100 letters, digits, "-" and "_"',
    ],
  },
  {
    title: "options under the names of other nodes",
    build: () =>
      begun().then([
        untyped<NodeDefinition<TestState>>(agentNode)({ id: "m", message: "x" }),
        untyped<NodeDefinition<TestState>>(agentNode)({ id: "n", agent: "scout", message: "x" }),
        untyped<NodeDefinition<TestState>>(skillNode)({ id: "k", skill: "s", arguments: "x" }),
        untyped<NodeDefinition<TestState>>(commandNode)({ id: "c", command: "s", arguments: "x" }),
        untyped<NodeDefinition<TestState>>(subagentNode)({ id: "s", agentName: "scout", prompt: "x" }),
        untyped<NodeDefinition<TestState>>(customToolNode)({ id: "t", tool: "lint", input: {} }),
      ]),
    problems: [
      '"m" has an unknown option "message"; did you mean "buildMessage"?',
      '"n" has an unknown option "message"; did you mean "buildMessage"?',
      '"k" has an unknown option "arguments"; did you mean "args"?',
      '"c" has an unknown option "arguments"; did you mean "args"?',
      '"s" has an unknown option "prompt"; did you mean "task"?',
      '"t" has an unknown option "tool"; did you mean "toolName"?',
      '"t" has an unknown option "input"; did you mean "args"?',
    ],
  },
  {
    title: "subagentNode without agentName and task",
    build: made(subagentNode, { id: "t", agent: "scout" }),
    problems: [
      '"t" has an unknown option "agent"; did you mean "agentName"?',
      '"t" has no task; give it a text or a function',
    ],
  },
  {
    title: "parallelSubagentNode",
    build: made(parallelSubagentNode, { id: "t", agents: [{ agentName: "x", taks: "y" }, "z"] }),
    problems: [
      '"t" has an unknown option "agents[0].taks"; did you mean "agents[0].task"?',
      '"t" has agents[1] "z"; it must be an object with an agentName and a task',
      '"t" has no merge; give it a function of the results, such as (results) => ({ answers: [...results.values()] })',
    ],
  },
  {
    title: "shellNode without command",
    build: made(shellNode, { id: "t", cwd: "/" }),
    problems: [
      '"t" has an unknown option "cwd"; its options: id, name, description, command, workingDirectory, outputMapper, failsOnError, timeout, retry',
      '"t" has no command; give it the command line to run, or a function of the state that makes it',
    ],
  },
  {
    title: "decisionNode with the condition of document 5, without anything becoming unreachable",
    build: () => made(decisionNode, { id: "d", condition: () => "a" })().then(b),
    problems: [
      '"d" has an unknown option "condition"; write routes: [{ condition, target }], whose conditions are checked in order',
    ],
  },
  {
    title: "decisionNode with routes that are none",
    build: made(decisionNode, { id: "d", routes: [{ to: "a", condition: true }], fallback: "a" }),
    problems: [
      '"d" has an unknown option "routes[0].to"; its options: condition, target',
      '"d" has routes[0].condition true; it must be a function',
      '"d" has no routes[0].target; give it the id of a node',
    ],
  },
  {
    title: "waitNode({ options: [] }) and autoApprove: true",
    build: made(waitNode, { id: "w", options: [], autoApprove: true }),
    problems: [
      '"w" has options []; it must be a list with at least one answer',
      '"w" has autoApprove true; it must be an object that says after how long, for example { afterMs: 0 }',
    ],
  },
  {
    title: "waitNode with answers that are texts, and without a time",
    build: made(waitNode, { id: "w", options: ["yes"], autoApprove: {}, outputMapper: execute }),
    problems: [
      '"w" has options[0] "yes"; it must be an object with a label, for example { label: "yes" }',
      '"w" has no autoApprove.afterMs; give it a number of milliseconds from 0',
      '"w" has an unknown option "outputMapper"; write inputMapper, which is given the answer',
    ],
  },
  {
    title: "askUserNode with a question beside its options",
    build: made(askUserNode, { id: "q", question: "Right?" }),
    problems: ['"q" has an unknown option "question"; write options: { question, … }'],
  },
  {
    title: "askUserNode without a question",
    build: made(askUserNode, { id: "q", options: { options: [{ label: "" }] } }),
    problems: [
      '"q" has options.options[0].label ""; it must be a text that is not empty',
      '"q" has no options.question; give it a text that is not empty',
    ],
  },
  {
    title: "parallelNode({ branches: [] })",
    build: () => made(parallelNode, { id: "p", branches: [] })().then(b),
    problems: ['"p" has branches []; it must be a list with at least one node or id of a node'],
  },
  {
    title: "parallelNode with a strategy and a mergeStrategy that do not exist",
    build: made(parallelNode, { id: "p", branches: [b], strategy: "first", mergeStrategy: "first" }),
    problems: [
      '"p" has strategy "first"; it must be "all", "race", "any" or "settled"; did you mean "race"?',
      '"p" has an unknown option "mergeStrategy"; write strategy: "all", "race", "any" or "settled"',
    ],
  },
  {
    title: "subgraphNode with a graph that is not compiled",
    build: () => made(subgraphNode, { id: "s", subgraph: begun() })(),
    problems: ['"s" has subgraph a GraphBuilder; it must be a compiled graph, or the name of a workflow'],
  },
  {
    title: "the parts of a node with problems of its own",
    build: made(parallelNode, { id: "p", branches: [lie(toolNode(lie<never>({ id: "x" })))], nmae: "P" }),
    problems: [
      '"p" has an unknown option "nmae"; did you mean "name"?',
      '"x" has no execute; give it the function to run, or call a tool by its name with customToolNode()',
    ],
  },
  {
    title: "loops of nodes",
    build: () =>
      made(taskLoopNode, { taskNodes: "x", untill: execute })().then(
        untyped<NodeDefinition<TestState>>(criteriaLoopNode)({ taskNodes: b, maxIterations: "3" }),
      ),
    problems: [
      '"task-loop" has taskNodes "x"; it must be a node or a list of nodes that is not empty',
      '"task-loop" has an unknown option "untill"; did you mean "until"?',
      '"criteria-loop" has maxIterations "3"; it must be a whole number from 0',
    ],
  },
  {
    title: "sessions and what is done about them",
    build: () =>
      made(clearContextNode, { action: "sumarize" })().then(
        untyped<NodeDefinition<TestState>>(contextMonitorNode)({ session: "s", thresholds: { compaction: 45 } }),
      ),
    problems: [
      '"clear-context" has action "sumarize"; it must be "summarize", "recreate" or "warn"; did you mean "summarize"?',
      '"clear-context" has no session; give it the name of the session',
      '"context-monitor" has thresholds.compaction 45; it must be a number from 0 to 1',
    ],
  },
  {
    title: "a node of one's own, except for fields of its own",
    build: () =>
      begun()
        .then(lie({ id: "o", type: "tol", execute, timeout: 5, retry: { maxAttempts: 0 }, cache: {} }))
        .then(lie({ id: "p", type: "tool", execute, retries: 3, outputMapper: () => ({}) })),
    problems: [
      '"o" has type "tol"; it must be "agent", "tool", "decision", "wait", "ask_user", "sleep", "subgraph", "parallel" or "script"; did you mean "tool"?',
      '"o" has an unknown option "timeout"; did you mean "timeoutMs"?',
      '"o" has retry.maxAttempts 0; it must be a whole number from 1, or Infinity',
      '"p" has an unknown option "retries"; write retry: { maxAttempts: 3 }',
      '"p" has an unknown option "outputMapper"; return { stateUpdate } from execute, or make the node with toolNode()',
    ],
  },
];

describe("compile() reports what a node was made of:", () => {
  test.each(nodes)("$title", ({ build, problems }) => {
    expect(messageOf(() => build().end().compile())).toBe(textOf(problems));
  });
});
