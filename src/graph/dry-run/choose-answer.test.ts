import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { type GraphBuilder, graph } from "../builder.ts";
import { InvalidAnswerError } from "../errors/errors.ts";
import { node, TestState } from "../fixtures/test-nodes.ts";
import { askUserNode } from "../nodes/people/ask-user-node.ts";
import type { PlanOptions } from "./plan-options.ts";
import { type PlanReport, stepsOfType } from "./plan-report.ts";

const forbidden = (): never => {
  throw new Error("Another question is asked");
};

const plan = (builder: GraphBuilder<TestState>, options?: PlanOptions<TestState>): Promise<PlanReport<TestState>> =>
  builder.end().compile().plan({}, options);

describe("a question is answered", () => {
  const ask = (id: string, extra: object = {}) =>
    askUserNode<TestState>({ id, options: { question: `${id}?` }, ...extra });
  const choice = { options: { question: "which?", options: [{ label: "left" }, { label: "right" }] } };

  test.each<{
    title: string;
    build: () => GraphBuilder<TestState>;
    options?: PlanOptions<TestState>;
    answer: unknown;
    source: string;
  }>([
    {
      title: "as it is said by the node's id",
      build: () => graph(TestState).start(ask("gate", choice)),
      options: { answers: { gate: "right" } },
      answer: "right",
      source: "given",
    },
    {
      title: "as it is said by the question's id, before that of its node",
      build: () =>
        graph(TestState)
          .start(node("a"))
          .parallel([ask("gate", choice)], { names: ["one"] }),
      options: { answers: { "parallel_1[one]/gate": "right", gate: "left" } },
      answer: "right",
      source: "given",
    },
    {
      title: "by a function that receives all of it",
      build: () => graph(TestState).start(ask("gate", choice)),
      options: { answers: (question) => (question.question === "which?" ? question.options?.[1]?.label : forbidden()) },
      answer: "right",
      source: "given",
    },
    {
      title: "with its first option",
      build: () => graph(TestState).start(ask("gate", choice)),
      options: { answers: { other: "right" } },
      answer: "left",
      source: "first-option",
    },
    {
      title: "with the smallest value that fits its schema",
      build: () => graph(TestState).start(ask("gate", { schema: z.object({ port: z.int().min(80), note: z.null() }) })),
      answer: { port: 80, note: null },
      source: "made-up",
    },
    {
      title: "with null where that is all that fits",
      build: () => graph(TestState).start(ask("gate", { schema: z.null() })),
      answer: null,
      source: "made-up",
    },
    {
      title: "with yes where any text will do",
      build: () => graph(TestState).start(ask("gate")),
      answer: "yes",
      source: "made-up",
    },
    {
      title: "by itself, days later, at once",
      build: () =>
        graph(TestState)
          .start(node("a"))
          .wait({ id: "gate", autoApprove: { afterMs: 864_000_000, value: "no" } }),
      answer: "no",
      source: "automatic",
    },
  ])("$title", async ({ build, options, answer, source }) => {
    const report = await plan(build(), options);
    expect(report.status).toBe("completed");
    expect(stepsOfType(report, "question").map((question) => [question.answer, question.source])).toEqual([
      [answer, source],
    ]);
    expect(report.waitedMs).toBe(source === "automatic" ? 864_000_000 : 0);
  });

  test("with an invalid answer, and the run fails", async () => {
    const report = await plan(graph(TestState).start(ask("gate", choice)), { answers: { gate: "up" } });
    expect(report.error).toBeInstanceOf(InvalidAnswerError);
    expect(stepsOfType(report, "node").map(({ outcome }) => outcome)).toEqual(["failed"]);
  });

  test("not at all if no answer can be derived, and the run fails", async () => {
    const opaque = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } } as const;
    const report = await plan(graph(TestState).start(ask("gate", { schema: opaque })));
    expect(report.error?.message).toBe(
      'The dry run has no answer to "gate" ("gate?") and cannot derive one from the question\'s schema. Add it to "answers".',
    );
  });
});
