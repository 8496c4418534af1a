import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

const PRELUDE = `import * as g from "@bastani/atomic/graph";
const State = g.defineState({ topic: g.annotation(""), count: g.annotation(0), list: g.annotation<string[]>([], g.Reducers.concat) });
type State = g.StateOf<typeof State>;
const Sub = g.defineState({ question: g.annotation("") });
type Sub = g.StateOf<typeof Sub>;
const ok = g.toolNode<State, object, string>({ id: "ok", execute: () => "x", outputMapper: (topic) => ({ topic }) });
const sub = g.graph(Sub).start({ id: "s", type: "tool", execute: () => undefined }).end().compile();
const Loop = g.defineState({ ...g.taskLoopFields, ...g.criteriaLoopFields, topic: g.annotation("") });
type Loop = g.StateOf<typeof Loop>;
const looped: g.NodeDefinition<Loop> = { id: "l", type: "tool", execute: () => undefined };
const done = g.graph(State).start(ok).end().compile();
void ok; void sub; void done; void looped;
`;

/** What the compiler says when a mapper returns nothing that the state has. */
const NOTHING_IN_COMMON = "has no properties in common with type";

/** Programs that must not compile, and the part of the compiler's message that is the reason. */
const WRONG: readonly { readonly title: string; readonly code: string; readonly reason: string }[] = [
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
    reason: "Property 'buildMessage' is missing",
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
    code: `g.graph(State).start(ok).parallel([ok], { merge: () => ({ tpoic: "x" }) });`,
    reason: NOTHING_IN_COMMON,
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
    title: "a selector of tasks that gives a name",
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

/** A program that must compile. */
const LOOPS = `
const work = g.taskLoopNode<Loop>({
  preIterationNode: g.clearContextNode({ session: ({ currentTask }) => \`task \${currentTask?.id}\` }),
  taskNodes: [
    g.agentNode({ id: "implement", session: "s", buildMessage: ({ currentTask }) => currentTask?.name ?? "" }),
    g.contextMonitorNode<Loop>({ session: "s", outputMapper: ({ level }) => ({ topic: level }) }),
  ],
  until: ({ topic }, tasks) => topic === "done" || tasks.length === 0,
});
const talk = g.criteriaLoopNode<Loop>({ taskNodes: looped, output: ({ topic }) => topic });
g.graph(Loop).start(work).then([talk, looped]).loop(g.taskLoopNode<Loop>({ id: "b", taskNodes: looped }), { maxIterations: 2 }).end().compile();
`;

let folder: string;
let output: string;

beforeAll(async () => {
  // Inside the repository, so that the package's own name resolves.
  folder = await mkdtemp(join(ROOT, "node_modules", ".types-"));
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: "../../tsconfig.json", include: ["*.ts"], exclude: [] }),
  );
  for (const [index, { code }] of WRONG.entries()) await writeFile(join(folder, `wrong-${index}.ts`), PRELUDE + code);
  const links = Array.from({ length: 400 }, (_, index) => `  .then({ ...ok, id: "n${index}" })`).join("\n");
  await writeFile(
    join(folder, "right.ts"),
    `${PRELUDE}g.graph(State)\n  .start(ok)\n${links}\n  .end()\n  .compile();`,
  );
  await writeFile(join(folder, "loops.ts"), PRELUDE + LOOPS);
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const child = Bun.spawn(["node", compiler, "--project", folder, "--pretty", "false"], {
    cwd: folder,
    stdout: "pipe",
  });
  output = await new Response(child.stdout).text();
}, 60_000);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

function messagesFor(file: string): string {
  const lines = output.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`${file}(`));
  if (start === -1) return "";
  const end = lines.findIndex((line, index) => index > start && !line.startsWith(" ") && !line.startsWith(`${file}(`));
  return lines.slice(start, end === -1 ? undefined : end).join("\n");
}

test.each(WRONG.map((program, index) => ({ ...program, file: `wrong-${index}.ts` })))(
  "does not compile: $title",
  ({ file, reason }) => {
    expect(messagesFor(file)).toContain(reason);
  },
);

test("a chain of 400 nodes compiles", () => {
  expect(messagesFor("right.ts")).toBe("");
});

test("nodes within a task loop know its state without being told", () => {
  expect(messagesFor("loops.ts")).toBe("");
});

test("nothing else is wrong with the programs", () => {
  const files = new Set(output.split("\n").flatMap((line) => /^([\w-]+\.ts)\(/.exec(line)?.[1] ?? []));
  expect([...files].sort()).toEqual(WRONG.map((_, index) => `wrong-${index}.ts`).sort());
});
