import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { NoTurnRunningError, SessionBusyError, SessionDestroyedError } from "../../../contracts/index.ts";
import { rejectionOf } from "../rejection-of.ts";
import { waitUntil } from "../wait-until.ts";
import type { ClientBench } from "./client-bench.ts";
import {
  callTools,
  holds,
  isOfConversation,
  lastUserText,
  requestsWith,
  SLOW_REPLY,
  say,
  script,
  scriptRequests,
} from "./client-script.ts";
import { eventsOf, openTalk, Talk } from "./client-talk.ts";
import { ALLOW_ALL, type BenchFile, fileIn, isAlive, testIfAble } from "./client-world.ts";

/** Aborted, concurrent and steered turns. */
export function describeEndings(bench: ClientBench): void {
  describe("stopping a turn", () => {
    describeAborts(bench);
    describeAbortThenSend(bench);
    describeStreams(bench);
    describeToolAborts(bench);
    describeDestroying(bench);
  });
  describe("several messages", () => {
    describeBusy(bench);
    describeSteering(bench);
  });
}

function describeAborts(bench: ClientBench): void {
  test("an abort in the middle of the text rejects with its reason and leaves the session usable", async () => {
    script(bench, SLOW_REPLY);
    const talk = await openTalk(bench);
    const controller = new AbortController();
    const reason = new Error("changed my mind");
    talk.onNext("text-delta", () => controller.abort(reason));
    const { events, error } = await talk.fail("Talk.", { signal: controller.signal });
    expect(error).toBe(reason);
    expect(events.at(-1)).toEqual({ type: "turn-end", sessionId: talk.id, at: expect.any(Number), outcome: "aborted" });
    await talk.expectUsable();
  });

  test("an abort before the first byte leaves the session usable", async () => {
    script(bench, { type: "message", text: "too late", delayMs: 20_000 });
    const talk = await openTalk(bench);
    const controller = new AbortController();
    const asked = bench.models.waitForRequest(
      (request) => isOfConversation(request) && holds(request, "Wait for byte-61."),
    );
    const failing = talk.fail("Wait for byte-61.", { signal: controller.signal });
    await asked;
    controller.abort(new Error("too slow"));
    expect((await failing).error).toEqual(new Error("too slow"));
    await talk.expectUsable();
  });

  test("a signal that is already aborted starts nothing", async () => {
    script(bench, say("never"));
    const talk = await openTalk(bench);
    const reason = new Error("was over before");
    const failing = talk.session.send("Talk, never-62.", { signal: AbortSignal.abort(reason) });
    expect(await rejectionOf(failing)).toBe(reason);
    await talk.expectUsable();
    expect(requestsWith(bench, "never-62")).toEqual([]);
  });

  test("session.abort() stops the turn, and does nothing without one", async () => {
    script(bench, SLOW_REPLY);
    const talk = await openTalk(bench);
    await talk.session.abort();
    const stopped = Promise.withResolvers<void>();
    talk.onNext("text-delta", () => talk.session.abort().then(stopped.resolve, stopped.reject));
    const { events, error } = await talk.fail("Talk.");
    await stopped.promise;
    expect([String(error).includes("AbortError"), events.at(-1)]).toEqual([
      true,
      { type: "turn-end", sessionId: talk.id, at: expect.any(Number), outcome: "aborted" },
    ]);
    await talk.expectUsable();
  });
}

function describeAbortThenSend(bench: ClientBench): void {
  test("after an abort, the next message can be sent at once", async () => {
    script(bench, SLOW_REPLY);
    const talk = await openTalk(bench);
    const next = Promise.withResolvers<string>();
    const abortAndSend = async () => {
      await talk.session.abort();
      script(bench, say("next"));
      return (await talk.session.send("Again.")).content;
    };
    talk.onNext("text-delta", () => abortAndSend().then(next.resolve, next.reject));
    const first = rejectionOf(talk.session.send("Talk."));
    expect(await next.promise).toBe("next");
    await first;
  });
}

function describeStreams(bench: ClientBench): void {
  test("a stream that is aborted ends with its turn-end, and does not throw", async () => {
    script(bench, SLOW_REPLY);
    const talk = await openTalk(bench);
    const controller = new AbortController();
    talk.onNext("text-delta", () => controller.abort(new Error("enough")));
    const events = await talk.stream("Talk.", { signal: controller.signal });
    expect(eventsOf(events, "turn-end").map(({ outcome }) => outcome)).toEqual(["aborted"]);
  });

  test("leaving the stream early stops the turn", async () => {
    script(bench, SLOW_REPLY);
    const talk = await openTalk(bench);
    for await (const event of talk.session.stream("Talk.")) if (event.type === "text-delta") break;
    await talk.expectUsable();
  });
}

/** The id of the process that writes it into a file. */
async function readPid(file: BenchFile): Promise<number> {
  await waitUntil(() => file.exists() && readFileSync(file.path, "utf8").endsWith("\n"), "the command did not start");
  return Number(readFileSync(file.path, "utf8").trim());
}

function describeToolAborts(bench: ClientBench): void {
  test("an abort during a command ends the command's process", async () => {
    const file = fileIn(bench, "endless-command.pid");
    script(bench, callTools(bench.calls.bash(`echo $$ > ${file.path}; sleep 300; echo over`)), say("Done."));
    const talk = await openTalk(bench, { permissions: ALLOW_ALL });
    const controller = new AbortController();
    const failing = talk.fail("Run it.", { signal: controller.signal });
    const pid = await readPid(file);
    expect(isAlive(pid)).toBe(true);
    controller.abort(new Error("enough"));
    expect((await failing).error).toEqual(new Error("enough"));
    await waitUntil(() => !isAlive(pid), "the command's process is still there");
    await talk.expectUsable();
  });
}

