import { expect, test } from "bun:test";
import { z } from "zod";
import { annotation, compileScript, defineState, graph, nodes, script } from "../../graph/index.ts";
import { createScriptedAgent } from "../scripted-agent/create-scripted-agent.ts";
import type { AgentPatterns } from "./pattern-script.ts";
import { runWorkflow } from "./run-workflow.ts";
import { createTestRepository } from "./test-repository.ts";

const State = defineState({ prompt: annotation("the moon"), poem: annotation(""), answer: annotation("") });
const { agentNode, askUserNode, sleepNode, parallelNode } = nodes(State);
const write = agentNode({
  id: "write",
  buildMessage: ({ prompt }) => `Write two lines about ${prompt}.`,
  outputMapper: ({ content }) => ({ poem: content }),
});
const approve = askUserNode({
  id: "approve",
  options: { question: "Keep it?", options: [{ label: "yes" }, { label: "no" }] },
  outputMapper: (answer) => ({ answer }),
});
const poem = () => graph(State).start(write).then(approve).end().compile();

test("a star answers the nodes without an answer of their own, also the questions of a script", async () => {
  const own = await runWorkflow(poem, { agent: { Write: "" }, answers: { "*": "no", approve: "yes" } });
  expect([own.expectCompleted().state.answer, own.unused]).toEqual(["yes", ['No question used the answer for "*".']]);
  const text = 'export const meta = { name: "s", description: "d" };\nreturn await ask("Ship it?");\n';
  const ship = compileScript({ path: "s.js", text });
  expect((await runWorkflow(ship, { answers: { "*": "no" } })).expectCompleted().output).toBe("no");
  expect((await runWorkflow(ship, { answers: { ask: "yes" } })).expectCompleted().output).toBe("yes");
});

test("the exports of a file whose default export is a script, a graph or a builder can be tested", async () => {
  const publish = script(({ ask }) => ask("Publish it?", ["yes", "no"]));
  expect((await runWorkflow({ default: publish }, { answers: { ask: "no" } })).expectCompleted().output).toBe("no");
  for (const exported of [poem(), graph(State).start(write).then(approve).end()]) {
    const result = await runWorkflow(
      { default: exported },
      { agent: { Write: "Lines." }, answers: { approve: "yes" } },
    );
    expect(result.expectCompleted().state.answer).toBe("yes");
  }
  expect(runWorkflow({ default: undefined } as never)).rejects.toThrow("runWorkflow needs a compiled graph");
});

test("agents answer by pattern, people by node, and the journal says who was asked what", async () => {
  const result = await runWorkflow(poem, {
    input: { prompt: "the sea" },
    agent: [[/about (.+)\./, ({ groups }) => `On ${groups[0]}.`]],
    answers: { approve: ["yes", "no"], write: "no" },
  });
  result.expectCompleted().expectPath("write", "approve");
  expect(result.state).toMatchObject({ poem: "On the sea.", answer: "yes" });
  expect(result.prompts("write")).toEqual(["Write two lines about the sea."]);
  expect(result.visits).toEqual([
    {
      ...{ nodeId: "write", taskId: "write", status: "completed", attempts: 1 },
      update: { poem: "On the sea." },
      prompts: ["Write two lines about the sea."],
    },
    {
      ...{ nodeId: "approve", taskId: "approve", status: "completed", attempts: 1 },
      answer: "yes",
      prompts: [],
    },
  ]);
  expect(result.unusedAnswers).toEqual(["write"]);
  const unused = ['The answers for "approve" are 2, of which 1 was used.', 'No question used the answer for "write".'];
  expect(result.unused).toEqual(unused);
  expect(result.warnings).toEqual(unused);
});

test("a question without an answer suspends the run, which an answer resumes", async () => {
  const waiting = await runWorkflow({ default: poem }, { agent: { Write: "Lines." } });
  waiting.expectSuspended("approve");
  expect(() => waiting.expectCompleted()).toThrow(
    'The run is suspended, not completed\n  "approve" asks: Keep it?\nVisits: write (completed), approve (waiting)',
  );
  expect(() => waiting.expectSuspended("write")).toThrow('The run waits for approve, not for "write".');
  const resumed = await waiting.resume({ approve: "no" });
  expect(resumed.expectCompleted().state.answer).toBe("no");
  expect(resumed.prompts("write")).toEqual(["Write two lines about the moon."]);
});

test("a prompt without a pattern fails the run with the prompt, the node and the patterns", async () => {
  const result = await runWorkflow(poem, {
    agent: [
      ["Plan", ""],
      [/Review (.*)/, ""],
      [({ turnIndex }) => turnIndex > 9, ""],
    ],
  });
  result.expectFailed("no pattern");
  expect(result.error?.message).toBe(
    'The node "write" sent a prompt that no pattern of the test matches:\n  Write two lines about the moon.\n' +
      'The patterns, in order: "Plan", /Review (.*)/, a function. Add one for it.',
  );
  expect(result.visits.map(({ attempts, status }) => ({ attempts, status }))).toEqual([
    { attempts: 1, status: "failed" },
  ]);
});

test("an answer that does not fit rejects", async () => {
  const running = runWorkflow(poem, { agent: { Write: "" }, answers: { approve: "perhaps" } });
  await expect(running).rejects.toThrow("perhaps");
});

