import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { graph } from "../builder.ts";
import { InvalidAnswerError, UnknownRequestError } from "../errors/errors.ts";
import {
  controlled,
  failing,
  fieldsOf,
  logs,
  node,
  recordsOf,
  rejectionOf,
  TestState,
} from "../fixtures/test-nodes.ts";
import type { NodeDefinition } from "../model/node-definition.ts";
import { askUserNode } from "../nodes/people/ask-user-node.ts";
import { waitNode } from "../nodes/people/wait-node.ts";
import { MemorySaver } from "../savers/memory-saver.ts";

const EMPTY = { log: [], total: 0, value: "", isDone: false, outputs: {} };
const ask = (id: string) =>
  waitNode<TestState>({ id, prompt: `${id}?`, inputMapper: (answer) => ({ log: [`${id}: ${answer}`] }) });

/** A graph that asks once, and a run of it that waits. */
async function suspended(asking: NodeDefinition<TestState>, options: { readonly now?: () => number } = {}) {
  const checkpointer = new MemorySaver();
  const compiled = graph(TestState).start(node("a")).then(asking).then(node("b")).end().compile({ checkpointer });
  const result = await compiled.run({}, { runId: "r", ...options });
  return { checkpointer, compiled, result };
}

describe("a node that asks", () => {
  test("suspends the run with its question", async () => {
    const { result } = await suspended(ask("ok"), { now: () => 5 });
    const { status, requests, state, error } = result;
    expect({ status, requests, log: state.log, error }).toEqual({
      status: "suspended",
      requests: [{ id: "ok", nodeId: "ok", question: "ok?", options: [{ label: "yes" }, { label: "no" }], askedAt: 5 }],
      log: ["a"],
      error: undefined,
    });
  });

  test("does not run again: the run continues after it", async () => {
    let asked = 0;
    const { compiled, checkpointer } = await suspended({
      ...ask("ok"),
      execute: () => {
        asked++;
        return { request: { question: "ok?" } };
      },
    });
    const { status, state } = await compiled.resume("r", { ok: "fine" });
    expect({ status, log: state.log, asked }).toEqual({ status: "completed", log: ["a", "ok: fine", "b"], asked: 1 });
    const records = await recordsOf(checkpointer, "r");
    expect(records.map(({ type }) => type)).toEqual([
      "run",
      "done",
      "request",
      "end",
      "resumed",
      "answer",
      "done",
      "end",
    ]);
  });

  test("keeps waiting when a run is resumed without an answer", async () => {
    const { compiled, result } = await suspended(ask("ok"));
    const again = await compiled.resume("r");
    expect(again).toEqual({ ...result, state: again.state });
    expect((await compiled.resume("r", { ok: "yes" })).state.log).toEqual(["a", "ok: yes", "b"]);
  });

  test("puts the answer into outputs unless it says otherwise", async () => {
    const { compiled } = await suspended(waitNode<TestState>({ id: "ok" }));
    expect((await compiled.resume("r", { ok: "no" })).state.outputs).toEqual({ ok: "no" });
  });

  test("asks in each iteration of a loop under another id", async () => {
    const checkpointer = new MemorySaver();
    const compiled = graph(TestState)
      .loop([node("draft"), ask("review")], { until: (state) => state.log.includes("review: yes") })
      .end()
      .compile({ checkpointer });
    const first = await compiled.run({}, { runId: "r" });
    const second = await compiled.resume("r", { review: "no" });
    expect([first, second].map(({ requests }) => requests.map(({ id, nodeId }) => [id, nodeId]))).toEqual([
      [["review", "review"]],
      [["review#2", "review"]],
    ]);
    const { status, state } = await compiled.resume("r", { "review#2": "yes" });
    expect({ status, log: state.log }).toEqual({
      status: "completed",
      log: ["draft", "review: no", "draft", "review: yes"],
    });
  });

  test("does not block its siblings: they run to their end", async () => {
    const checkpointer = new MemorySaver();
    const compiled = graph(TestState)
      .parallel([ask("ok"), [node("a"), node("b")]], { names: ["asks", "works"] })
      .end()
      .compile({ checkpointer });
    const { status, requests } = await compiled.run({}, { runId: "r" });
    expect({ status, ids: requests.map(({ id }) => id) }).toEqual({
      status: "suspended",
      ids: ["parallel_1[asks]/ok"],
    });
    expect((await recordsOf(checkpointer, "r")).filter(({ type }) => type === "done")).toHaveLength(2);
    const { state } = await compiled.resume("r", { "parallel_1[asks]/ok": "yes" });
    expect(state.log).toEqual(["ok: yes", "a", "b"]);
  });

  test("is dropped with its question when its branch loses", async () => {
    const slow = controlled("slow");
    const compiled = graph(TestState)
      .parallel([ask("ok"), slow.node], { strategy: "race" })
      .end()
      .compile({ checkpointer: new MemorySaver() });
    const ended = compiled.run({}, { runId: "r" });
    await slow.started;
    slow.finish();
    const { status, requests, state } = await ended;
    expect({ status, requests, log: state.log }).toEqual({ status: "completed", requests: [], log: ["slow"] });
  });
});

