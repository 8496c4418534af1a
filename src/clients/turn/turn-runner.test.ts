import { describe, expect, test } from "bun:test";
import { type AgentEvent, AgentTurnError, SessionBusyError, SessionDestroyedError } from "../../contracts/index.ts";
import { rejectionOf } from "../../testkit/conformance/rejection-of.ts";
import { AgentTurn } from "./agent-turn.ts";
import { TurnRunner, type TurnTask } from "./turn-runner.ts";

/** A task whose turn runs until the test ends it; `begun` resolves when the vendor has its message. */
function createTask(name: string, log: string[] = []): TurnTask & { readonly begun: Promise<AgentTurn> } {
  const { promise: begun, resolve } = Promise.withResolvers<AgentTurn>();
  return {
    begun,
    create: async () =>
      new AgentTurn({
        agentType: "manual",
        sessionId: "s",
        stallTimeoutMs: 60_000,
        interrupt: async (turn) => turn.complete(),
        onEvent: ({ type }) => void log.push(`${name} ${type}`),
      }),
    begin: async (turn) => resolve(turn),
  };
}

test("a turn runs to its end and returns its reply, or throws its error", async () => {
  const runner = new TurnRunner("s");
  const good = createTask("good");
  const replying = runner.run(good);
  const turn = await good.begun;
  expect([runner.isBusy, runner.turn]).toEqual([true, turn]);
  turn.publish({ type: "text-delta", sessionId: "s", text: "Hi." });
  turn.complete();
  expect((await replying).content).toBe("Hi.");
  expect([runner.isBusy, runner.turn]).toEqual([false, undefined]);
  const bad = createTask("bad");
  const failing = rejectionOf(runner.run(bad));
  const error = new AgentTurnError("manual", "broken");
  (await bad.begun).fail(error);
  expect(await failing).toBe(error);
});

describe("a second turn", () => {
  test("is rejected while the first one runs or is being created", async () => {
    const runner = new TurnRunner("s");
    const first = createTask("first");
    const replying = runner.run(first);
    expect(await rejectionOf(runner.run(createTask("second")))).toEqual(new SessionBusyError("s"));
    (await first.begun).complete();
    await replying;
  });

  test("waits if requested, in the order of the calls, until the one before has settled", async () => {
    const runner = new TurnRunner("s");
    const log: string[] = [];
    const tasks = ["one", "two", "three"].map((name) => createTask(name, log));
    const replies = tasks.map((task) => runner.run(task, { whenBusy: "wait" }));
    for (const task of tasks) (await task.begun).complete();
    await Promise.all(replies);
    expect(log).toEqual(["one", "two", "three"].flatMap((name) => [`${name} turn-start`, `${name} turn-end`]));
  });

  test("that gives up waiting lets the next one start only after the one before it", async () => {
    const runner = new TurnRunner("s");
    const log: string[] = [];
    const [one, two, three] = [createTask("one", log), createTask("two", log), createTask("three", log)];
    const giveUp = new AbortController();
    const first = runner.run(one);
    const second = rejectionOf(runner.run(two, { whenBusy: "wait", signal: giveUp.signal }));
    const third = runner.run(three, { whenBusy: "wait" });
    giveUp.abort("no patience");
    expect(await second).toBe("no patience");
    expect([log, runner.isBusy]).toEqual([["one turn-start"], true]);
    (await one.begun).complete();
    await first;
    (await three.begun).complete();
    await third;
    expect([log.slice(1), runner.isBusy]).toEqual([["one turn-end", "three turn-start", "three turn-end"], false]);
  });
});