test("sleeps, retries and time limits take no time, and are counted", async () => {
  const nap = sleepNode({ id: "nap", durationMs: 86_400_000 });
  const slow = agentNode({
    id: "slow",
    timeout: 60_000,
    retry: { maxAttempts: 3, backoffMs: 1_000, backoffMultiplier: 2 },
    buildMessage: () => "Think.",
  });
  const startedAt = performance.now();
  const result = await runWorkflow(graph(State).start(nap).then(slow).end(), {
    agent: { Think: [{ delayMs: Number.POSITIVE_INFINITY }, { delayMs: 90_000 }, { delayMs: 30_000, text: "Done." }] },
  });
  result.expectCompleted();
  expect(result.visits.map(({ nodeId, attempts }) => [nodeId, attempts])).toEqual([
    ["nap", 1],
    ["slow", 3],
  ]);
  expect(result.elapsedMs).toBeGreaterThanOrEqual(86_400_000 + 60_000 + 60_000 + 30_000);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

test("nodes that work in real time are not cut off by the clock", async () => {
  const shell = nodes(State).shellNode({ id: "shell", command: "sleep 0.3 && echo done", timeout: 100 });
  const other = sleepNode({ id: "other", durationMs: 50 });
  const both = parallelNode({ id: "both", branches: [shell, other] });
  (await runWorkflow(graph(State).start(both).end())).expectCompleted();
});

test("agents work in a repository of the test, by type, with permissions, and answer in the requested shape", async () => {
  await using repository = await createTestRepository({
    files: { "a.txt": "one\n", ".gitignore": "*.log\n" },
    commits: [{ message: "Second", files: { "docs/b.txt": "two\n" } }],
  });
  const rated = agentNode({
    id: "rate",
    agentType: "claude",
    buildMessage: () => "Rate it.",
    outputSchema: z.object({ points: z.number() }),
    outputMapper: ({ structured }) => ({ answer: String(structured.points) }),
  });
  const result = await runWorkflow(graph(State).start(write).then(rated).end(), {
    repository,
    permissions: { rules: [{ tools: ["edit"], effect: "allow" }] },
    agent: {
      Write: {
        actions: [
          { type: "edit-file", path: "a.txt", content: "changed\n" },
          { type: "run-command", command: "echo no > c.txt" },
        ],
        text: "Written.",
      },
    },
    agents: {
      claude: ({ nodeId, taskId }) => ({ structured: { points: nodeId === "rate" && taskId === "rate" ? 7 : 0 } }),
    },
  });
  expect(result.expectCompleted().state.answer).toBe("7");
  expect(result.turns.map(({ agentType, reply }) => [agentType, reply])).toEqual([
    ["scripted", "Written."],
    ["claude", '{"points":7}'],
  ]);
  expect(await repository.tree()).toEqual({ ".gitignore": "*.log\n", "a.txt": "changed\n", "docs/b.txt": "two\n" });
  expect(await repository.git("log", "--format=%an %s")).toBe("Test Second\nTest Start\n");
});

test("a client can be the agent, and the exports of a file with inputs are checked", async () => {
  const client = createScriptedAgent({ script: () => "From a client." });
  const result = await runWorkflow(graph(State).start(write).end().compile(), { agent: client });
  expect(result.expectCompleted().state.poem).toBe("From a client.");
  const inputs = z.object({ prompt: z.string().default("rain") });
  const flow = {
    default: (config: { readonly kind?: string }) =>
      graph(State)
        .start(write)
        .end()
        .compile({ name: config.kind ?? "" }),
    inputs,
    defaultConfig: { kind: "haiku" },
  };
  expect((await runWorkflow(flow)).prompts("write")).toEqual(["Write two lines about rain."]);
  await expect(runWorkflow(flow, { input: { prompt: 7 as never } })).rejects.toThrow(
    'The input "prompt" is invalid: Invalid input: expected string, received number.',
  );
});

test("a script is tested by its text as it is in its file, with places of the file", async () => {
  const text = `// Audits files.
export const meta = { name: "audit", description: "Audits files", phases: [{ title: "Scan" }] };

phase("Scan");
const found = await parallel(args.files.map((file) => () => agent("Audit " + file, { label: file })));
return { name: meta.name, found };
`;
  const audit = compileScript({ path: ".claude/workflows/audit.js", text });
  const agent = [[/Audit (.*)/, ({ groups }) => `${groups[0]} is fine`]] satisfies AgentPatterns;
  const result = await runWorkflow(audit, { input: { files: ["a.ts", "b.ts"] }, agent });
  expect(result.expectCompleted().output).toEqual({ name: "audit", found: ["a.ts is fine", "b.ts is fine"] });
  const failed = await runWorkflow(audit, { agent });
  failed.expectFailed(/\(\.claude\/workflows\/audit\.js:5:/);
});

test("what is no workflow is rejected", async () => {
  await expect(runWorkflow({ nodes: [] } as never)).rejects.toThrow(
    'runWorkflow needs a compiled graph, a builder, or what a workflow file exports, not object. Import the file with: import * as flow from "./flow.ts"',
  );
});
