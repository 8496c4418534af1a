import { formatTime, visibleLabel, visibleMessage } from "../../view/index.ts";
import type { PublishedQuestion } from "../prompts/published-questions.ts";

/** A question of an agent that waits, its options, and the command that answers it. */
export function formatAgentQuestion(runId: string, { id, question, deadline }: PublishedQuestion): readonly string[] {
  const { header, question: text, options, isMultiple, step } = question;
  const title = [step ?? "an agent", header].filter((part) => part !== undefined).map(visibleLabel);
  return [
    ...visibleMessage(`${title.join(", ")} asks: ${text}`).split("\n"),
    ...options.map(({ label, description }) => {
      const detail = description === undefined || description === "" ? "" : `: ${visibleLabel(description)}`;
      return `  - ${visibleLabel(label)}${detail}`;
    }),
    `  Declined at ${formatTime(new Date(deadline).toISOString())} UTC without an answer:`,
    // Never cut or wrapped: people copy it.
    `  atomic runs answer ${runId} ${isMultiple ? `'["…"]'` : '"…"'} --request ${id}`,
  ];
}
