import { describe, expect, test } from "bun:test";
import { dirname } from "node:path";
import { UnknownSessionError } from "../../../contracts/index.ts";
import { rejectionOf } from "../rejection-of.ts";
import { type ClientBench, can } from "./client-bench.ts";
import { holds, requestsWith, say, script } from "./client-script.ts";
import { openTalk, Talk } from "./client-talk.ts";
import { testIfAble } from "./client-world.ts";

/** Conversations that outlive their turn, their session, their process. */
export function describeSessions(bench: ClientBench): void {
  describe("sessions", () => {
    describeRemembering(bench);
    describeResuming(bench);
    describeKeeping(bench);
  });
}

/** An unknown id in the vendor's format. */
async function createUnknownId(bench: ClientBench): Promise<string> {
  const { id } = await openTalk(bench);
  const reversed = (text: string): string => [...text].toReversed().join("");
  const [tail = ""] = /[0-9a-zA-Z]{6}$/.exec(id) ?? [];
  return `${id.slice(0, -6)}${reversed(tail) === tail ? "0a1b2c" : reversed(tail)}`;
}

function describeRemembering(bench: ClientBench): void {
  test("a session remembers the previous turn, and another session does not", async () => {
    script(bench, say("The word is aardvark-11."));
    const talk = await openTalk(bench);
    await talk.complete("What is the word of visit-12?");
    script(bench, say("Still."));
    await talk.complete("And now, in visit-13?");
    expect(
      requestsWith(bench, "visit-13").map((request) => [holds(request, "visit-12"), holds(request, "aardvark-11")]),
    ).toEqual([[true, true]]);
    await (await openTalk(bench)).complete("Who am I, in visit-14?");
    expect(requestsWith(bench, "visit-14").map((request) => holds(request, "visit-12"))).toEqual([false]);
  });

  testIfAble(bench, "resume")("a conversation can be resumed after its session was destroyed", async () => {
    script(bench, say("Noted-21."));
    const talk = await openTalk(bench);
    await talk.complete("Remember badger-22.");
    await talk.session.destroy();
    const resumed = new Talk(bench, await bench.client.resumeSession(talk.id));
    script(bench, say("Badger."));
    const { reply } = await resumed.complete("What was it, in visit-23?");
    expect([resumed.id, reply.content]).toEqual([talk.id, "Badger."]);
    expect(requestsWith(bench, "visit-23").map((request) => holds(request, "badger-22"))).toEqual([true]);
  });

  const isAlone = bench.resumeInNewProcess === undefined;
  test.skipIf(isAlone)("a conversation can be resumed in another process", async () => {
    script(bench, say("Noted-31."));
    const talk = await openTalk(bench);
    await talk.complete("Remember coyote-32.");
    await talk.session.destroy();
    script(bench, say("Coyote."));
    expect(await bench.resumeInNewProcess?.(talk.id, "What was it, in visit-33?")).toBe("Coyote.");
    expect(requestsWith(bench, "visit-33").map((request) => holds(request, "coyote-32"))).toEqual([true]);
  });
}

function describeResuming(bench: ClientBench): void {
  const isLost = !can(bench, "resume") || bench.traits?.losesUnusedSessions === true;
  test.skipIf(isLost)("one without a turn can be resumed as long as its client lives", async () => {
    const { id } = await openTalk(bench);
    const resumed = new Talk(bench, await bench.client.resumeSession(id));
    expect(resumed.id).toBe(id);
    await resumed.expectUsable();
  });

  testIfAble(bench, "resume")("an unknown conversation cannot be resumed", async () => {
    const id = await createUnknownId(bench);
    const error = await rejectionOf(bench.client.resumeSession(id));
    expect(error).toBeInstanceOf(UnknownSessionError);
    expect((error as Error).message).toBe(new UnknownSessionError(bench.client.agentType, id).message); // by the line above
  });
}

function describeKeeping(bench: ClientBench): void {
  testIfAble(bench, "fork")("a fork has the earlier messages; later ones do not reach the original", async () => {
    script(bench, say("Noted-41."));
    const talk = await openTalk(bench);
    await talk.complete("Remember dingo-42.");
    const fork = new Talk(bench, await bench.client.forkSession(talk.id));
    expect(fork.id).not.toBe(talk.id);
    script(bench, say("Forked-43."));
    await fork.complete("Only the fork hears this, visit-44.");
    expect(requestsWith(bench, "visit-44").map((request) => holds(request, "dingo-42"))).toEqual([true]);
    await talk.complete("Back to the original, visit-45.");
    expect(
      requestsWith(bench, "visit-45").map((request) => [holds(request, "dingo-42"), holds(request, "visit-44")]),
    ).toEqual([[true, false]]);
  });

  testIfAble(bench, "fork")("an unknown conversation cannot be forked", async () => {
    const id = await createUnknownId(bench);
    expect(await rejectionOf(bench.client.forkSession(id))).toBeInstanceOf(UnknownSessionError);
  });

  testIfAble(bench, "listSessions")("the list has the conversations, newest first", async () => {
    script(bench, say("Noted."));
    const first = await openTalk(bench);
    await first.complete("Be the first of two.");
    const second = await openTalk(bench);
    await second.complete("Be the second of two.");
    const listed = await bench.client.listSessions();
    const own = listed.filter(({ id }) => id === first.id || id === second.id);
    expect(own.map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(own.every(({ title }) => title !== "")).toBe(true);
    const elsewhere = await bench.client.listSessions({ workingDirectory: dirname(bench.workFolder) });
    expect(elsewhere.filter(({ id }) => id === first.id)).toEqual([]);
    const times = listed.flatMap(({ updatedAt }) => (updatedAt === undefined ? [] : [updatedAt]));
    expect(times).toEqual(times.toSorted((left, right) => right - left));
  });

  testIfAble(bench, "deleteSession")("a deleted conversation is gone", async () => {
    script(bench, say("Noted."));
    const talk = await openTalk(bench);
    await talk.complete("Do not last.");
    await bench.client.deleteSession(talk.id);
    expect(await rejectionOf(bench.client.resumeSession(talk.id))).toBeInstanceOf(UnknownSessionError);
    expect(await rejectionOf(bench.client.deleteSession(talk.id))).toBeInstanceOf(UnknownSessionError);
  });
}
