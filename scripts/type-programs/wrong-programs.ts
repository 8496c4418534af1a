/** What the compiler says when a mapper returns nothing that the state has. */
const NOTHING_IN_COMMON = "has no properties in common with type";

/** What it says of a field that the state does not have, in an update whose type is inferred. */
const NOT_A_FIELD = "is not assignable to type '{ readonly tpoic: never; }'";

/** A program, and the part of the compiler's message that says why it does not compile. */
interface WrongProgram {
  readonly title: string;
  readonly code: string;
  readonly reason: string;
}

const WRONG: readonly WrongProgram[] = [
  {
    title: "an update of a field that the state does not have",
    code: `g.graph(State).start({ id: "n", type: "tool", execute: () => ({ stateUpdate: { tpoic: "x" } }) });`,
    reason: NOTHING_IN_COMMON,
  },
  {
    title: "an update of the wrong type",
    code: `g.graph(State).start({ id: "n", type: "tool", execute: () => ({ stateUpdate: { count: "x" } }) });`,
    reason: "Type 'string' is not assignable to type 'number'",
  },
  {
    title: "reading a field that the state does not have",
    code: `g.graph(State).start({ id: "n", type: "tool", execute: ({ state }) => ({ stateUpdate: { topic: state.tpoic } }) });`,
    reason: "Property 'tpoic' does not exist",
  },
  {
    title: "a tool's mapper with an unknown field",
    code: `g.toolNode<State, object, number>({ id: "n", execute: () => 1, outputMapper: (n) => ({ cuont: n }) });`,
    reason: NOTHING_IN_COMMON,
  },
  {
    title: "a tool's mapper that mistakes the result's type",
    code: `g.toolNode<State, object, number>({ id: "n", execute: () => 1, outputMapper: (n) => ({ topic: n }) });`,
    reason: "Type 'number' is not assignable to type 'string'",
  },
  {
    title: "an agent's mapper with the wrong type",
    code: `g.agentNode<State>({ id: "n", buildMessage: "x", outputMapper: ({ content }) => ({ count: content }) });`,
    reason: "Type 'string' is not assignable to type 'number'",
  },
  {
    title: "an agent's message made of an unknown field",
    code: `g.agentNode<State>({ id: "n", buildMessage: (state) => state.tpoic });`,
    reason: "Property 'tpoic' does not exist",
  },
  {
    title: "an agent without a message",
    code: `g.agentNode<State>({ id: "n" });`,
    reason: "Property 'agent' is missing",
  },
  {
    title: "a named agent's prompt made of an unknown field",
    code: `g.agentNode<State>({ agent: "reviewer", prompt: (state) => state.tpoic });`,
    reason: "Property 'tpoic' does not exist",
  },
  {
    title: "a custom tool's arguments of the wrong type",
    code: `g.customToolNode<State, { readonly path: string }>({ id: "n", toolName: "t", args: (state) => ({ path: state.count }) });`,
    reason: "Type 'number' is not assignable to type 'string'",
  },
  {
    title: "a custom tool's schema that does not give its arguments",
    code: `declare const schema: g.StandardSchema<{ readonly path: number }>;
g.customToolNode<State, { readonly path: string }>({ id: "n", toolName: "t", inputSchema: schema });`,
    reason: "Type 'number' is not assignable to type 'string'",
  },
  {
    title: "a custom tool's mapper that mistakes the result's type",
    code: `g.customToolNode<State, object, number>({ id: "n", toolName: "t", outputMapper: (n) => ({ topic: n }) });`,
    reason: "Type 'number' is not assignable to type 'string'",
  },
  {
    title: "a skill's arguments that are no text",
    code: `g.skillNode<State>({ skill: "commit", args: (state) => state.count });`,
    reason: "Type 'number' is not assignable to type 'string'",
  },
  {
    title: "a command without a name",
    code: `g.commandNode<State>({ args: "x" });`,
    reason: "Property 'command' is missing",
  },
  {
    title: "a sub-agent's task made of an unknown field",
    code: `g.subagentNode<State>({ id: "n", agentName: "explore", task: (state) => state.tpoic });`,
    reason: "Property 'tpoic' does not exist",
  },
  {
    title: "a merge of sub-agents' results with the wrong type",
    code: `g.parallelSubagentNode<State>({ id: "n", agents: [], merge: (results) => ({ topic: results.size }) });`,
    reason: "Type 'number' is not assignable to type 'string'",
  },
  {
    title: "a condition on an unknown field",
    code: `g.graph(State).start(ok).if((state) => state.isDone).endif();`,
    reason: "Property 'isDone' does not exist",
  },
  {
    title: "a loop until an unknown field",
    code: `g.graph(State).start(ok).loop(ok, { until: (state) => state.isDone });`,
    reason: "Property 'isDone' does not exist",
  },
  {
    title: "a misspelt option of a loop",
    code: `g.graph(State).start(ok).loop(ok, { maxIteration: 3 });`,
    reason: "'maxIteration' does not exist in type",
  },
  {
    title: "an unknown strategy",
    code: `g.graph(State).start(ok).parallel([ok], { strategy: "first" });`,
    reason: `Type '"first"' is not assignable to type`,
  },
  {
    title: "a merge function with an unknown field",
    code: `g.graph(State).start(ok).parallel([ok], { merge: () => ({ count: 1, tpoic: "x" }) });`,
    reason: NOT_A_FIELD,
  },
  {
    title: "a map over what is no list",
    code: `g.graph(State).start(ok).map((state) => state.count, ok);`,
    reason: "Type 'number' is not assignable to type 'readonly unknown[]'",
  },
  {
    title: "an answer mapped to the wrong type",
    code: `g.graph(State).start(ok).wait({ inputMapper: (answer) => ({ count: answer }) });`,
    reason: "Type 'string' is not assignable to type 'number'",
  },
  {
    title: "a route to what is no id",
    code: `g.decisionNode<State>({ id: "d", routes: [{ condition: () => true, target: 3 }] });`,
    reason: "Type 'number' is not assignable to type",
  },
  {
    title: "a subgraph whose input does not fit",
    code: `g.subgraphNode<State, Sub>({ id: "n", subgraph: sub, inputMapper: (state) => ({ question: state.count }) });`,
    reason: "Type 'number' is not assignable to type 'string'",
  },
  {
    title: "a subgraph whose output does not fit",
    code: `g.subgraphNode<State, Sub>({ id: "n", subgraph: sub, outputMapper: (end) => ({ count: end.question }) });`,
    reason: "Type 'string' is not assignable to type 'number'",
  },
  {
    title: "a catch handler with an unknown field",
    code: `g.graph(State).start(ok).catch(() => ({ stateUpdate: { tpoic: "x" } }));`,
    reason: NOTHING_IN_COMMON,
  },
  {
    title: "a run with an unknown input",
    code: `void done.run({ tpoic: "x" });`,
    reason: "'tpoic' does not exist in type",
  },
  {
    title: "a fork with an update of the wrong type",
    code: `void done.fork("r", { at: 1, update: { count: "x" } });`,
    reason: "Type 'string' is not assignable to type 'number'",
  },
  {
    title: "a dry run with an unknown input",
    code: `void done.plan({ tpoic: "x" });`,
    reason: "'tpoic' does not exist in type",
  },
  {
    title: "a dry run with a result of the wrong type",
    code: `void done.plan({}, { results: { ok: { count: "x" } } });`,
    reason: "Type 'string' is not assignable to type 'number'",
  },
  {
    title: "a dry run with a result made of an unknown field",
    code: `void done.plan({}, { results: { ok: (state) => ({ topic: state.tpoic }) } });`,
    reason: "Property 'tpoic' does not exist",
  },
  {
    title: "a step of a plan that is read without looking at its type",
    code: `void done.plan().then(({ steps }) => steps[0]?.command);`,
    reason: "Property 'command' does not exist on type",
  },
  {
    title: "a telemetry whose spans cannot end",
    code: `void done.run({}, { telemetry: { startSpan: () => ({ setAttributes() {}, addEvent() {}, setStatus() {} }) } });`,
    reason: "Property 'end' is missing",
  },
  {
    title: "a node without anything to execute",
    code: `g.graph(State).start({ id: "n", type: "tool" });`,
    reason: "is not assignable to parameter of type 'Steps<",
  },
  {
    title: "a reducer that does not fit its field",
    code: `g.annotation<number>(0, g.Reducers.concat);`,
    reason: "is not assignable to",
  },
  {
    title: "a task loop in a state without the loop's fields",
    code: `g.taskLoopNode<State>({ taskNodes: ok });`,
    reason: "is missing the following properties from type 'TaskLoopState'",
  },
  {
    title: "a task loop with nodes of another state",
    code: `g.taskLoopNode<Loop>({ taskNodes: [{ ...looped, execute: ({ state }) => ({ stateUpdate: { topic: state.count } }) }] });`,
    reason: "Property 'count' does not exist",
  },
  {
    title: "a task selector that returns a name",
    code: `g.taskLoopNode<Loop>({ taskNodes: looped, taskSelector: (tasks) => tasks[0]?.name });`,
    reason: "is not assignable to type 'Task | undefined'",
  },
  {
    title: "a criteria loop whose output is no text",
    code: `g.criteriaLoopNode<Loop>({ taskNodes: looped, output: ({ iteration }) => iteration });`,
    reason: "Type 'number' is not assignable to type 'string'",
  },
  {
    title: "a context monitor without a session",
    code: `g.contextMonitorNode<State>({ onExhaustion: "fail" });`,
    reason: "Property 'session' is missing",
  },
  {
    title: "an unknown action at exhaustion",
    code: `g.contextMonitorNode<State>({ session: "s", onExhaustion: "summarize" });`,
    reason: "Type '\"summarize\"' is not assignable",
  },
];

