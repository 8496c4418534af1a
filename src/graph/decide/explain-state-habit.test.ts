import { expect, test } from "bun:test";
import { failing, node, TestState } from "../fixtures/test-nodes.ts";
import { decisionNode, type GraphBuilder, graph } from "../index.ts";
import { explainStateHabit } from "./explain-state-habit.ts";

// The casts stand in for files that are not type-checked.
type Misread = { readonly state: { readonly isDone: boolean } };
const isDone = ((ctx: Misread) => ctx.state.isDone) as never;
const isDoneApart = (({ state }: Misread) => state.isDone) as never;
const hint = (what: string): string =>
  `undefined is not an object (evaluating '${what}'). The function is given the state itself, not a context: write (state) => state.isDone`;

const begun = (): GraphBuilder<TestState> => graph(TestState).start(node("begin"));

test.each([
  { title: "until", build: () => begun().loop(node("body"), { until: isDone }), what: "ctx.state.isDone" },
  { title: "if", build: () => begun().if(isDoneApart).then(node("yes")).endif(), what: "state.isDone" },
  {
    title: "a route",
    build: () =>
      begun()
        .then(decisionNode({ id: "decide", routes: [{ condition: isDone, target: "last" }] }))
        .then(node("last")),
    what: "ctx.state.isDone",
  },
])(
  "an error explains that a function of the state received the state, not a context: $title",
  async ({ build, what }) => {
    const { errorInfo } = await build().end().compile().run({});
    expect(errorInfo?.message).toBe(hint(what));
  },
);

test("other errors stay as they are", async () => {
  const own = failing("own", "undefined is not an object (evaluating 'ctx.state.x')");
  const { errorInfo } = await begun().then(own).end().compile().run({});
  expect(errorInfo?.message).toBe("undefined is not an object (evaluating 'ctx.state.x')");
});

test.each([
  { title: "V8's wording", error: new TypeError("Cannot read properties of undefined (reading 'isDone')"), state: {} },
  { title: "another expression", error: new TypeError("undefined is not an object (evaluating 'a.b')"), state: {} },
  {
    title: "a state that has a field named state",
    error: new TypeError("undefined is not an object (evaluating 'ctx.state.isDone')"),
    state: { state: 1 },
  },
])("an error stays unchanged when its message does not match: $title", ({ error, state }) => {
  const { message } = error;
  expect(explainStateHabit(error, state)).toBe(error);
  expect(error.message).toBe(message);
});
