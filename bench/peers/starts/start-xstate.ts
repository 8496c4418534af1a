import { assign, createActor, fromPromise, setup, toPromise } from "xstate";

const machine = setup({ actors: { add: fromPromise(async () => 1) } }).createMachine({
  context: { count: 0 },
  initial: "adding",
  states: {
    adding: { invoke: { src: "add", onDone: { target: "done", actions: assign({ count: 1 }) } } },
    done: { type: "final" },
  },
});
const actor = createActor(machine);
const finished = toPromise(actor);
actor.start();
await finished;
const { count } = actor.getSnapshot().context;
if (count !== 1) throw new Error(`The run ended with ${count}.`);
