import { expect, test } from "bun:test";
import { checkpointerConformance } from "../../testkit/conformance/saver/checkpointer-conformance.ts";
import { RunLockedError } from "../errors/errors.ts";
import { rejectionOf } from "../fixtures/test-nodes.ts";
import { MemorySaver } from "./memory-saver.ts";

checkpointerConformance("MemorySaver", () => new MemorySaver());

test("MemorySaver says that this process holds the run", async () => {
  const saver = new MemorySaver();
  const journal = await saver.open("r", "create");
  expect(await rejectionOf(saver.open("r", "resume"))).toEqual(new RunLockedError("r", "another part of this process"));
  await journal.close();
});
