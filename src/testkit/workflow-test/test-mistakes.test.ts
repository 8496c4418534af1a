import { describe, expect, test } from "bun:test";
import { annotation, defineState, graph, nodes, script } from "../../graph/index.ts";
import { createScriptedAgent } from "../scripted-agent/create-scripted-agent.ts";
import { patternScript } from "./pattern-script.ts";
import { runWorkflow } from "./run-workflow.ts";

/** As much of this file's path as a message shows. */
const SHORT_PATH = import.meta.path.length > 60 ? `${import.meta.path.slice(0, 60)}…` : import.meta.path;

const State = defineState({ prompt: annotation("the moon"), poem: annotation(""), answer: annotation("") });
const { agentNode, askUserNode, subgraphNode } = nodes(State);
const write = agentNode({
  id: "write",
  agentType: "claude",
  buildMessage: ({ prompt }) => `Write about ${prompt}.`,
  outputMapper: ({ content }) => ({ poem: content }),
});
const approve = askUserNode({
  id: "approve",
  options: { question: "Keep it?", options: [{ label: "yes" }, { label: "no" }] },
  outputMapper: (answer) => ({ answer }),
});
const poem = graph(State).start(write).then(approve).end().compile();

/** What no type checker has seen. */
const lie = (options: unknown) => options as never;

const textOf = (problems: readonly string[], method = "runWorkflow") =>
  `${method}() was called with options that cannot be right:\n${problems
    .map((problem) => `  - ${method}() ${problem}`)
    .join("\n")}\nCorrect the call.`;

const REPLY = "it must be a text or an object such as { text, structured, actions, error }";
const AGENT = "it must be replies by prompt, a function, or a client";