/** A mistake in a node, and the same node in a chain that its state is inferred from, and made by a bound factory. */
const WRONG_NODES: readonly { readonly title: string; readonly node: string; readonly reason: string }[] = [
  {
    title: "a mapper with an unknown field",
    node: `toolNode({ id: "n", execute: () => 1, outputMapper: (n) => ({ tpoic: n }) })`,
    reason: NOT_A_FIELD,
  },
  {
    title: "a mapper with an unknown field beside a known one",
    node: `toolNode({ id: "n", execute: () => 1, outputMapper: (count) => ({ count, tpoic: "x" }) })`,
    reason: NOT_A_FIELD,
  },
  {
    title: "a mapper that mistakes what execute returns",
    node: `toolNode({ id: "n", execute: async () => "x", outputMapper: (count) => ({ count }) })`,
    reason: "Type 'string' is not assignable to type 'number'",
  },
  {
    title: "an argument that args does not make",
    node: `toolNode({ id: "n", args: ({ topic }) => ({ topic }), execute: ({ tpoic }) => tpoic })`,
    reason: "Property 'tpoic' does not exist on type '{ topic: string; }'",
  },
  {
    title: "a message made of an unknown field",
    node: `agentNode({ id: "n", buildMessage: (state) => state.tpoic })`,
    reason: "Did you mean 'topic'?",
  },
  {
    title: "an agent's answer in an unknown field",
    node: `agentNode({ agent: "a", outputMapper: ({ content }) => ({ topic: content, tpoic: content }) })`,
    reason: NOT_A_FIELD,
  },
  {
    title: "an agent without a message",
    node: `agentNode({ id: "n" })`,
    reason: "Property 'agent' is missing",
  },
  {
    title: "a misspelt option",
    node: `shellNode({ id: "n", command: "ls", outputMaper: () => ({}) })`,
    reason: "Did you mean to write 'outputMapper'?",
  },
  {
    title: "evidence in an unknown field",
    node: `shellNode({ id: "n", command: "ls", outputMapper: ({ exitCode }) => ({ count: exitCode, tpoic: 1 }) })`,
    reason: NOT_A_FIELD,
  },
  {
    title: "an answer in an unknown field",
    node: `waitNode({ id: "n", inputMapper: (topic) => ({ topic, tpoic: 1 }) })`,
    reason: NOT_A_FIELD,
  },
  {
    title: "a merge with an unknown field",
    node: `parallelNode({ id: "n", branches: ["ok"], merge: ({ size }) => ({ count: size, tpoic: 1 }) })`,
    reason: NOT_A_FIELD,
  },
  {
    title: "a task loop in a state without the loop's fields",
    node: `taskLoopNode({ taskNodes: ok })`,
    reason: "askLoop",
  },
];

