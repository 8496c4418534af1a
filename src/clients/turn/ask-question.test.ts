import { expect, test } from "bun:test";
import type { AgentQuestion } from "../../contracts/index.ts";
import { rejectionOf } from "../../testkit/conformance/rejection-of.ts";
import { askQuestion } from "./ask-question.ts";
import { startManualTurn } from "./fixtures/manual-turn.ts";

const QUESTION: AgentQuestion = {
  id: "q",
  sessionId: "s",
  question: "Which colour?",
  options: [{ label: "Red" }],
  isMultiple: false,
};

test("a question is published and answered by the person", async () => {
  const { turn, heard } = startManualTurn();
  const answer = await askQuestion(QUESTION, {
    turn,
    handler: async ({ options }) => ({ type: "answer", values: options.map(({ label }) => label) }),
  });
  expect(answer).toEqual({ type: "answer", values: ["Red"] });
  expect(heard.at(-1)).toEqual({ type: "question-ask", sessionId: "s", at: 7, question: QUESTION });
});

test("nobody to ask, and asking that fails, both decline with the reason", async () => {
  const { turn } = startManualTurn();
  expect(await askQuestion(QUESTION, { turn, handler: undefined })).toEqual({
    type: "decline",
    reason: "Nobody is there to answer. Decide by yourself.",
  });
  const handler = () => Promise.reject(new Error("the terminal is gone"));
  expect(await askQuestion(QUESTION, { turn, handler })).toEqual({
    type: "decline",
    reason: "Asking failed: the terminal is gone",
  });
});

test("a turn that is stopped ends the question with its reason", async () => {
  const { turn } = startManualTurn();
  const asking = askQuestion(QUESTION, {
    turn,
    handler: (_question, { signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("left alone")))),
  });
  void turn.abort("enough");
  expect(await rejectionOf(asking)).toBe("enough");
});

test("a withdrawn question ends with that reason, and the turn continues", async () => {
  const { turn } = startManualTurn();
  const controller = new AbortController();
  const handler = () => new Promise<never>(() => {});
  const asking = askQuestion(QUESTION, { turn, handler, until: controller.signal });
  controller.abort(new Error("never mind"));
  expect(await rejectionOf(asking)).toEqual(new Error("never mind"));
  expect(turn.signal.aborted).toBe(false);
});