describe("several questions at once", () => {
  const three = () => {
    const branches = ["x", "y", "z"].map((id) => [ask(id), node(`after-${id}`)]);
    return graph(TestState).parallel(branches).end().compile({ checkpointer: new MemorySaver() });
  };
  const idOf = (name: string): string => `parallel_1[${name}]/${name}`;

  test.each<{ order: string[][] }>([
    { order: [["x"], ["y"], ["z"]] },
    { order: [["z"], ["y"], ["x"]] },
    { order: [["y"], ["x", "z"]] },
    { order: [["z", "y", "x"]] },
  ])("can be answered in any order: $order", async ({ order }) => {
    const compiled = three();
    let result = await compiled.run({}, { runId: "r" });
    const open = [result.requests.map(({ id }) => id)];
    for (const names of order) {
      result = await compiled.resume("r", Object.fromEntries(names.map((name) => [idOf(name), "yes"])));
      open.push(result.requests.map(({ id }) => id));
    }
    const answered = order.map((_, index) => order.slice(0, index + 1).flat());
    const left = [[], ...answered].map((names) => ["x", "y", "z"].filter((name) => !names.includes(name)).map(idOf));
    expect(open).toEqual(left);
    expect(fieldsOf(result.state)).toEqual({
      ...EMPTY,
      log: ["x: yes", "after-x", "y: yes", "after-y", "z: yes", "after-z"],
    });
  });

  test("all stay open when one of the answers is invalid", async () => {
    const compiled = three();
    await compiled.run({}, { runId: "r" });
    const error = await rejectionOf(compiled.resume("r", { [idOf("x")]: "yes", [idOf("y")]: "perhaps" }));
    expect(error).toEqual(new InvalidAnswerError(idOf("y"), '"perhaps" is not one of the options', ["yes", "no"]));
    expect((await compiled.resume("r")).requests).toHaveLength(3);
  });
});

