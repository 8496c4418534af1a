import { type AgentQuestion, type AgentQuestionAnswer, recordOf, stringOf } from "../../../contracts/index.ts";
import { listOf, type OpenCodeEvent } from "./server/opencode-wire.ts";

/** Parses the questions of `question.asked`, which may contain several. Pure. */
export function toQuestions(raw: OpenCodeEvent["properties"], sessionId: string): readonly AgentQuestion[] {
  const id = stringOf(raw.id);
  return listOf(raw.questions).map((item, index) => {
    const { question, header, options, multiple } = recordOf(item);
    const title = stringOf(header);
    return {
      id: `${id}#${index}`,
      sessionId,
      question: stringOf(question),
      ...(title === "" ? {} : { header: title }),
      options: listOf(options).map((option) => {
        const { label, description } = recordOf(option);
        return {
          label: stringOf(label),
          ...(stringOf(description) === "" ? {} : { description: stringOf(description) }),
        };
      }),
      isMultiple: multiple === true,
    };
  });
}

/** An answer in OpenCode's format. A declined question is answered with the reason, which a rejection could not carry. */
export function toQuestionAnswer(answer: AgentQuestionAnswer): string[] {
  switch (answer.type) {
    case "answer":
      return [...answer.values];
    case "decline":
      return [`(not answered) ${answer.reason}`];
  }
}