describe("runWorkflow rejects, before anything runs,", () => {
  test.each<[string, unknown, readonly string[]]>([
    [
      "options that it does not have",
      { agnet: {}, answer: {}, onEvents: () => undefined, color: 1 },
      [
        'has an unknown option "agnet"; did you mean "agent"?',
        'has an unknown option "answer"; did you mean "answers"?',
        'has an unknown option "onEvents"; did you mean "onEvent"?',
        'has an unknown option "color"; its options: input, answers, agent, agents, clock, repository, workingDirectory, permissions, config, settings, saver, services, runId, signal, onEvent',
      ],
    ],
    [
      "values of a wrong type",
      { clock: "fast", answers: "yes", input: 5, permissions: "all", settings: { maxVisit: 3 }, saver: {} },
      [
        'has clock "fast"; it must be a VirtualClock or "real"',
        'has answers "yes"; it must be an object of answers by node, such as { approve: "yes" }',
        "has input 5; it must be an object",
        'has permissions "all"; it must be an object',
        'has an unknown option "settings.maxVisit"; did you mean "settings.maxVisits"?',
        "has saver {}; it must be a saver, for example new MemorySaver()",
      ],
    ],
    ["a text as the agent", { agent: "hi" }, [`has agent "hi"; ${AGENT}; for any prompt, write () => "hi"`]],
    [
      "agents that are none",
      { agents: { claude: 5, codex: new Map() } },
      [`has agents.claude 5; ${AGENT}`, `has agents.codex a Map; ${AGENT}`],
    ],
    [
      "patterns that are none",
      { agent: [["Write"], [5, "x"], "Write", ["Write", []]] },
      [
        'has agent[0] ["Write"]; it must be a list of two: a pattern and its reply',
        "has agent[1][0] 5; it must be a text, a regular expression or a function",
        'has agent[2] "Write"; it must be a list of two: a pattern and its reply',
        "has agent[3][1] without a reply; give it at least one",
      ],
    ],
    [
      "replies of a wrong type",
      { agent: { Write: 5, Plan: ["a", { txt: "b" }], Fix: { error: "no", delayMs: "5" } } },
      [
        `has agent["Write"] 5; ${REPLY}`,
        'has an unknown option "agent["Plan"][1].txt"; did you mean "agent["Plan"][1].text"?',
        'has agent["Fix"].error "no"; it must be an Error; write new Error("no")',
        'has agent["Fix"].delayMs "5"; it must be a number from 0',
      ],
    ],
    [
      "actions that are none",
      {
        agent: { Write: { actions: [{ type: "edit", path: "x" }, { type: "edit-file", path: "x", contents: "" }, 5] } },
      },
      [
        'has agent["Write"].actions[0].type "edit"; it must be "edit-file", "read-file", "run-command", "call-tool", "ask-question", "run-subagent", "report-call", "report-denial" or "wait"; did you mean "edit-file"?',
        'has an unknown option "agent["Write"].actions[1].contents"; did you mean "agent["Write"].actions[1].content"?',
        'has agent["Write"].actions[2] 5; it must be an object such as { type: "edit-file", path, content }',
      ],
    ],
    [
      "a repository that is a text",
      { repository: "/tmp/nope" },
      [
        'has repository "/tmp/nope"; it must be what createTestRepository() returns, or an object with a path; write { path: "/tmp/nope" }',
      ],
    ],
    [
      "a folder that does not exist",
      { repository: { path: "/nowhere/at all" } },
      [
        `has repository.path "/nowhere/at all", which cannot be read: ENOENT: no such file or directory, stat '/nowhere/at all'; create the folder, or use createTestRepository()`,
      ],
    ],
    [
      "a folder that is a file",
      { workingDirectory: import.meta.path },
      [`has workingDirectory ${JSON.stringify(SHORT_PATH)}, which is no folder; name the folder around it`],
    ],
    [
      "answers and agents that nothing can ask for",
      { answers: { aprove: "yes", "sub/x#2": "no", approve: "yes", "approve#2": "no" }, agents: { cluade: {} } },
      [
        'has an answer for "aprove", which is no node of the workflow; did you mean "approve"?',
        'has an answer for "sub/x#2", which is no node of the workflow; its nodes: write, approve',
        'has an agent "cluade", which no node names; did you mean "claude"?',
      ],
    ],
  ])("%s", async (_title, options, problems) => {
    const events: unknown[] = [];
    // Where the options are an object with a valid `onEvent`, nothing happens.
    const given = { onEvent: (event: unknown) => events.push(event), ...(options as object) };
    await expect(runWorkflow(poem, lie(given))).rejects.toThrow(new Error(textOf(problems)));
    expect(events).toEqual([]);
  });
});

test("a wrong policy rejects before anything runs", async () => {
  await expect(runWorkflow(poem, { permissions: lie({ rulez: [], rules: [] }) })).rejects.toThrow(
    new Error(
      'The permissions cannot be used. Correct them: permissions.rulez: No such setting. Did you mean "rules"? Known: rules, otherwise, protectedPaths.',
    ),
  );
});

test("a misspelt node in the answers of resume() is named", async () => {
  const waiting = await runWorkflow(poem, { agent: () => "Lines." });
  await expect(waiting.resume({ aprove: "yes" })).rejects.toThrow(
    new Error(
      textOf(['has an answer for "aprove", which is no node of the workflow; did you mean "approve"?'], "resume"),
    ),
  );
  const ended = await waiting.resume({ approve: ["yes"] });
  expect(ended.expectCompleted().expectAllUsed().warnings).toEqual([]);
});

test.each<[string, unknown, string]>([
  ["a number", 5, `is 5; ${REPLY}`],
  ["nothing", undefined, `is undefined; ${REPLY}`],
  ["a wrong action", { actions: [{ type: "read-file" }] }, "has no actions[0].path; give it a text that is not empty"],
])("a function that returns %s fails the run at once, with the node", async (_title, reply, problem) => {
  const result = await runWorkflow(poem, { agent: lie(() => reply) });
  expect(result.expectFailed().error?.message).toBe(`The reply for the node "write" ${problem}.`);
  expect(result.visits.map(({ attempts }) => attempts)).toEqual([1]);
});

