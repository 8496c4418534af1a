import { expect, test } from "bun:test";
import { z } from "zod";
import { graph } from "../builder.ts";
import { InvalidAnswerError, UnknownRequestError } from "../errors/errors.ts";
import { askUserNode } from "../nodes/people/ask-user-node.ts";
import { waitNode } from "../nodes/people/wait-node.ts";
import { MemorySaver } from "../savers/memory-saver.ts";
import { annotation, defineState } from "../state/annotation.ts";

const Review = defineState({ answer: annotation("") });

test("a question's name with #1 never means a later question of the same node", async () => {
  const compiled = graph(Review)
    .loop([waitNode({ id: "review", inputMapper: (answer) => ({ answer }) })], {
      until: ({ answer }) => answer === "yes",
    })
    .end()
    .compile({ checkpointer: new MemorySaver() });
  await compiled.run({}, { runId: "r" });
  const { requests } = await compiled.resume("r", { "review#1": "no" });
  expect(requests.map(({ id }) => id)).toEqual(["review#2"]);
  await expect(compiled.resume("r", { "review#1": "yes" })).rejects.toEqual(
    new UnknownRequestError("review#1", ["review#2"]),
  );
  expect((await compiled.resume("r", { review: "yes" })).status).toBe("completed");
});

const askFreely = async (schema?: z.ZodType) => {
  const node = askUserNode({ id: "free", options: { question: "What?" }, ...(schema === undefined ? {} : { schema }) });
  const compiled = graph().start(node).end().compile({ checkpointer: new MemorySaver() });
  await compiled.run({}, { runId: "r" });
  return compiled;
};

test.each(["", " \n"])("an empty answer to a question without a schema is rejected: %j", async (answer) => {
  const compiled = await askFreely();
  await expect(compiled.resume("r", { free: answer })).rejects.toEqual(
    new InvalidAnswerError("free", "it is empty. Write an answer", []),
  );
  expect((await compiled.resume("r", { free: "this" })).state.outputs).toEqual({ free: "this" });
});

test("a schema decides whether an empty answer is one", async () => {
  const compiled = await askFreely(z.string());
  expect((await compiled.resume("r", { free: "" })).state.outputs).toEqual({ free: "" });
});
