import { expect, test } from "bun:test";
import { node, TestState } from "../fixtures/test-nodes.ts";
import { graph, MemorySaver, type NodeDefinition, subgraphNode, toolNode, waitNode } from "../index.ts";
import { isWorthRetrying } from "../nodes/shared/agent-retry.ts";

const KEYS = "A node returns any of: stateUpdate, goto, signals, isPassed, request, sleep, enter.";

const WHOLE =
  'A node returns nothing, or an object: { stateUpdate: { … } }. What a toolNode() returns is kept in outputs["r"].';
const FIELDS = "it must be an object of fields, for example { done: true }";
const TARGET = "it must be the id of a node, or a list of ids";
const SIGNAL = 'an object with a type, for example { type: "checkpoint", label: "planned" }';
const TYPES = '"checkpoint", "human_input_required", "context_window_warning" or "debug_report_generated"';
const QUESTION = 'it must be an object with a question, for example { question: "Ship it?" }';
const PROMISED = Promise.resolve({ total: 5 });

test.each([
  {
    returned: { stateUpdte: { total: 5 } },
    text: 'an object with the unknown key "stateUpdte". Did you mean "stateUpdate"?',
  },
  {
    returned: { total: 5 },
    text: 'an object with the unknown key "total". Fields of the state belong in stateUpdate: { stateUpdate: { total: … } }.',
  },
  { returned: { stateUpdate: { total: 5 }, xyz: 1 }, text: `an object with the unknown key "xyz". ${KEYS}` },
  {
    returned: "text",
    text: `"text". ${WHOLE}`,
  },
  { returned: new Map([["stateUpdate", { total: 5 }]]), text: `a Map. ${WHOLE}` },
  { returned: new Date(0), text: `a Date. ${WHOLE}` },
  { returned: { stateUpdate: PROMISED }, text: `a result that has stateUpdate a Promise; ${FIELDS}; await it.` },
  { returned: { stateUpdate: new Map() }, text: `a result that has stateUpdate a Map; ${FIELDS}.` },
  { returned: { stateUpdate: "x" }, text: `a result that has stateUpdate "x"; ${FIELDS}.` },
  { returned: { stateUpdate: [{ total: 5 }] }, text: `a result that has stateUpdate [{"total":5}]; ${FIELDS}.` },
  { returned: { goto: { id: "b" } }, text: `a result that has goto {"id":"b"}; ${TARGET}.` },
  { returned: { goto: PROMISED }, text: `a result that has goto a Promise; ${TARGET}; await it.` },
  { returned: { goto: ["r", 3] }, text: "a result that has goto[1] 3; it must be a text." },
  { returned: { isPassed: "no" }, text: 'a result that has isPassed "no"; it must be true or false.' },
  { returned: { signals: null }, text: "a result that has signals null; it must be a list of signals." },
  { returned: { signals: [null] }, text: `a result that has signals[0] null; it must be ${SIGNAL}.` },
  { returned: { signals: [{ type: "nope" }] }, text: `a result that has signals[0].type "nope"; it must be ${TYPES}.` },
  { returned: { signals: [{}] }, text: `a result that has no signals[0].type; give it ${TYPES}.` },
  {
    returned: { signals: [{ type: "checkpoint" }, { type: "human_input_required" }] },
    text: "a result that has no signals[0].label; give it a text; it has no signals[1].prompt; give it a text.",
  },
  { returned: { request: "what?" }, text: `a result that has request "what?"; ${QUESTION}.` },
  { returned: { request: { text: "what?" } }, text: "a result that has no request.question; give it a text." },
  {
    returned: { request: { question: "Which?", options: [] } },
    text: "a result that has request.options []; it must be a list with at least one answer.",
  },
  { returned: { enter: "x" }, text: 'a result that has enter "x"; it must be what a subgraphNode returns.' },
  {
    returned: { enter: { code: {}, input: "x" } },
    text: 'a result that has enter.code {}; it must be the code of a compiled graph; it has enter.input "x"; it must be an object of fields, for example { done: true }.',
  },
])("a node of one's own that returns $returned fails", async ({ returned, text }) => {
  // The cast is the lie of a file that nobody type-checks.
  const wrong = node("r", () => returned as never);
  const { status, errorInfo } = await graph(TestState).start(wrong).end().compile().run({});
  expect({ status, errorInfo }).toMatchObject({
    status: "failed",
    errorInfo: { nodeId: "r", code: "NODE_RESULT_INVALID", message: `The node "r" returned ${text}` },
  });
});

