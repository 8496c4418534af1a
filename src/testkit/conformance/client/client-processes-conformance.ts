import { describe, expect, test } from "bun:test";
import { kill } from "node:process";
import { AgentCrashedError } from "../../../contracts/index.ts";
import { rejectionOf } from "../rejection-of.ts";
import { waitUntil } from "../wait-until.ts";
import type { ClientBench } from "./client-bench.ts";
import { holds, requestsWith, SLOW_REPLY, say, script } from "./client-script.ts";
import { openTalk, Talk } from "./client-talk.ts";
import { isAlive } from "./client-world.ts";

/** The vendor's processes: how they stop, and how they crash. */
export function describeProcesses(bench: ClientBench): void {
  describe("processes", () => {
    describeStopping(bench);
    describeCrashes(bench);
  });
}

function describeStopping(bench: ClientBench): void {
  test("start() and stop() may be called again; stop() ends the turns and processes of its client only", async () => {
    script(bench, say("Yes."));
    const neighbour = await openTalk(bench);
    await neighbour.complete("Are you there?");
    const newPids = watchPids(bench);
    const client = bench.createClient();
    await Promise.all([client.start(), client.start()]);
    const talk = new Talk(bench, await client.createSession(), client);
    script(bench, SLOW_REPLY);
    const stopped = Promise.withResolvers<void>();
    talk.onNext("text-delta", () => client.stop().then(stopped.resolve, stopped.reject));
    const failing = talk.fail("Talk.");
    await stopped.promise;
    const { events, error } = await failing;
    expect([String(error).includes("AbortError"), events.at(-1)]).toEqual([
      true,
      { type: "turn-end", sessionId: talk.id, at: expect.any(Number), outcome: "aborted" },
    ]);
    expect(newPids()).toEqual([]);
    await client.stop();
    await neighbour.expectUsable();
  });

  test("stop() while the client, a session or a turn starts leaves no process; the client stays usable", async () => {
    const newPids = watchPids(bench);
    const client = bench.createClient();
    // Where there is something to start, the pending start rejects.
    const starting = client.start().then(
      () => "started",
      (error: unknown) => String(error),
    );
    await client.stop();
    expect(["started", "AbortError: The client was stopped."]).toContain(await starting);
    expect(newPids()).toEqual([]);
    const talk = new Talk(bench, await client.createSession(), client);
    const failing = talk.fail("Are you there?");
    const waiting = rejectionOf(talk.session.send("And are you there?", { whenBusy: "wait" }));
    if (bench.agentPids !== undefined) await waitUntil(() => newPids().length > 0, "no process was started");
    const opening = Promise.allSettled([client.createSession()]);
    await client.stop();
    await Promise.all([failing, waiting, opening]);
    expect(newPids()).toEqual([]);
  });

  test("a client that was never started can be stopped", async () => {
    await bench.createClient().stop();
  });
}

function describeCrashes(bench: ClientBench): void {
  const isWithoutProcess = bench.agentPids === undefined;

  test.skipIf(isWithoutProcess)("one that is killed during a turn fails it; the next turn works", async () => {
    script(bench, say("Noted-181."));
    const talk = await openTalk(bench);
    await talk.complete("Remember gecko-182.");
    script(bench, SLOW_REPLY);
    talk.onNext("text-delta", () => killAll(bench.agentPids?.() ?? []));
    const { error } = await talk.fail("Talk.");
    expect(error).toBeInstanceOf(AgentCrashedError);
    await expectToRemember(bench, talk, "gecko-182");
  });

  test.skipIf(isWithoutProcess)("one that is killed between turns is restarted by the next one", async () => {
    script(bench, say("Noted-183."));
    const talk = await openTalk(bench);
    await talk.complete("Remember gecko-184.");
    const pids = bench.agentPids?.() ?? [];
    killAll(pids);
    await waitUntil(() => !pids.some(isAlive), "the killed processes are still there");
    script(bench, say("back again"));
    const error = await rejectionOf(talk.complete("Are you back?").then(() => Promise.reject("back")));
    // The first turn may be the one that notices the crash; the next one has a new process.
    if (error !== "back") expect(error).toBeInstanceOf(AgentCrashedError);
    await expectToRemember(bench, talk, "gecko-184");
  });
}

/** Returns a function that lists the vendor's processes that started since then and still run. */
function watchPids(bench: ClientBench): () => readonly number[] {
  const before = bench.agentPids?.() ?? [];
  return () => (bench.agentPids?.() ?? []).filter((pid) => !before.includes(pid) && isAlive(pid));
}

/** Checks that the session is usable, and that the model receives the earlier messages. */
async function expectToRemember(bench: ClientBench, talk: Talk, text: string): Promise<void> {
  await talk.expectUsable();
  expect(requestsWith(bench, "Are you there?").at(-1)).toSatisfy(
    (request) => request !== undefined && holds(request, text),
  );
}

function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    if (isAlive(pid)) kill(pid, "SIGKILL");
  }
}
