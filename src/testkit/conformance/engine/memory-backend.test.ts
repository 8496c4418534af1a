import { expect, test } from "bun:test";
import { graph } from "../../../graph/index.ts";
import { coordinatorConformance } from "./coordinator-conformance.ts";
import { createMemoryBackend } from "./memory-backend.ts";
import { LogState, Witness } from "./run-backend.ts";

coordinatorConformance("a place of one's own in memory", createMemoryBackend);

test("publishes the events of the coordinator and the nodes in order", async () => {
  const backend = createMemoryBackend();
  const witness = new Witness();
  const compiled = graph(LogState)
    .start(witness.node("a", ({ emit }) => emit({ type: "log", message: "working" })))
    .then(witness.node("b"))
    .end()
    .compile();
  await backend.run(compiled, "r");
  expect(backend.published.map((event) => ("nodeId" in event ? `${event.type} ${event.nodeId}` : event.type))).toEqual([
    "node-start a",
    "log a",
    "node-end a",
    "node-start b",
    "node-end b",
  ]);
});
