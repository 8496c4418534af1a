import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  AgentCrashedError,
  type AgentEvent,
  type CodingAgentClient,
  type Session,
  SessionBusyError,
} from "../../../contracts/index.ts";
import { MachineSlots } from "../../../system/index.ts";
import { createFakeAgent, type FakeScript } from "../../fixtures/fake-agent.ts";
import { withRecovery } from "../recovery/with-recovery.ts";
import { TurnSlots } from "./turn-slots.ts";
import { withTurnSlots } from "./with-turn-slots.ts";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-slots-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const SHELL = { toolId: "t1", toolName: "Bash", kind: "shell", input: "ls" } as const;

function say(text: string): FakeScript {
  return ({ publish }) => publish({ type: "text-delta", text });
}

/** One slot in the test's folder. */
function createMachine(): MachineSlots {
  return new MachineSlots({ folder, readLimit: async () => 1 });
}

/** An agent on a machine whose only slot somebody else holds until `free()`. */
async function createBusyBench(scripts: readonly FakeScript[], decorate = (client: CodingAgentClient) => client) {
  const machine = createMachine();
  const [held, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const work = async (): Promise<void> => {
    held.resolve();
    await over.promise;
  };
  const holder = machine.hold(work, { signal: new AbortController().signal });
  await held.promise;
  const agent = createFakeAgent(scripts);
  const client = decorate(withTurnSlots(agent, new TurnSlots({ slots: machine })));
  const heard: AgentEvent[] = [];
  const waits = Promise.withResolvers<void>();
  client.on("*", (event) => {
    heard.push(event);
    if (event.type === "waiting") waits.resolve();
  });
  const free = async (): Promise<void> => {
    over.resolve();
    await holder;
  };
  return { agent, client, heard, waits: waits.promise, free, session: await client.createSession() };
}

const typesOf = (events: readonly AgentEvent[]): readonly string[] => events.map(({ type }) => type);

test("a turn waits for a slot, says so, and stops the caller's time limit meanwhile", async () => {
  const { agent, session, heard, waits, free } = await createBusyBench([say("Done.")]);
  const clock: string[] = [];
  const stopTimeout = () => {
    clock.push("stopped");
    return () => void clock.push(`started, ${agent.sent.length} sent`);
  };
  const sending = session.send("Go.", { stopTimeout });
  await waits;
  await expect(session.send("And?")).rejects.toThrow(SessionBusyError);
  expect([agent.sent, clock]).toEqual([[], ["stopped"]]);
  await free();
  expect((await sending).content).toBe("Done.");
  expect(clock).toEqual(["stopped", "started, 0 sent"]);
  expect(typesOf(heard)).toEqual(["turn-start", "waiting", "text-delta", "turn-end"]);
  expect(heard[1]).toMatchObject({
    reason: "machine-limit",
    message: "1 agent is at work on this machine, as many as the settings allow",
  });
});

test.each<{ title: string; stop: (session: Session, client: CodingAgentClient) => Promise<void>; reason: string }>([
  { title: "an abort", stop: (session) => session.abort(), reason: "AbortError: The turn was aborted." },
  { title: "the end of the session", stop: (session) => session.destroy(), reason: "The session was destroyed." },
  { title: "the end of the client", stop: (_session, client) => client.stop(), reason: "The client was stopped." },
])("$title ends the wait, and the agent never receives the message", async ({ stop, reason }) => {
  const { agent, client, session, heard, waits, free } = await createBusyBench([say("Never.")]);
  const sending = session.send("Go.").catch(String);
  await waits;
  await stop(session, client);
  expect(await sending).toContain(reason);
  expect([agent.sent, typesOf(heard)]).toEqual([[], ["turn-start", "waiting", "turn-end"]]);
  await free();
});

test("a message for a waiting turn reaches the agent when the turn has its slot", async () => {
  const steered = Promise.withResolvers<void>();
  const { agent, session, waits, free } = await createBusyBench([() => steered.promise]);
  const sending = session.send("Go.");
  await waits;
  const steering = session.steer("Faster.");
  expect(agent.calls).toEqual([]);
  await free();
  await steering;
  steered.resolve();
  await sending;
  expect(agent.calls).toEqual(["steer s1 Faster."]);
});

test("an error of the agent is reported once, and releases the slot", async () => {
  const crash: FakeScript = () => {
    throw new AgentCrashedError("fake", "signal SIGKILL", []);
  };
  const { session, heard, free } = await createBusyBench([crash, say("Again.")]);
  await free();
  await expect(session.send("Go.")).rejects.toThrow(AgentCrashedError);
  expect(typesOf(heard)).toEqual(["turn-start", "error", "turn-end"]);
  expect((await session.send("Go.")).content).toBe("Again.");
});

test("a retry waits without a slot", async () => {
  const crash: FakeScript = () => {
    throw new AgentCrashedError("fake", "signal SIGKILL", []);
  };
  const [pausing, paused] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const clock = {
    sleep: async () => {
      pausing.resolve();
      await paused.promise;
    },
  };
  const { session, free } = await createBusyBench([crash, say("Done.")], (client) => withRecovery(client, {}, clock));
  await free();
  const sending = session.send("Go.");
  await pausing.promise;
  const { signal } = new AbortController();
  expect(await createMachine().hold(async () => "free", { signal })).toBe("free");
  paused.resolve();
  expect((await sending).content).toBe("Done.");
});

test("a turn that a callback of another turn begins does not wait for that one's slot, however deep", async () => {
  const slots = new TurnSlots({ slots: createMachine() });
  const intercepting: FakeScript = async ({ intercept, publish }) => {
    const verdict = await intercept(SHELL);
    publish({ type: "text-delta", text: verdict.type === "block" ? verdict.reason : "allowed" });
  };
  const client = withTurnSlots(createFakeAgent([intercepting, intercepting, say("Careful.")]), slots);
  const judge = await client.createSession();
  const between = await client.createSession({
    beforeTool: async () => ({ type: "block", reason: `no: ${(await judge.send("May it?")).content}` }),
  });
  const outer = await client.createSession({
    beforeTool: async () => ({ type: "block", reason: `No: ${(await between.send("May it?")).content}` }),
  });
  expect((await outer.send("Go.")).content).toBe("No: no: Careful.");
});

test("turns of a program that an agent's command started do not wait for that agent", async () => {
  const machine = createMachine();
  const outer = new TurnSlots({ slots: machine });
  const starting: FakeScript = async ({ publish }) => {
    const inner = withTurnSlots(createFakeAgent([say("Inner.")]), new TurnSlots({ slots: machine, inside: outer.id }));
    publish({ type: "text-delta", text: (await (await inner.createSession()).send("Go.")).content });
  };
  const session = await withTurnSlots(createFakeAgent([starting]), outer).createSession();
  expect((await session.send("Go.")).content).toBe("Inner.");
});