describe("an answer", () => {
  const LABELS = ["red", "Blue", "Blue ", "Grey "];
  const choose = askUserNode<TestState>({
    id: "choose",
    options: {
      question: "Which?",
      options: [{ label: "Red", description: "warm" }, ...LABELS.map((label) => ({ label }))],
    },
    outputMapper: (value) => ({ value }),
  });

  test.each([
    { answer: "Blue", value: "Blue" },
    { answer: "  blue ", value: "Blue" },
    { answer: "red", value: "red" },
    { answer: "RED", value: "Red" },
    { answer: "Blue ", value: "Blue " },
    { answer: " grey", value: "Grey " },
  ])("$answer is taken as $value", async ({ answer, value }) => {
    const { compiled } = await suspended(choose);
    expect((await compiled.resume("r", { choose: answer })).state.value).toBe(value);
  });

  test("that is not one of the options is rejected with the list of options", async () => {
    const { compiled } = await suspended(choose);
    const error = await rejectionOf(compiled.resume("r", { choose: "green" }));
    expect(error.message).toBe(
      'The answer to "choose" was rejected: "green" is not one of the options. Allowed answers: Red, red, Blue, Blue , Grey .',
    );
    expect((await rejectionOf(compiled.resume("r", { choose: { a: 1 } }))).message).toContain('{"a":1} is not');
    expect((await compiled.resume("r", { choose: "blue" })).status).toBe("completed");
  });

  test("to a question that is not open is rejected with the list of open ones", async () => {
    const { compiled } = await suspended(choose);
    expect(await rejectionOf(compiled.resume("r", { chose: "Red" }))).toEqual(
      new UnknownRequestError("chose", ["choose"]),
    );
    expect(new UnknownRequestError("chose", ["a", "b"]).message).toBe(
      'There is no open question "chose". Open questions: a, b.',
    );
    expect(new UnknownRequestError("chose", []).message).toBe(
      'There is no open question "chose". The run has no open question.',
    );
  });

  test("is any text when there are no options", async () => {
    const free = askUserNode<TestState>({
      id: "free",
      options: { question: "What?" },
      outputMapper: (value) => ({ value }),
    });
    const { compiled } = await suspended(free);
    expect((await compiled.resume("r", { free: " as it is " })).state.value).toBe(" as it is ");
  });

  test("must fit the schema, and arrives parsed", async () => {
    const schema = z.object({
      count: z.coerce.number().int().positive(),
      when: z.string().transform((text) => new Date(text)),
    });
    const { compiled, result } = await suspended(
      waitNode<TestState>({ id: "form", schema, inputMapper: (answer) => ({ outputs: { form: answer } }) }),
    );
    expect(result.requests).toMatchObject([{ id: "form", schema: { type: "object", required: ["count", "when"] } }]);
    expect(result.requests[0]?.options).toBeUndefined();
    const error = await rejectionOf(compiled.resume("r", { form: { count: -1 } }));
    expect(error.message).toBe(
      'The answer to "form" was rejected: count: Too small: expected number to be >0; when: Invalid input: expected string, received undefined.',
    );
    const { state } = await compiled.resume("r", { form: { count: "3", when: "2026-01-01T00:00:00Z" } });
    expect(state.outputs).toEqual({ form: { count: 3, when: new Date("2026-01-01T00:00:00Z") } });
  });

  test("can have a schema that JSON Schema cannot express", async () => {
    const { compiled, result } = await suspended(waitNode<TestState>({ id: "when", schema: z.date() }));
    expect(result.requests.map(({ schema }) => schema)).toEqual([undefined]);
    expect((await compiled.resume("r", { when: new Date(7) })).state.outputs).toEqual({ when: new Date(7) });
  });

  test("that a journal cannot keep is rejected", async () => {
    const free = askUserNode<TestState>({ id: "free", options: { question: "What?" } });
    const { compiled } = await suspended(free);
    const error = await rejectionOf(compiled.resume("r", { free: { call: () => 1 } }));
    expect(error.message).toStartWith('The value at "answer.call" is a function, which a journal cannot keep.');
    expect((await compiled.resume("r", { free: "x" })).status).toBe("completed");
  });

  test("can be checked without being given", async () => {
    const { compiled, checkpointer } = await suspended(choose);
    await compiled.checkAnswers("r", { choose: "Red" }, { checkpointer });
    expect(await rejectionOf(compiled.checkAnswers("r", { choose: "x" }, { checkpointer }))).toBeInstanceOf(
      InvalidAnswerError,
    );
    expect((await compiled.resume("r")).requests).toHaveLength(1);
  });

  test("that its node cannot use fails the node; the question stays open", async () => {
    let isBroken = true;
    const picky = waitNode<TestState>({
      id: "picky",
      inputMapper: (value) => {
        if (isBroken) throw new Error("cannot use it");
        return { value };
      },
    });
    const { compiled } = await suspended(picky);
    const { status, errorInfo, requests } = await compiled.resume("r", { picky: "yes" });
    expect({ status, errorInfo, ids: requests.map(({ id }) => id) }).toEqual({
      status: "failed",
      errorInfo: { code: "NODE_FAILED", message: "cannot use it", nodeId: "picky" },
      ids: ["picky"],
    });
    isBroken = false;
    expect((await compiled.resume("r")).status).toBe("suspended");
    expect((await compiled.resume("r", { picky: "yes" })).state.value).toBe("yes");
  });

  test("that its node cannot use goes to a catch()", async () => {
    const picky = {
      ...failing("picky"),
      ...waitNode<TestState>({
        id: "picky",
        inputMapper: () => {
          throw new Error("cannot use it");
        },
      }),
    };
    const compiled = graph(TestState)
      .start(picky)
      .catch(({ message }) => logs(message))
      .end()
      .compile({ checkpointer: new MemorySaver() });
    await compiled.run({}, { runId: "r" });
    const { status, state, requests } = await compiled.resume("r", { picky: "no" });
    expect({ status, log: state.log, requests }).toEqual({ status: "completed", log: ["cannot use it"], requests: [] });
  });

  test("a question that a journal cannot keep fails the node that asks it", async () => {
    // The cast is a lie on purpose: a caller in JavaScript can do this.
    const request = { question: "ok?", autoApprove: { afterMs: 1_000, value: (() => 1) as unknown as string } };
    const { result } = await suspended(node("odd", () => ({ request })));
    expect(result.errorInfo).toMatchObject({ code: "STATE_UNSERIALIZABLE", nodeId: "odd" });
    expect(result.requests).toEqual([]);
  });
});

