import type { AgentQuestion, AgentQuestionAnswer } from "../../contracts/index.ts";
import { fieldsOf, listOf, type OpenCodeEvent, textOf } from "./opencode-wire.ts";

/** Reads the questions of `question.asked`, which asks several at once. Pure. */
export function toQuestions(raw: OpenCodeEvent["properties"], sessionId: string): readonly AgentQuestion[] {
  const id = textOf(raw.id);
  return listOf(raw.questions).map((item, index) => {
    const { question, header, options, multiple } = fieldsOf(item);
    const title = textOf(header);
    return {
      id: `${id}#${index}`,
      sessionId,
      question: textOf(question),
      ...(title === "" ? {} : { header: title }),
      options: listOf(options).map((option) => {
        const { label, description } = fieldsOf(option);
        return { label: textOf(label), ...(textOf(description) === "" ? {} : { description: textOf(description) }) };
      }),
      isMultiple: multiple === true,
    };
  });
}

/** An answer as OpenCode takes it. A declined question is answered with the reason, which a rejection could not carry. */
export function toQuestionAnswer(answer: AgentQuestionAnswer): string[] {
  switch (answer.type) {
    case "answer":
      return [...answer.values];
    case "decline":
      return [`(not answered) ${answer.reason}`];
  }
}