test("an action that a script performs by itself is checked, outside runWorkflow too", async () => {
  const agent = createScriptedAgent({
    script: patternScript({
      Go: async ({ tools }) => (await tools.perform(lie({ type: "run", command: "ls" }))).output,
    }),
  });
  const session = await agent.createSession();
  await expect(session.send("Go")).rejects.toThrow(
    'The action of a script has type "run"; it must be "edit-file", "read-file", "run-command", "call-tool", "ask-question", "run-subagent", "report-call", "report-denial" or "wait"; did you mean "run-command"?',
  );
  await agent.stop();
});

test("what a run has not used is named in its warnings, in failures, and by expectAllUsed()", async () => {
  const result = await runWorkflow(poem, {
    agent: { Plan: "" },
    agents: {
      claude: [
        ["Write", ["One.", "Two."]],
        [/never/, ""],
      ],
      codex: () => "",
    },
    answers: { approve: "yes" },
  });
  const unused = [
    "No node asked the agent of the test.",
    'No node asked the agent "codex" of agents.',
    'agents.claude: The pattern "Write" has 2 replies, of which 1 was used.',
    "agents.claude: No prompt used the pattern /never/.",
  ];
  expect(result.expectCompleted().unused).toEqual(unused);
  expect(result.warnings).toEqual(unused);
  const list = unused.map((sentence) => `\n  ${sentence}`).join("");
  expect(() => result.expectAllUsed()).toThrow(new Error(`The run has not used everything in the test:${list}`));
  expect(() => result.expectFailed()).toThrow(
    new Error(`The run is completed, not failed\nVisits: write (completed), approve (completed)${list}`),
  );
});

test("answers for nodes in a subgraph are known, and those of a workflow that only the run finds are left", async () => {
  const inner = graph(State).start(approve).end().compile();
  const outer = graph(State)
    .start(subgraphNode({ id: "sub", subgraph: inner }))
    .end();
  (await runWorkflow(outer, { answers: { approve: "yes" } })).expectCompleted();
  (await runWorkflow(outer, { answers: { "sub/approve": "yes" } })).expectCompleted().expectAllUsed();
  await expect(runWorkflow(outer, { answers: { aprove: "yes" } })).rejects.toThrow(
    'has an answer for "aprove", which is no node of the workflow; did you mean "approve"?',
  );
  const named = graph(State)
    .start(subgraphNode({ id: "sub", subgraph: "inner" }))
    .end();
  const found = await runWorkflow(named, { answers: { aprove: "yes" }, services: { workflows: () => inner } });
  expect(found.expectSuspended("approve").warnings).toEqual([
    'No question used the answer for "aprove". Did you mean "approve"?',
  ]);
});

test("an edit outside of the repository fails the run, and names the path", async () => {
  const edit = { type: "edit-file", path: "../x", content: "" } as const;
  const result = await runWorkflow(poem, { agent: () => ({ actions: [edit], text: "Done." }) });
  expect(result.expectFailed().error?.message).toBe(
    'The action of a scripted agent has the path "../x", which leads out of its working directory. Name a file in it, or the whole path of one elsewhere.',
  );
  expect(result.visits.map(({ attempts }) => attempts)).toEqual([1]);
});

test.each([
  [{ delayMs: Number.NaN }, "has delayMs NaN; it must be a number from 0."],
  [{ actions: [{ type: "edit-file", path: "../x", content: "" }] }, "which leads out of its working directory."],
])(
  "a mistake in a reply fails a script, too, which would get null from an agent that failed: %p",
  async (reply, message) => {
    const flow = script(async ({ agent }) => await agent("Hi"));
    (await runWorkflow(flow, { agent: () => lie(reply) })).expectFailed(message);
  },
);