function describeDestroying(bench: ClientBench): void {
  test("destroy() ends the turn and its command, and can be called again", async () => {
    const file = fileIn(bench, "destroyed-command.pid");
    script(bench, callTools(bench.calls.bash(`echo $$ > ${file.path}; sleep 300; echo over`)), say("Done."));
    const talk = await openTalk(bench, { permissions: ALLOW_ALL });
    const failing = talk.fail("Run it.");
    const pid = await readPid(file);
    await talk.session.destroy();
    const { events, error } = await failing;
    expect([String(error).includes("AbortError"), events.at(-1)]).toEqual([
      true,
      { type: "turn-end", sessionId: talk.id, at: expect.any(Number), outcome: "aborted" },
    ]);
    await waitUntil(() => !isAlive(pid), "the command's process is still there");
    await talk.session.destroy();
  });

  test("a waiting or later message is rejected when its session is destroyed", async () => {
    const talk = await openTalk(bench);
    await expectRefusedWaiting(bench, talk, () => talk.session.destroy());
  });

  test("a waiting or later message is rejected when its client is stopped", async () => {
    const client = bench.createClient();
    const talk = new Talk(bench, await client.createSession(), client);
    await expectRefusedWaiting(bench, talk, () => client.stop());
  });
}

/** Stops everything during a turn, while another message waits for its end. */
async function expectRefusedWaiting(bench: ClientBench, talk: Talk, stop: () => Promise<void>): Promise<void> {
  script(bench, SLOW_REPLY);
  const text = `Waiting-72 for ${talk.id}.`;
  const stopped = Promise.withResolvers<void>();
  talk.onNext("text-delta", () => stop().then(stopped.resolve, stopped.reject));
  const failing = talk.fail("Talk.");
  const waiting = rejectionOf(talk.session.send(text, { whenBusy: "wait" }));
  await Promise.all([failing, waiting, stopped.promise]);
  expect(await rejectionOf(talk.session.send(text))).toEqual(new SessionDestroyedError(talk.id));
  expect(requestsWith(bench, text)).toEqual([]);
}

function describeBusy(bench: ClientBench): void {
  const scriptEcho = (): void =>
    scriptRequests(bench, (request) => ({ type: "message", text: `echo ${lastUserText(request)}`, deltaDelayMs: 30 }));

  test("a second message rejects with a SessionBusyError and does not disturb the first", async () => {
    script(bench, { type: "message", text: "a slow answer here", deltaDelayMs: 50 });
    const talk = await openTalk(bench);
    const first = talk.complete("Slowly.");
    expect(await rejectionOf(talk.session.send("Again."))).toEqual(new SessionBusyError(talk.id));
    expect((await first).reply.content).toBe("a slow answer here");
    await talk.expectUsable();
  });

  test("waiting messages are answered in the order of the calls", async () => {
    scriptEcho();
    const talk = await openTalk(bench);
    const ends: string[] = [];
    const send = async (message: string): Promise<string> => {
      const { content } = await talk.session.send(message, { whenBusy: "wait" });
      ends.push(message);
      return content;
    };
    const contents = await Promise.all(["queued-one", "queued-two", "queued-three"].map(send));
    expect(ends).toEqual(["queued-one", "queued-two", "queued-three"]);
    expect(contents.map((content) => content.match(/queued-\w+/)?.[0])).toEqual(ends);
  });

  test("a message that stops waiting is not answered and delays no other", async () => {
    scriptEcho();
    const talk = await openTalk(bench);
    const controller = new AbortController();
    const sending = Promise.allSettled([
      talk.session.send("patient-one", { whenBusy: "wait" }),
      talk.session.send("impatient-two", { whenBusy: "wait", signal: controller.signal }),
      talk.session.send("patient-three", { whenBusy: "wait" }),
    ]);
    controller.abort(new Error("no patience"));
    expect((await sending).map((result) => (result.status === "rejected" ? result.reason : "answered"))).toEqual([
      "answered",
      new Error("no patience"),
      "answered",
    ]);
    expect(requestsWith(bench, "impatient-two")).toEqual([]);
  });
}

/** Has the model run short commands until it reads the steering text, but not for ever. */
function scriptUntilSteered(bench: ClientBench, text: string): void {
  let callsLeft = 20;
  scriptRequests(bench, (request) => {
    if (holds(request, text)) return say("Steered.");
    callsLeft -= 1;
    return callsLeft > 0 ? callTools(bench.calls.bash("sleep 0.2")) : say("Never steered.");
  });
}

async function steerAtFirstTool(talk: Talk, text: string): Promise<void> {
  const steered = Promise.withResolvers<void>();
  talk.onNext("tool-start", () => talk.session.steer(text).then(steered.resolve, steered.reject));
  const [{ events, reply }] = await Promise.all([talk.complete("Work."), steered.promise]);
  expect(reply.content.endsWith("Steered.")).toBe(true);
  expect(eventsOf(events, "turn-start").length).toBe(1);
}

function describeSteering(bench: ClientBench): void {
  testIfAble(bench, "steer")("a message during a turn is read in the same turn", async () => {
    scriptUntilSteered(bench, "Also water the plants-71.");
    const talk = await openTalk(bench, { permissions: ALLOW_ALL });
    await steerAtFirstTool(talk, "Also water the plants-71.");
    await talk.expectUsable();
  });

  testIfAble(bench, "steer")("without a turn there is nothing to steer", async () => {
    const talk = await openTalk(bench);
    expect(await rejectionOf(talk.session.steer("Hello?"))).toEqual(new NoTurnRunningError(talk.id));
  });
}