describe("autoApprove", () => {
  const auto = (afterMs: number, extra: object = {}) =>
    waitNode<TestState>({ id: "ok", autoApprove: { afterMs, ...extra }, inputMapper: (value) => ({ value }) });

  test("answers by itself while the process waits", async () => {
    const { result } = await suspended(auto(5));
    expect({ status: result.status, value: result.state.value }).toEqual({ status: "completed", value: "yes" });
  });

  test("does not keep a process alive for longer than it may", async () => {
    const checkpointer = new MemorySaver();
    const compiled = graph(TestState).start(auto(60_000)).end().compile({ checkpointer, autoApproveWaitMs: 59_999 });
    const { status, requests } = await compiled.run({}, { runId: "r", now: () => 1_000 });
    expect({ status, requests }).toEqual({
      status: "suspended",
      requests: [
        {
          id: "ok",
          nodeId: "ok",
          question: "Continue?",
          options: [{ label: "yes" }, { label: "no" }],
          askedAt: 1_000,
          autoApproveAt: 61_000,
          autoApproveValue: "yes",
        },
      ],
    });
    expect((await compiled.resume("r", {}, { now: () => 1_000 })).status).toBe("suspended");
    const late = await compiled.resume("r", {}, { now: () => 61_000 });
    expect({ status: late.status, value: late.state.value }).toEqual({ status: "completed", value: "yes" });
  });

  test("can be answered by a person first, also differently", async () => {
    const { compiled } = await suspendedFor(auto(60_000));
    expect((await compiled.resume("r", { ok: "no" })).state.value).toBe("no");
  });

  test.each([
    { title: "its value", node: auto(0, { value: "no" }), value: "no" },
    {
      title: "the first option",
      node: {
        ...waitNode<TestState>({
          id: "ok",
          autoApprove: { afterMs: 0 },
          options: [{ label: "ship" }, { label: "hold" }],
        }),
        applyAnswer: (value: unknown) => ({ value: String(value) }),
      },
      value: "ship",
    },
    {
      title: "the first option of a node of one's own",
      node: node(
        "ok",
        () => ({ request: { question: "?", options: [{ label: "go" }], autoApprove: { afterMs: 0 } } }),
        {
          applyAnswer: (value) => ({ value: String(value) }),
        },
      ),
      value: "go",
    },
  ])("answers with $title", async ({ node: asking, value }) => {
    expect((await suspended(asking)).result.state.value).toBe(value);
  });

  test("is validated like any answer", async () => {
    const schema = z.coerce.number();
    const parsed = waitNode<TestState>({ id: "ok", schema, autoApprove: { afterMs: 0, value: "7" } });
    expect((await suspended(parsed)).result.state.outputs).toEqual({ ok: 7 });
    const wrong = waitNode<TestState>({ id: "ok", schema, autoApprove: { afterMs: 0, value: "seven" } });
    expect((await suspended(wrong)).result.errorInfo).toEqual({
      code: "ANSWER_INVALID",
      message: 'The answer to "ok" was rejected: Invalid input: expected number, received NaN.',
      nodeId: "ok",
    });
  });

  async function suspendedFor(asking: NodeDefinition<TestState>) {
    const compiled = graph(TestState)
      .start(asking)
      .end()
      .compile({ checkpointer: new MemorySaver(), autoApproveWaitMs: 0 });
    await compiled.run({}, { runId: "r" });
    return { compiled };
  }
});