const WRONG_SUBGRAPHS: readonly WrongProgram[] = [
  {
    title: "a subgraph's input in an unknown field",
    code: `g.graph(State).start(g.subgraphNode({ id: "n", subgraph: sub, inputMapper: ({ topic }) => ({ qeustion: topic }) }));`,
    reason: NOTHING_IN_COMMON,
  },
  {
    title: "what a subgraph ends with, in an unknown field",
    code: `g.graph(State).start(g.subgraphNode({ id: "n", subgraph: sub, outputMapper: (end) => ({ topic: end.question, tpoic: 1 }) }));`,
    reason: NOT_A_FIELD,
  },
  {
    title: "an input that does not fit what the mapper of the end says that a named subgraph is",
    code: `g.graph(State).start(g.subgraphNode({ id: "n", subgraph: "sub", inputMapper: ({ count }) => ({ question: count }), outputMapper: (end: Sub) => ({ topic: end.question }) }));`,
    reason: "Type 'number' is not assignable to type 'string'",
  },
];

const WRONG_OUTPUTS: readonly WrongProgram[] = [
  {
    title: "an output made of an unknown field",
    code: `g.graph(State).start(ok).end().compile({ output: (state) => state.tpoic });`,
    reason: "Did you mean 'topic'?",
  },
  {
    title: "a run's output read as something else",
    code: `g.graph(State).start(ok).end().compile({ output: ({ count }) => count }).run().then(({ output }) => output?.length);`,
    reason: "Property 'length' does not exist on type 'number'",
  },
  {
    title: "an item read as something else",
    code: `g.graph(State).map((state) => state.list, ({ toolNode }) => toolNode({ id: "n", execute: (_args, { item }) => item.path }));`,
    reason: "Property 'path' does not exist on type 'string'",
  },
  {
    title: "a bound factory whose nodes need fields that the state does not have",
    code: `g.nodes(State).taskLoopNode({ taskNodes: ok });`,
    reason: "Type 'MissingStateFields<\"taskLoopFields\">' has no call signatures",
  },
];

/** Programs that must not compile. `type-programs.test.ts` inserts the definitions before each one. */
export const WRONG_PROGRAMS: readonly WrongProgram[] = [
  ...WRONG,
  ...WRONG_SUBGRAPHS,
  ...WRONG_OUTPUTS,
  ...WRONG_NODES.flatMap(({ title, node, reason }) => [
    { title: `${title}, in a chain`, code: `g.graph(State).start(g.${node});`, reason },
    { title: `${title}, by a bound factory`, code: `g.nodes(State).${node};`, reason },
  ]),
];
