// Called with the file that a user's `import "@bastani/atomic/graph"` leads to; all of it is loaded, as it is there.
// The cast is true: that file is this one, or a bundle of it.
const engine = (await import(process.argv[2] ?? "")) as typeof import("../../../src/graph/index.ts");

const State = engine.defineState({ count: engine.annotation(0) });
const add = engine.toolNode({ id: "add", execute: () => 1 });
const { outputs } = await engine.graph(State).start(add).end().compile().execute({});
if (outputs.add !== 1) throw new Error(`The run ended with ${outputs.add}.`);
