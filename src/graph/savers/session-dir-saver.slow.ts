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

  test("looks up the directory of an open run once, however often its mailbox is polled", async () => {
    const root = await places.createFolder();
    const lookups: string[] = [];
    const saver = new SessionDirSaver((runId) => {
      lookups.push(runId);
      return join(root, runId);
    });
    const journal = await saver.open("1", "create");
    const sent = await new SessionDirSaver((runId) => join(root, runId)).mailbox.post("1", "pause");
    expect(await saver.mailbox.receive("1")).toEqual([{ id: sent, text: "pause" }]);
    for (let poll = 0; poll < 3; poll++) expect(await saver.mailbox.receive("1")).toEqual([]);
    expect(lookups).toEqual(["1"]);
    await journal.close();
    await saver.mailbox.receive("1");
    expect(lookups).toEqual(["1", "1"]);
  });

  test("keeps the saver of a reopened run when the earlier journal closes twice", async () => {
    const root = await places.createFolder();
    const lookups: string[] = [];
    const saver = new SessionDirSaver((runId) => {
      lookups.push(runId);
      return root;
    });
    const first = await saver.open("1", "create");
    await first.append({ sequence: 1, kind: "record", body: "{}" });
    await first.close();
    const second = await saver.open("1", "resume");
    await first.close();
    await saver.mailbox.receive("1");
    expect(lookups).toEqual(["1", "1"]);
    expect(await saver.isHeld("1")).toBe(true);
    await second.close();
    expect(await saver.isHeld("1")).toBe(false);
  });

  test("cannot list the runs of sessions it does not know, and says what it needs", async () => {
    const error = await rejectionOf(new SessionDirSaver((runId) => runId).list());
    expect(error).toEqual(new RunsNotListableError());
    expect(error.message).toBe(
      "A SessionDirSaver that was given a function does not know all sessions. Give it sessionDirectories too, to list their runs.",
    );
  });
});
