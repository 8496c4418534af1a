import { assign, createActor, createMachine, fromPromise, toPromise } from "xstate";
import { type PrepareCase, UNSTORED } from "../src/engine.ts";
import {
  type AskingWork,
  type BenchState,
  type BenchUpdate,
  branchResult,
  type FanOutWork,
  listItems,
  listNodeIds,
  type StepsWork,
  type Work,
} from "../src/workload.ts";

// The casts in this file are true: context, input and output are those of the machine in which they stand, whose own type
// depends on the name of every state.

/** A machine, whatever its states. */
type Machine = ReturnType<typeof createMachine>;

interface CompiledWork {
  readonly machine: Machine;
  readonly input: unknown;
}

/** XState: a node is a state that invokes a promise. It keeps nothing, so that it has no saver to be measured with. */
export const prepare: PrepareCase = async ({ work }) => {
  const { machine, input } = compileWork(work);
  return {
    ...UNSTORED,
    run: () => {
      // The cast is true: the machine takes whatever its work says.
      const actor = createActor(machine, { input: input as never });
      actor.start();
      return work.type === "asking" ? actor : toPromise(actor);
    },
  };
};

function compileWork(work: Work): CompiledWork {
  switch (work.type) {
    case "steps":
      return compileSteps(work);
    case "fan-out":
      return work.branches === "dynamic" ? compileDynamic(work) : compileStatic(work);
    case "asking":
      return compileAsking(work);
  }
}

function compileSteps({ shape, stepCount, firstState, body }: StepsWork): CompiledWork {
  const src = fromPromise(async ({ input }) => await body(input as BenchState));
  const actions = assign(({ event }) => (event as unknown as { readonly output: BenchUpdate }).output);
  const readContext = ({ context }: { readonly context: unknown }) => context;
  const isOver = ({ event }: { readonly event: unknown }) =>
    (event as { readonly output: BenchUpdate }).output.count === stepCount;
  const ids = listNodeIds(stepCount);
  const chain = ids.map((id, index) => [
    id,
    { invoke: { src, input: readContext, onDone: { target: ids[index + 1] ?? "done", actions } } },
  ]);
  const onDone = [
    { guard: isOver, target: "done", actions },
    { target: "work", reenter: true, actions },
  ];
  const machine = createMachine({
    initial: shape === "chain" ? ids[0] : "work",
    context: ({ input: state }: { readonly input: BenchState }) => state,
    states: {
      ...(shape === "chain" ? Object.fromEntries(chain) : { work: { invoke: { src, input: readContext, onDone } } }),
      done: { type: "final" },
    },
    output: readContext,
  } as never);
  return { machine, input: firstState };
}

/** Children that are spawned when the machine starts; the last result ends it. */
function compileDynamic({ stepCount }: FanOutWork): CompiledWork {
  const branch = fromPromise(async ({ input }) => branchResult(input as number));
  interface Context {
    readonly results: readonly number[];
  }
  const collect = assign(({ context, event }) => ({
    results: [...(context as Context).results, (event as unknown as { readonly output: number }).output],
  }));
  const machine = createMachine({
    initial: "collecting",
    context: ({
      input,
      spawn,
    }: {
      readonly input: readonly number[];
      readonly spawn: (src: unknown, options: object) => unknown;
    }) => ({
      results: [],
      branches: input.map((item) => spawn(branch, { id: `branch_${item}`, input: item })),
    }),
    states: {
      collecting: {
        on: { "xstate.done.actor.*": { actions: collect } },
        always: {
          guard: ({ context }: { readonly context: Context }) => context.results.length === stepCount,
          target: "done",
        },
      },
      done: { type: "final" },
    },
    output: ({ context }: { readonly context: Context }) => context.results,
  } as never);
  return { machine, input: listItems(stepCount) };
}

/** A parallel state with a region for each branch. */
function compileStatic({ stepCount }: FanOutWork): CompiledWork {
  interface Context {
    readonly results: readonly number[];
  }
  const actions = assign(({ context, event }) => ({
    results: [...(context as Context).results, (event as unknown as { readonly output: number }).output],
  }));
  const regions = listNodeIds(stepCount).map((id, index) => {
    const src = fromPromise(async () => branchResult(index));
    return [
      id,
      {
        initial: "working",
        states: { working: { invoke: { src, onDone: { target: "done", actions } } }, done: { type: "final" } },
      },
    ];
  });
  const machine = createMachine({
    type: "parallel",
    context: { results: [] },
    states: Object.fromEntries(regions),
    output: ({ context }: { readonly context: Context }) => context.results,
  } as never);
  return { machine, input: undefined };
}

function compileAsking({ firstState }: AskingWork): CompiledWork {
  const machine = createMachine({
    initial: "asking",
    context: ({ input }: { readonly input: BenchState }) => input,
    states: { asking: { on: { answer: "done" } }, done: { type: "final" } },
  } as never);
  return { machine, input: firstState };
}
