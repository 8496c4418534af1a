import { describe, expect, test } from "bun:test";
import {
  AgentCrashedError,
  BudgetSpentError,
  type CodingAgentClient,
  NO_USAGE,
  NoTurnRunningError,
  type Session,
  SessionDestroyedError,
} from "../../../contracts/index.ts";
import { createFakeAgent, type FakeScript } from "../../fixtures/fake-agent.ts";
import type { RecoveryPolicy } from "./decide-recovery.ts";
import { withRecovery } from "./with-recovery.ts";

const CHANGING: RecoveryPolicy = { maxAttempts: 1, fallbackModels: ["small"] };

const crash: FakeScript = () => {
  throw new AgentCrashedError("fake", "signal SIGKILL", []);
};

function say(text: string): FakeScript {
  return ({ publish }) => publish({ type: "text-delta", text });
}

/** An agent that resumes sessions when the test says so. */
function createSlowAgent(...scripts: readonly FakeScript[]) {
  const agent = createFakeAgent(scripts);
  const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const resume = agent.resumeSession.bind(agent);
  agent.resumeSession = async (...args) => {
    asked.resolve();
    await held.promise;
    return resume(...args);
  };
  return { agent, asked: asked.promise, release: () => held.resolve() };
}

describe("while a session is opened with another model", () => {
  test("who else wants it waits for the same one", async () => {
    const { agent, asked, release } = createSlowAgent(crash, say("Done."));
    const session = await withRecovery(agent, CHANGING).createSession();
    const sending = session.send("Go.");
    await asked;
    const usage = session.getContextUsage();
    release();
    expect([(await sending).content, (await usage).usedTokens]).toEqual(["Done.", 1]);
    await session.destroy();
    expect(agent.calls).toEqual(["destroy s1", "resume s1 small", "destroy s1"]);
  });

  test("an abort ends the turn at once, and the next turn has its own events", async () => {
    const { agent, asked, release } = createSlowAgent(crash, say("Again."));
    const client = withRecovery(agent, CHANGING);
    const session = await client.createSession();
    const first = session.send("one").catch(String);
    await asked;
    await session.abort();
    const heard: string[] = [];
    client.on("*", ({ type }) => heard.push(type));
    const second = session.send("two");
    release();
    expect([await first, (await second).content]).toEqual(["AbortError: The turn was aborted.", "Again."]);
    expect([heard, agent.sent.map(({ prompt }) => prompt)]).toEqual([
      ["turn-start", "text-delta", "turn-end"],
      ["one", "two"],
    ]);
  });

  test.each<{ title: string; stop: (session: Session, client: CodingAgentClient) => Promise<void>; calls: string[] }>([
    { title: "destroy", stop: (session) => session.destroy(), calls: ["destroy s1", "destroy s1", "resume s1 small"] },
    { title: "stop", stop: (_, client) => client.stop(), calls: ["destroy s1", "resume s1 small", "stop"] },
  ])("$title ends the turn, and nothing is opened afterwards", async ({ stop, calls }) => {
    const { agent, asked, release } = createSlowAgent(crash);
    const client = withRecovery(agent, CHANGING);
    const session = await client.createSession();
    const sending = session.send("Go.").catch(String);
    await asked;
    const stopped = stop(session, client);
    expect(await sending).toStartWith("AbortError: ");
    release();
    await stopped;
    expect(await session.send("More.").catch((error: unknown) => error)).toEqual(new SessionDestroyedError("s1"));
    expect(agent.calls.toSorted()).toEqual(calls);
  });
});

describe("the budget of a session that is opened with another model", () => {
  const spend =
    (costUsd: number, then: FakeScript): FakeScript =>
    (tools) => {
      tools.publish({ type: "usage", usage: { ...NO_USAGE, outputTokens: 10, costUsd } });
      return then(tools);
    };

  test("is the one it had, of which the model before has spent its part", async () => {
    const agent = createFakeAgent([spend(0.5, crash), spend(0.75, say("Done."))]);
    const session = await withRecovery(agent, CHANGING).createSession({ maxBudgetUsd: 1 });
    expect((await session.send("Go.")).content).toBe("Done.");
    const error = await session.send("More.").catch((reason: unknown) => reason);
    expect(error).toEqual(new BudgetSpentError("fake", { spentUsd: 1.25, maxBudgetUsd: 1 }));
  });

  test("is rejected in the turn that spends it; what costs nothing is still answered", async () => {
    const agent = createFakeAgent([spend(1.5, crash)]);
    const session = await withRecovery(agent, CHANGING).createSession({ maxBudgetUsd: 2, spentUsd: 1 });
    const error = await session.send("Go.").catch((reason: unknown) => reason);
    expect(error).toEqual(new BudgetSpentError("fake", { spentUsd: 2.5, maxBudgetUsd: 2 }));
    expect([agent.sent.length, (await session.getContextUsage()).usedTokens]).toEqual([1, 1]);
  });
});

describe("what is said to an agent in a pause", () => {
  test("is read by the next attempt", async () => {
    const pausing = Promise.withResolvers<void>();
    const steered = Promise.withResolvers<void>();
    const untilSteered: FakeScript = () => steered.promise;
    const agent = createFakeAgent([crash, untilSteered]);
    const client = withRecovery(agent, {}, { sleep: () => pausing.promise });
    const session = await client.createSession();
    const waiting = new Promise<void>((resolve) => client.on("waiting", () => resolve()));
    const sending = session.send("Go.");
    await waiting;
    const steering = session.steer("Faster.");
    expect(agent.calls).toEqual([]);
    pausing.resolve();
    await steering;
    expect(agent.calls).toEqual(["steer s1 Faster."]);
    steered.resolve();
    await sending;
  });

  test("is rejected when the turn ends before", async () => {
    const client = withRecovery(createFakeAgent([crash]), {}, { sleep: (_, signal) => untilAborted(signal) });
    const session = await client.createSession();
    const waiting = new Promise<void>((resolve) => client.on("waiting", () => resolve()));
    const sending = session.send("Go.").catch(String);
    await waiting;
    const steering = session.steer("Faster.").catch((error: unknown) => error);
    await session.abort();
    await sending;
    expect(await steering).toEqual(new NoTurnRunningError("s1"));
  });
});

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}
