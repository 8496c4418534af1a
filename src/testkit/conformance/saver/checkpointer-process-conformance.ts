import { describe, expect, test } from "bun:test";
import { type Checkpointer, type JournalEntry, RunLockedError } from "../../../graph/index.ts";
import { rejectionOf } from "../rejection-of.ts";

/** A separate process that uses the same journals as a saver and sends messages. */
export interface SaverProcess {
  /** Its next message; undefined when it has ended. */
  next(): Promise<unknown>;
  /** Lets it continue. */
  go(): void;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
}

/**
 * Starts a process that uses a saver's journals. The owner of its leases is `<action> process`.
 *
 * - `hold` creates the run, writes an entry with the body `held`, sends `{ type: "held" }` and keeps running.
 * - `open` creates the run, writes an entry, sends `{ type: "opened" }` and ends.
 * - `create` and `resume` send `{ type: "ready" }`, wait for `go()`, open the run in that mode, write entry 1 or 2 with
 *   the action as its body, send `{ type: "got" }` and keep running.
 *
 * Errors are sent as `{ type: "error", name, message }`.
 */
export type StartSaverProcess = (
  saver: Checkpointer,
  action: "hold" | "open" | "create" | "resume",
  runId: string,
) => SaverProcess;

const GOT = { type: "got" };
const PROCESS_COUNT = 4;

/** What a {@link Checkpointer} that several processes can use must do. */
export function describeProcesses(
  createSaver: () => Checkpointer | Promise<Checkpointer>,
  startProcess: StartSaverProcess,
): void {
  describe("among processes", () => {
    test("rejects a run that another process holds, and opens it as soon as that process is killed", async () => {
      const saver = await createSaver();
      const holder = startProcess(saver, "hold", "r");
      expect(await holder.next()).toEqual({ type: "held" });
      const locked = await rejectionOf(saver.open("r", "resume"));
      expect([locked, await saver.isHeld("r")]).toEqual([new RunLockedError("r", "hold process"), true]);
      expect(bodiesOf(await saver.read("r"))).toEqual(["held"]);
      expect(await rejectionOf(saver.delete("r"))).toBeInstanceOf(RunLockedError);
      await holder.kill();
      expect(await saver.isHeld("r")).toBe(false);
      const journal = await saver.open("r", "resume");
      await journal.append({ sequence: 2, kind: "record", body: "mine" });
      await journal.close();
      expect(bodiesOf(await saver.read("r"))).toEqual(["held", "mine"]);
    });

    test.each(["create", "resume"] as const)("opens the run for one of several processes that %s it", async (mode) => {
      const saver = await createSaver();
      if (mode === "resume") await leaveDeadHolder(saver, startProcess);
      const processes = Array.from({ length: PROCESS_COUNT }, () => startProcess(saver, mode, "r"));
      expect(await Promise.all(processes.map((process) => process.next()))).toEqual(
        processes.map(() => ({ type: "ready" })),
      );
      for (const process of processes) process.go();
      const told = await Promise.all(processes.map((process) => process.next()));
      const lost = { type: "error", name: "RunLockedError", message: expect.stringContaining(`by ${mode} process.`) };
      const winner = told.findIndex((message) => JSON.stringify(message) === JSON.stringify(GOT));
      expect(told.toSpliced(winner, 1, GOT)).toEqual(told.map((_message, index) => (index === winner ? GOT : lost)));
      expect(bodiesOf(await saver.read("r"))).toEqual(mode === "create" ? ["create"] : ["held", "resume"]);
      await processes[winner]?.kill();
      const journal = await saver.open("r", "resume");
      await journal.close();
    });

    test("supports processes that write to a new folder at the same moment", async () => {
      const saver = await createSaver();
      const processes = [1, 2, 3, 4].map((index) => startProcess(saver, "open", `r${index}`));
      expect(await Promise.all(processes.map((process) => process.next()))).toEqual(
        processes.map(() => ({ type: "opened" })),
      );
      expect((await saver.list()).toSorted()).toEqual(["r1", "r2", "r3", "r4"]);
    });
  });
}

/** Creates a run that a killed process held. */
async function leaveDeadHolder(saver: Checkpointer, startProcess: StartSaverProcess): Promise<void> {
  const holder = startProcess(saver, "hold", "r");
  expect(await holder.next()).toEqual({ type: "held" });
  await holder.kill();
}

function bodiesOf(entries: readonly JournalEntry[]): readonly string[] {
  return entries.map(({ body }) => body);
}
