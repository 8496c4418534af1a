import { describe, expect } from "bun:test";
import type { AgentQuestion, AgentQuestionAnswer } from "../../../contracts/index.ts";
import { type ClientBench, requireCall } from "./client-bench.ts";
import { callTools, requestsWith, say, script, toolResultsOf } from "./client-script.ts";
import { eventsOf, openTalk } from "./client-talk.ts";
import { testIfAble } from "./client-world.ts";

/** The agent's questions to a person. */
export function describeQuestions(bench: ClientBench): void {
  describe("questions", () => {
    describeAnswers(bench);
    describeSilence(bench);
  });
}

const LABELS = ["Crimson", "Turquoise"];

function scriptQuestion(bench: ClientBench, question: string): void {
  const call = requireCall(bench.calls.askQuestion(question, LABELS), "the agent asks a question");
  script(bench, callTools(call), say("Thanks."));
}

/** A person with a fixed answer, who records the questions. */
function createPerson(answer: AgentQuestionAnswer): {
  readonly asked: AgentQuestion[];
  readonly onQuestion: (question: AgentQuestion) => Promise<AgentQuestionAnswer>;
} {
  const asked: AgentQuestion[] = [];
  return {
    asked,
    onQuestion: async (question) => {
      asked.push(question);
      return answer;
    },
  };
}

function describeAnswers(bench: ClientBench): void {
  const testQuestion = testIfAble(bench, "questions");

  testQuestion("a question reaches the person, and the answer the agent", async () => {
    const person = createPerson({ type: "answer", values: ["Turquoise"] });
    scriptQuestion(bench, "Which colour, question-91?");
    const talk = await openTalk(bench, { onQuestion: person.onQuestion });
    const { events, reply } = await talk.complete("Ask me question-91.");
    expect(person.asked).toEqual([
      expect.objectContaining({ sessionId: talk.id, question: "Which colour, question-91?", isMultiple: false }),
    ]);
    expect(person.asked[0]?.options.map(({ label }) => label)).toEqual(LABELS);
    expect(eventsOf(events, "question-ask").map(({ question }) => question)).toEqual(person.asked);
    expect([reply.content, reply.deniedPermissions]).toEqual(["Thanks.", []]);
    expect(requestsWith(bench, "question-91").flatMap(toolResultsOf).join("\n")).toContain("Turquoise");
  });

  testQuestion("an answer in the person's own words reaches the agent", async () => {
    const person = createPerson({ type: "answer", values: ["rather ochre-92"] });
    scriptQuestion(bench, "Which colour, question-92?");
    await (await openTalk(bench, { onQuestion: person.onQuestion })).complete("Ask me question-92.");
    expect(requestsWith(bench, "question-92").flatMap(toolResultsOf).join("\n")).toContain("rather ochre-92");
  });

  testQuestion("a declined question does not end the turn", async () => {
    const person = createPerson({ type: "decline", reason: "ask somebody else-93" });
    scriptQuestion(bench, "Which colour, question-93?");
    const { reply } = await (await openTalk(bench, { onQuestion: person.onQuestion })).complete("Ask me question-93.");
    expect([reply.content, person.asked.length]).toEqual(["Thanks.", 1]);
    if (bench.traits?.hidesDeclineReason === true) return;
    expect(requestsWith(bench, "question-93").flatMap(toolResultsOf).join("\n")).toContain("ask somebody else-93");
  });
}

function describeSilence(bench: ClientBench): void {
  const testQuestion = testIfAble(bench, "questions");

  testQuestion("without a person, the question is published and declined, and the turn continues", async () => {
    scriptQuestion(bench, "Which colour, question-94?");
    const { events, reply } = await (await openTalk(bench)).complete("Ask me question-94.");
    expect([reply.content, eventsOf(events, "question-ask").length]).toEqual(["Thanks.", 1]);
  });

  testQuestion("a question that fails to reach the person is declined", async () => {
    scriptQuestion(bench, "Which colour, question-95?");
    const talk = await openTalk(bench, {
      onQuestion: async () => {
        throw new Error("the terminal is gone");
      },
    });
    expect((await talk.complete("Ask me question-95.")).reply.content).toBe("Thanks.");
  });

  testQuestion("an abort ends the wait for the answer", async () => {
    scriptQuestion(bench, "Which colour, question-96?");
    const controller = new AbortController();
    const talk = await openTalk(bench, {
      onQuestion: (_question, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
          controller.abort(new Error("enough"));
        }),
    });
    expect((await talk.fail("Ask me question-96.", { signal: controller.signal })).error).toEqual(new Error("enough"));
    await talk.expectUsable();
  });
}
