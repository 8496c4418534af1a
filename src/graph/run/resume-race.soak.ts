import { afterEach, describe, expect, test } from "bun:test";
import { asking } from "../fixtures/asking-graph.ts";
import { SaverPlaces } from "../fixtures/saver-places.ts";

const places = new SaverPlaces();

afterEach(async () => {
  await places.cleanUp();
});

describe.each(["file", "sqlite"] as const)("two processes that resume a run at the same moment (%s)", (kind) => {
  test("run the rest once, a hundred times", async () => {
    const saver = await places.create(kind);
    const runs = Array.from({ length: 100 }, (_, index) => String(index + 1));
    for (const number of runs) await asking("nobody").run({}, { runId: `r ${number}`, checkpointer: saver });
    const processes = [1, 2].map(() => places.startProcess(saver, "resume-all", "r"));
    for (const process of processes) expect(await process.next()).toEqual({ type: "ready" });
    for (const number of runs) {
      for (const process of processes) process.go(number);
      const told = await Promise.all(processes.map((process) => process.next()));
      const completed = told.filter((report) => JSON.stringify(report).includes("completed"));
      const refused = told.filter((report) => /RunLockedError|RunFinishedError/.test(JSON.stringify(report)));
      expect([number, completed.length, refused.length]).toEqual([number, 1, 1]);
      const records = (await saver.read(`r ${number}`)).filter(({ body }) => /"type":"(done|answer)"/.test(body));
      expect(records).toHaveLength(3);
    }
  }, 60_000);
});
