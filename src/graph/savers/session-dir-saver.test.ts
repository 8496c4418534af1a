import { afterAll, describe, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { checkpointerConformance } from "../../testkit/conformance/saver/checkpointer-conformance.ts";
import { RunsNotListableError } from "../errors/errors.ts";
import { SaverPlaces } from "../fixtures/saver-places.ts";
import { rejectionOf } from "../fixtures/test-nodes.ts";
import { SessionDirSaver } from "./session-dir-saver.ts";

const places = new SaverPlaces();
afterAll(() => places.cleanUp());

checkpointerConformance("SessionDirSaver", () => places.create("session"), {
  startProcess: (saver, action, runId) => places.startProcess(saver, action, runId),
});
checkpointerConformance("SessionDirSaver with a directory for each run", () => places.create("sessions"), {
  startProcess: (saver, action, runId) => places.startProcess(saver, action, runId),
});

describe("SessionDirSaver", () => {
  test("keeps each run in the checkpoints of its session", async () => {
    const root = await places.createFolder();
    const saver = new SessionDirSaver((runId) => join(root, `session-${runId}`));
    for (const runId of ["1", "2"]) {
      const journal = await saver.open(runId, "create");
      await journal.append({ sequence: 1, kind: "record", body: "{}" });
      await journal.close();
    }
    expect((await readdir(root, { recursive: true })).toSorted()).toEqual([
      "session-1",
      "session-1/checkpoints",
      "session-1/checkpoints/1.journal",
      "session-2",
      "session-2/checkpoints",
      "session-2/checkpoints/2.journal",
    ]);
  });

  test("cannot list the runs of sessions it does not know, and says what it needs", async () => {
    const error = await rejectionOf(new SessionDirSaver((runId) => runId).list());
    expect(error).toEqual(new RunsNotListableError());
    expect(error.message).toBe(
      "A SessionDirSaver that was given a function does not know all sessions. Give it sessionDirectories too, to list their runs.",
    );
  });
});