test.each([
  undefined,
  null,
  {},
  { stateUpdate: null },
  { goto: [], signals: [{ type: "checkpoint", label: "here", by: "me" }], isPassed: false },
  new (class {
    readonly stateUpdate = { total: 5 };
  })(),
])("a node may return %p", async (nothing) => {
  const done = node("r", () => nothing as never);
  expect((await graph(TestState).start(done).end().compile().run({})).status).toBe("completed");
});

test("an unknown key without a value loses nothing, and an agent is not asked again for a wrong result", async () => {
  const attempts: number[] = [];
  const wrong = node(
    "wrong",
    ({ attempt }) => {
      attempts.push(attempt);
      // The cast is a lie on purpose: files that are run directly are not type-checked.
      return { output: 1 } as object;
    },
    { retry: { maxAttempts: 3, backoffMs: 0, retryOn: isWorthRetrying } },
  );
  const fine = node("fine", () => ({ output: undefined }) as object);
  const ended = await graph(TestState).start(fine).then(wrong).end().compile().run();
  expect([ended.errorInfo?.code, attempts]).toEqual(["NODE_RESULT_INVALID", [1]]);
});

test.each([
  { title: "a promise", value: Promise.resolve({ total: 5 }) },
  { title: "a text", value: "abc" },
])("a mapper that returns $title fails its step", async ({ title, value }) => {
  const wrong = () => value as never;
  const inner = graph(TestState).start(node("inner")).end().compile();
  const mapped = (mappers: object): NodeDefinition<TestState> =>
    subgraphNode<TestState, TestState>({ id: "sub", subgraph: inner, ...mappers });
  const steps = {
    outputMapper: graph(TestState).start(toolNode({ id: "sub", execute: () => 1, outputMapper: wrong })),
    inputMapper: graph(TestState).start(mapped({ inputMapper: wrong })),
    "outputMapper of a graph": graph(TestState).start(mapped({ outputMapper: wrong })),
    merge: graph(TestState).parallel([node("b"), node("c")], { id: "sub", merge: wrong }),
  };
  const texts: string[] = [];
  for (const builder of Object.values(steps)) {
    const { errorInfo } = await builder.end().compile().run({});
    texts.push(`${errorInfo?.code} ${errorInfo?.message}`);
  }
  const [what, remedy] =
    title === "a promise"
      ? [title, "A mapper cannot wait: wait in the node, or in a toolNode() after it."]
      : ['"abc"', "It must return an object of fields, for example { done: true }."];
  const text = (source: string) => `NODE_RESULT_INVALID The node "sub" returned ${what} from its ${source}. ${remedy}`;
  expect(texts).toEqual(["outputMapper", "inputMapper", "outputMapper", "merge"].map(text));
});

test("an answer whose mapping function returns no fields is rejected, and the question stays open", async () => {
  const wait = waitNode<TestState>({ id: "gate", inputMapper: () => "abc" as never });
  const compiled = graph(TestState).start(wait).end().compile({ checkpointer: new MemorySaver() });
  await compiled.run({}, { runId: "r" });
  const { errorInfo, requests } = await compiled.resume("r", { gate: "yes" });
  expect([errorInfo?.message, requests.length]).toEqual([
    'The node "gate" returned "abc" from its mapping function. It must return an object of fields, for example { done: true }.',
    1,
  ]);
});
