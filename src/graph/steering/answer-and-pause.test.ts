import { describe, expect, test } from "bun:test";
import type { RunEvent } from "../../contracts/index.ts";
import { graph } from "../builder.ts";
import { InvalidAnswerError, UnknownRequestError } from "../errors/errors.ts";
import { controlled, logs, node, recordsOf, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import { readRunSummary } from "../journal/run-summary.ts";
import { waitNode } from "../nodes/people/wait-node.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { controlRun, RunControl } from "./run-control.ts";
import { RunPausingError } from "./steering-errors.ts";

const ask = (id: string) =>
  waitNode<TestState>({ id, prompt: `${id}?`, inputMapper: (answer) => ({ log: [`${id}: ${answer}`] }) });

/** Resolves when a run has asked a question. */
function questions() {
  const asked = Promise.withResolvers<string>();
  const onEvent = (event: RunEvent): void => {
    if (event.type === "request") asked.resolve(event.request.id);
  };
  return { asked: asked.promise, onEvent };
}

describe("a question of a branch", () => {
  /** A branch asks while its sibling works. */
  async function begin() {
    const slow = controlled("slow");
    const checkpointer = new MemorySaver();
    const control = new RunControl();
    const { asked, onEvent } = questions();
    const compiled = graph(TestState)
      .parallel([graph(TestState).start(ask("gate")).then(node("behind")), slow.node], { names: ["asks", "works"] })
      .end()
      .compile({ checkpointer });
    const running = compiled.run({}, { runId: "r", control, onEvent });
    await asked;
    await slow.started;
    return { slow, checkpointer, control, running };
  }

  test("is answered while its siblings work, from this process or another one, by its id or its node", async () => {
    for (const name of ["gate", "parallel_1[asks]/gate"]) {
      for (const isOther of [false, true]) {
        const { slow, checkpointer, control, running } = await begin();
        await (isOther ? controlRun(checkpointer, "r") : control).answer(name, "yes");
        slow.finish();
        const { status, state } = await running;
        expect({ status, log: state.log }).toEqual({ status: "completed", log: ["gate: yes", "behind", "slow"] });
        const types = (await recordsOf(checkpointer, "r")).map(({ type }) => type);
        expect(types).toEqual(["run", "request", "answer", "done", "done", "end"]);
      }
    }
  });

  test("takes one answer, of a shape that fits, and stays open before that", async () => {
    const { slow, control, running } = await begin();
    expect(await rejectionOf(control.answer("gate", "perhaps"))).toEqual(
      new InvalidAnswerError("parallel_1[asks]/gate", '"perhaps" is not one of the options', ["yes", "no"]),
    );
    expect(await rejectionOf(control.answer("gtae", "yes"))).toEqual(
      new UnknownRequestError("gtae", ["parallel_1[asks]/gate"]),
    );
    await control.answer("gate", "no");
    expect(await rejectionOf(control.answer("gate", "yes"))).toEqual(new UnknownRequestError("gate", []));
    slow.finish();
    expect((await running).state.log).toEqual(["gate: no", "behind", "slow"]);
  });

  test("of a later visit does not take the replayed answer to an earlier one, from this process or another one", async () => {
    for (const isOther of [false, true]) {
      const slow = controlled("slow");
      const checkpointer = new MemorySaver();
      const control = new RunControl();
      const second = Promise.withResolvers<string>();
      const onEvent = (event: RunEvent): void => {
        if (event.type === "request" && event.taskId.endsWith("#2")) second.resolve(event.request.id);
      };
      const gates = graph(TestState).loop(ask("gate"), { id: "gates", until: ({ log }) => log.length >= 2 });
      const compiled = graph(TestState)
        .parallel([gates, slow.node], { names: ["asks", "works"] })
        .end()
        .compile({ checkpointer });
      const running = compiled.run({}, { runId: "r", control, onEvent });
      await slow.started;
      const answers = isOther ? controlRun(checkpointer, "r") : control;
      await answers.answer("parallel_1[asks]/gate#1", "yes");
      const open = await second.promise;
      // Another process receives the error's text and code.
      const { code, message } = new UnknownRequestError("parallel_1[asks]/gate#1", [open]);
      const rejected = await rejectionOf(answers.answer("parallel_1[asks]/gate#1", "yes"));
      expect(rejected).toMatchObject({ code, message });
      await answers.answer(open, "no");
      slow.finish();
      expect((await running).state.log).toEqual(["gate: yes", "gate: no", "slow"]);
    }
  });

  test("stays open when its node cannot use an answer, and the siblings continue; a catch() handles the failure", async () => {
    const picky = waitNode<TestState>({
      id: "picky",
      inputMapper: (answer) => {
        if (answer === "no") throw new Error("cannot use no.");
        return { log: [`picky: ${answer}`] };
      },
    });
    for (const isCaught of [false, true]) {
      const slow = controlled("slow");
      const control = new RunControl();
      const { asked, onEvent } = questions();
      const asks = graph(TestState).start(picky);
      const branch = isCaught ? asks.catch(({ message }) => logs(message)) : asks;
      const compiled = graph(TestState)
        .parallel([branch, slow.node])
        .end()
        .compile({ checkpointer: new MemorySaver() });
      const running = compiled.run({}, { runId: "r", control, onEvent });
      const id = await asked;
      await slow.started;
      if (isCaught) {
        await control.answer("picky", "no");
      } else {
        expect((await rejectionOf(control.answer("picky", "no"))).message).toBe(
          `The answer to "${id}" was rejected, and the question stays open: cannot use no. Answer again, or correct the node's mapping function.`,
        );
        await control.answer("picky", "yes");
      }
      slow.finish();
      const { status, state } = await running;
      const first = isCaught ? "cannot use no." : "picky: yes";
      expect({ status, log: state.log }).toEqual({ status: "completed", log: [first, "slow"] });
    }
  });

  test("is answered by its node id when a run resumes, unless several visits of that node ask", async () => {
    const compiled = graph(TestState)
      .map(() => [1, 2], ask("gate"))
      .end()
      .compile({ checkpointer: new MemorySaver() });
    await compiled.run({}, { runId: "r" });
    const ids = ["map_1[0]/gate", "map_1[1]/gate"];
    expect(await rejectionOf(compiled.resume("r", { gate: "yes" }))).toEqual(new UnknownRequestError("gate", ids));
    await compiled.resume("r", { "map_1[0]/gate": "no" });
    expect((await compiled.resume("r", { gate: "yes" })).state.log).toEqual(["gate: no", "gate: yes"]);
  });
});

describe("a run that is paused", () => {
  test("starts nothing new, lets running nodes finish, and resumes later as if nothing had happened", async () => {
    for (const isOther of [false, true]) {
      const [left, right] = [controlled("left"), controlled("right")];
      const attempts: unknown[] = [];
      const next = node("next", ({ attempt }) => {
        attempts.push(attempt);
        return logs("next");
      });
      const checkpointer = new MemorySaver();
      const control = new RunControl();
      const compiled = graph(TestState).parallel([left.node, right.node]).then(next).end().compile({ checkpointer });
      const running = compiled.run({}, { runId: "r", control });
      await Promise.all([left.started, right.started]);
      await (isOther ? controlRun(checkpointer, "r") : control).pause();
      left.finish();
      right.finish();
      const { status, requests, state } = await running;
      expect({ status, requests, log: state.log }).toEqual({
        status: "suspended",
        requests: [],
        log: ["left", "right"],
      });
      const waiting = (await readRunSummary(checkpointer, "r")).nodes.find(({ nodeId }) => nodeId === "next");
      expect(waiting).toMatchObject({ status: "started", attempts: 0 });
      const ended = await compiled.resume("r");
      expect({ log: ended.state.log, attempts }).toEqual({ log: ["left", "right", "next"], attempts: [1] });
    }
  });

  test("continues when the pause is withdrawn before the run is suspended", async () => {
    for (const isOther of [false, true]) {
      const first = controlled("first");
      const checkpointer = new MemorySaver();
      const control = new RunControl();
      const compiled = graph(TestState).start(first.node).then(node("next")).end().compile({ checkpointer });
      const running = compiled.run({}, { runId: "r", control });
      await first.started;
      const sender = isOther ? controlRun(checkpointer, "r") : control;
      await sender.pause();
      await sender.unpause();
      first.finish();
      const { status, state } = await running;
      expect({ status, log: state.log }).toEqual({ status: "completed", log: ["first", "next"] });
    }
  });

  test("restarts no node, whose work would be lost, until the pause is withdrawn", async () => {
    for (const isOther of [false, true]) {
      const first = controlled("first");
      const checkpointer = new MemorySaver();
      const control = new RunControl();
      const compiled = graph(TestState).start(first.node).end().compile({ checkpointer });
      const running = compiled.run({}, { runId: "r", control });
      await first.started;
      const sender = isOther ? controlRun(checkpointer, "r") : control;
      await sender.pause();
      const { code, message } = new RunPausingError("r", "first");
      expect(await rejectionOf(sender.retryNode("first"))).toMatchObject({ code, message });
      await sender.unpause();
      first.finish();
      const { status, state } = await running;
      expect({ status, log: state.log }).toEqual({ status: "completed", log: ["first"] });
    }
  });

  test("does not wait for a pause between two attempts, which continues later", async () => {
    const control = new RunControl();
    const failed = Promise.withResolvers<void>();
    const flaky = node(
      "flaky",
      ({ attempt }) => {
        if (attempt === 1) throw new Error("not yet");
        return logs(`attempt ${attempt}`);
      },
      { retry: { maxAttempts: 2, backoffMs: 60_000 } },
    );
    const compiled = graph(TestState).start(flaky).end().compile({ checkpointer: new MemorySaver() });
    const onEvent = (event: RunEvent): void => {
      if (event.type === "node-error") failed.resolve();
    };
    const running = compiled.run({}, { runId: "r", control, onEvent, now: () => 0 });
    await failed.promise;
    await control.pause();
    expect((await running).status).toBe("suspended");
    const { state } = await compiled.resume("r", {}, { now: () => 100_000 });
    expect(state.log).toEqual(["attempt 3"]);
  });

  test("that is already done is completed", async () => {
    const last = controlled("last");
    const control = new RunControl();
    const running = graph(TestState)
      .start(last.node)
      .end()
      .compile({ checkpointer: new MemorySaver() })
      .run({}, { control });
    await last.started;
    await control.pause();
    last.finish();
    expect((await running).status).toBe("completed");
  });
});