describe("a turn is stopped", () => {
  test("by its signal, with the signal's reason", async () => {
    const runner = new TurnRunner("s");
    const task = createTask("task");
    const controller = new AbortController();
    const replying = rejectionOf(runner.run(task, { signal: controller.signal }));
    await task.begun;
    controller.abort("changed my mind");
    expect(await replying).toBe("changed my mind");
    expect(await rejectionOf(runner.run(task, { signal: controller.signal }))).toBe("changed my mind");
    expect(runner.isBusy).toBe(false);
  });

  test("by abort(), which waits until it has settled and does nothing to an idle session", async () => {
    const runner = new TurnRunner("s");
    const task = createTask("task");
    const replying = rejectionOf(runner.run(task));
    const turn = await task.begun;
    await runner.abort();
    expect(turn.hasEnded).toBe(true);
    expect(String(await replying)).toBe("AbortError: The turn was aborted.");
    await runner.abort();
  });

  test("by abort() also while it is still being made: the vendor gets no message", async () => {
    const runner = new TurnRunner("s");
    const slow = Promise.withResolvers<AgentTurn>();
    let hasBegun = false;
    const task = {
      create: () => slow.promise,
      begin: async () => {
        hasBegun = true;
      },
    };
    const replying = rejectionOf(runner.run(task));
    await runner.abort("never mind");
    slow.resolve(await createTask("late").create());
    expect([await replying, hasBegun, runner.isBusy]).toEqual(["never mind", false, false]);
  });

  test("by abort() right after it was asked for, and the next one may begin at once", async () => {
    const runner = new TurnRunner("s");
    const replying = rejectionOf(runner.run(createTask("first")));
    await runner.abort("never mind");
    expect(runner.isBusy).toBe(false);
    expect(await replying).toBe("never mind");
  });

  test("by abort() while it is being made, which ends when that has, and the next one may begin at once", async () => {
    const runner = new TurnRunner("s");
    const [asked, made] = [Promise.withResolvers<void>(), Promise.withResolvers<AgentTurn>()];
    const { create, begin } = createTask("slow");
    const replying = rejectionOf(
      runner.run({
        create: () => {
          asked.resolve();
          return made.promise;
        },
        begin,
      }),
    );
    await asked.promise;
    const aborting = runner.abort("never mind");
    made.resolve(await create());
    await aborting;
    expect(runner.isBusy).toBe(false);
    expect(await replying).toBe("never mind");
  });

  test.each([
    { title: "by abort()", stop: (runner: TurnRunner, _: AbortController) => runner.abort("never mind") },
    { title: "by its signal", stop: async (_: TurnRunner, signal: AbortController) => signal.abort("never mind") },
  ])("$title also when create does not answer; the session stays busy until create settles", async ({ stop }) => {
    const runner = new TurnRunner("s", { createGraceMs: 1 });
    const [requested, made] = [Promise.withResolvers<void>(), Promise.withResolvers<AgentTurn>()];
    const { create, begin } = createTask("mute");
    const controller = new AbortController();
    const mute = {
      create: () => {
        requested.resolve();
        return made.promise;
      },
      begin,
    };
    const replying = rejectionOf(runner.run(mute, { signal: controller.signal }));
    await requested.promise;
    await stop(runner, controller);
    expect(await replying).toBe("never mind");
    expect([runner.isBusy, runner.turn]).toEqual([true, undefined]);
    expect(await rejectionOf(runner.run(createTask("early")))).toEqual(new SessionBusyError("s"));
    await runner.abort();
    const next = createTask("next");
    const reply = runner.run(next, { whenBusy: "wait" });
    made.resolve(await create());
    (await next.begun).complete();
    await reply;
    expect([runner.isBusy, runner.turn]).toEqual([false, undefined]);
  });

  test.each([
    { title: "its events are read", isRead: true },
    { title: "nobody reads its events any more", isRead: false },
  ])("by abort(), after which the next one may begin at once, when $title", async ({ isRead }) => {
    const runner = new TurnRunner("s");
    const [first, second] = [createTask("first"), createTask("second")];
    const events = runner.stream(first);
    const reading = isRead ? Array.fromAsync(events) : events.next();
    await first.begun;
    await runner.abort();
    expect([runner.isBusy, runner.turn]).toEqual([false, undefined]);
    const replying = runner.run(second);
    const turn = await second.begun;
    await reading;
    await events.return();
    expect([runner.isBusy, runner.turn]).toEqual([true, turn]);
    turn.complete();
    await replying;
    expect([runner.isBusy, runner.turn]).toEqual([false, undefined]);
  });

  test("by end() together with all waiting ones; later ones are rejected", async () => {
    const runner = new TurnRunner("s");
    const log: string[] = [];
    const [running, waiting, later] = [
      createTask("running", log),
      createTask("waiting", log),
      createTask("later", log),
    ];
    const replies = [running, waiting].map((task) => rejectionOf(runner.run(task, { whenBusy: "wait" })));
    await running.begun;
    await runner.end("closing time");
    expect(await Promise.all(replies)).toEqual(["closing time", "closing time"]);
    expect(await rejectionOf(runner.run(later))).toEqual(new SessionDestroyedError("s"));
    expect(log).toEqual(["running turn-start", "running turn-end"]);
  });

  test("by end() right after it was asked for: nothing is made for it", async () => {
    const runner = new TurnRunner("s");
    let hasMade = false;
    const { create, begin } = createTask("task");
    const replying = rejectionOf(
      runner.run({
        begin,
        create: () => {
          hasMade = true;
          return create();
        },
      }),
    );
    await runner.end("closing time");
    expect([await replying, hasMade, runner.isBusy]).toEqual(["closing time", false, false]);
  });

  test("when its events are no longer read, and has settled before the loop is left", async () => {
    const runner = new TurnRunner("s");
    const task = createTask("task");
    const seen: AgentEvent[] = [];
    for await (const event of runner.stream(task)) {
      seen.push(event);
      break;
    }
    expect(seen).toEqual([{ type: "turn-start", sessionId: "s", at: expect.any(Number) }]);
    expect([(await task.begun).hasEnded, runner.isBusy]).toEqual([true, false]);
  });
});

test("a turn that cannot be made frees the session", async () => {
  const runner = new TurnRunner("s");
  const error = new Error("no server");
  const task = { create: () => Promise.reject(error), begin: async () => {} };
  expect(await rejectionOf(runner.run(task))).toBe(error);
  expect(runner.isBusy).toBe(false);
});
