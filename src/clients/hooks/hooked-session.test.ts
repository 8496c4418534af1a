import { describe, expect, test } from "bun:test";
import type { CodingAgentClient, Session } from "../../contracts/index.ts";
import { createFakeAgent, type FakeScript } from "../fixtures/fake-agent.ts";
import { HookManager } from "./hook-manager.ts";

/** Hooks that note the messages and the ends of sessions. */
function notingHooks() {
  const noted: unknown[] = [];
  const hooks = new HookManager({
    onHandlerError: (error) => {
      throw error;
    },
  });
  hooks.on("message.before", ({ data }) => void noted.push(data.prompt));
  hooks.on("session.end", ({ data }) => void noted.push(data.reason));
  return { hooks, noted };
}

describe("while the hooks of a message run", () => {
  /** A session whose hooks hold up its messages until `release`. */
  async function openHeldUp(scripts: readonly FakeScript[] = []) {
    const agent = createFakeAgent(scripts);
    const { hooks, noted } = notingHooks();
    const [told, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    hooks.on("message.before", async () => {
      told.resolve();
      await held.promise;
    });
    const client = hooks.attach(agent);
    const session = await client.createSession();
    return { agent, client, session, noted, told: told.promise, release: () => held.resolve() };
  }

  test.each<{ title: string; stop: (session: Session, client: CodingAgentClient) => Promise<void>; reason: string }>([
    { title: "an abort", stop: (session) => session.abort(), reason: "The turn was aborted." },
    { title: "destroy", stop: (session) => session.destroy(), reason: "The session was destroyed." },
    { title: "a stop of the client", stop: (_, client) => client.stop(), reason: "The client was stopped." },
  ])("$title has the agent not get it", async ({ stop, reason }) => {
    const { agent, client, session, told, release } = await openHeldUp();
    const sending = [session.send("Go."), Array.fromAsync(session.stream("And on."))];
    await told;
    const settled = Promise.allSettled(sending);
    await stop(session, client);
    if (reason.includes("turn")) await session.abort(); // the second one has become the oldest
    release();
    const reasons = (await settled).map((result) => "reason" in result && String(result.reason));
    expect(reasons).toEqual([`AbortError: ${reason}`, `AbortError: ${reason}`]);
    expect(agent.sent).toEqual([]);
  });

  test("an abort stops the turn that runs, and not the message that waits for its end", async () => {
    const running = Promise.withResolvers<void>();
    const untilAborted: FakeScript = ({ signal }) => {
      running.resolve();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    };
    const { agent, session, release } = await openHeldUp([untilAborted, () => {}]);
    release();
    const first = session.send("one").catch(String);
    await running.promise;
    const second = session.send("two", { whenBusy: "wait" });
    await session.abort();
    expect(await first).toBe("AbortError: The turn was aborted.");
    await second;
    expect(agent.sent.map(({ prompt }) => prompt)).toEqual(["one", "two"]);
  });

  test("hooks do not hear of one that was aborted before its turn came", async () => {
    const { session, noted, told, release } = await openHeldUp([() => {}]);
    const controller = new AbortController();
    const first = session.send("one");
    const second = session.send("two", { whenBusy: "wait", signal: controller.signal }).catch(String);
    await told;
    controller.abort("never mind");
    release();
    expect(await second).toBe("never mind");
    await first;
    expect(noted).toEqual(["one", "idle"]);
  });
});

test("a session that cannot be destroyed properly has ended for the hooks all the same", async () => {
  const { hooks, noted } = notingHooks();
  const agent = createFakeAgent([]);
  const inner = await agent.createSession();
  inner.destroy = () => Promise.reject(new Error("no answer"));
  agent.createSession = async () => inner;
  const session = await hooks.attach(agent).createSession();
  await expect(session.destroy()).rejects.toThrow("no answer");
  expect(noted).toEqual(["destroy"]);
});
