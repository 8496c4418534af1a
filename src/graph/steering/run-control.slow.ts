import { afterEach, describe, expect, test } from "bun:test";
import { graph } from "../builder.ts";
import { JournalReadError, RestoredError, UnknownRunError } from "../errors/errors.ts";
import { UnserializableValueError } from "../errors/update-errors.ts";
import { SaverPlaces } from "../fixtures/saver-places.ts";
import { controlled, logs, node, rejectionOf, TestState } from "../fixtures/test-nodes.ts";
import type { Checkpointer } from "../model/checkpointer.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { controlRun } from "./run-control.ts";
import {
  CommandUnsentError,
  NodeNotUnderWayError,
  RunNotExecutedError,
  SteeringTimeoutError,
} from "./steering-errors.ts";

const places = new SaverPlaces();

afterEach(async () => {
  await places.cleanUp();
});

describe.each(["file", "research", "session", "sessions", "sqlite"] as const)(
  "a run in another process (%s)",
  (kind) => {
    test("restarts a node, rejects what is impossible, and continues without the node", async () => {
      const saver = await places.create(kind);
      const other = places.startProcess(saver, "execute", "r");
      expect(await other.next()).toEqual({ type: "working", attempt: 1 });
      const control = controlRun(saver, "r");
      await control.retryNode("work");
      expect(await other.next()).toEqual({ type: "working", attempt: 2 });
      const { code, message } = new NodeNotUnderWayError("after", ["work"]);
      expect(await rejectionOf(control.cancelNode("after"))).toEqual(new RestoredError(code, message));
      await control.skipNode("work", { log: ["skipped from outside"] });
      expect(await other.next()).toEqual({
        type: "ended",
        status: "completed",
        log: ["skipped from outside", "after"],
      });
      expect(await other.next()).toBeUndefined();
      expect(await rejectionOf(control.retryNode("work"))).toEqual(new RunNotExecutedError("r"));
    });
  },
);

test("a process that is killed while it has a command leaves the sender with an error, not waiting", async () => {
  const saver = await places.create("sqlite");
  const other = places.startProcess(saver, "execute", "r");
  await other.next();
  const patient = controlRun(saver, "r", { timeoutMs: 600_000 });
  await patient.retryNode("work");
  await other.kill();
  expect(await rejectionOf(patient.retryNode("work"))).toEqual(new RunNotExecutedError("r"));
});

test("a command that cannot be written, or whose run cannot be looked up, names its run", async () => {
  const cause = new Error("no space left");
  const saver = new MemorySaver();
  const full: Checkpointer = new Proxy(saver, {
    get: (target, key) => {
      if (key === "isHeld") return async () => true;
      if (key === "mailbox") return { ...target.mailbox, post: () => Promise.reject(cause) };
      return Reflect.get(target, key, target);
    },
  });
  const unsent = await rejectionOf(controlRun(full, "r").pause());
  expect(unsent).toEqual(new CommandUnsentError("r", { cause }));
  expect(unsent).toHaveProperty(
    "message",
    'The command for the run "r" cannot be sent (no space left), and nothing was changed. Make room or repair the access, then try again.',
  );
  const unlisted: Checkpointer = new Proxy(saver, {
    get: (target, key) => {
      if (key === "list") return () => Promise.reject(new JournalReadError(undefined, { cause }));
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  expect(await rejectionOf(controlRun(unlisted, "r").pause())).toEqual(new JournalReadError("r", { cause }));
});

/** A run of one node in this process. */
async function startHere(checkpointer: Checkpointer) {
  const x = controlled("x");
  const compiled = graph(TestState).start(x.node).then(node("after")).end().compile();
  const running = compiled.run({}, { runId: "r", checkpointer });
  await x.started;
  return { x, running };
}

test("a run in the same process is steered the same way", async () => {
  const saver = new MemorySaver();
  const { running } = await startHere(saver);
  await controlRun(saver, "r").skipNode("x");
  expect((await running).state.log).toEqual(["after"]);
});

test("an unknown run or an invalid update is rejected at once", async () => {
  const saver = new MemorySaver();
  expect(await rejectionOf(controlRun(saver, "nobody").retryNode("x"))).toEqual(new UnknownRunError("nobody"));
  expect(await rejectionOf(controlRun(saver, "nobody").skipNode("x", { log: () => 1 }))).toEqual(
    new UnserializableValueError("update.log", "a function"),
  );
});

test("a command is withdrawn in time from a process that does not poll", async () => {
  const saver = new MemorySaver();
  const journal = await saver.open("r", "create");
  await journal.append({ sequence: 1, kind: "record", body: "{}" });
  expect(await rejectionOf(controlRun(saver, "r", { timeoutMs: 0 }).retryNode("x"))).toEqual(
    new SteeringTimeoutError("r", 0, true),
  );
  expect(await saver.mailbox.receive("r")).toEqual([]);
  await journal.close();
});

test("a sender who cancels withdraws the command", async () => {
  const saver = new MemorySaver();
  const journal = await saver.open("r", "create");
  const leaving = new AbortController();
  const sending = rejectionOf(controlRun(saver, "r", { signal: leaving.signal }).retryNode("x"));
  leaving.abort(new Error("never mind"));
  expect(await sending).toEqual(new Error("never mind"));
  expect(await saver.mailbox.receive("r")).toEqual([]);
  await journal.close();
});

test.each([
  ["no JSON", "not json"],
  ["no object", "[]"],
  ["no node", '{"type":"skip-node"}'],
  ["an unknown type", '{"type":"explode","node":"x"}'],
  ["an update that is a list", '{"type":"skip-node","node":"x","update":[]}'],
])("a message that is %s is rejected, and the run continues", async (_title, text) => {
  const saver = new MemorySaver();
  const { x, running } = await startHere(saver);
  const id = await saver.mailbox.post("r", text);
  let reply: string | undefined;
  while (reply === undefined) {
    await new Promise((resolve) => setImmediate(resolve));
    reply = await saver.mailbox.takeReply("r", id);
  }
  expect(JSON.parse(reply)).toMatchObject({ type: "refused", code: "COMMAND_UNREADABLE" });
  x.finish(logs("x"));
  expect((await running).state.log).toEqual(["x", "after"]);
});

test("a command that comes too late for the process that executed the run fails like one that comes later", async () => {
  const saver = new MemorySaver();
  await graph(TestState).start(node("only")).end().compile().run({}, { runId: "r", checkpointer: saver });
  const journal = await saver.open("r", "resume");
  const rejection = rejectionOf(controlRun(saver, "r").pause());
  let [message] = await saver.mailbox.receive("r");
  while (message === undefined) {
    await new Promise((resolve) => setImmediate(resolve));
    [message] = await saver.mailbox.receive("r");
  }
  const { code, message: words } = new RunNotExecutedError("r");
  await saver.mailbox.reply("r", message.id, JSON.stringify({ type: "refused", code, message: words }));
  const error = await rejection;
  expect(error).toBeInstanceOf(RunNotExecutedError);
  expect(error).toEqual(new RunNotExecutedError("r"));
  await journal.close();
});
