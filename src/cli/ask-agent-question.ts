import type { AgentQuestion, AgentQuestionAnswer, AgentQuestionHandler } from "../contracts/index.ts";
import type { PermissionPromptOptions } from "./ask-permission.ts";
import { visibleLine, visibleMessage } from "./visible/visible-text.ts";

/** The choice of a text of one's own, which no agent's label can be mistaken for. */
const OWN_ANSWER = Symbol("own answer");

/** Puts agents' questions to the person at the terminal, when it is their turn. */
export function createQuestionPrompt(options: PermissionPromptOptions): AgentQuestionHandler {
  return (question, { signal }) => options.oneAtATime(() => ask(question, options, signal));
}

async function ask(
  question: AgentQuestion,
  { streams, reporter, onCancel }: PermissionPromptOptions,
  signal: AbortSignal,
): Promise<AgentQuestionAnswer> {
  if (signal.aborted) return { type: "decline", reason: "The turn was cancelled." };
  const resume = reporter.pause();
  try {
    const answer = await prompt(question, { ...streams, signal });
    if (answer !== undefined) return { type: "answer", values: answer };
    // The signal withdraws the question, too; then nobody pressed anything.
    if (!signal.aborted) onCancel();
    return { type: "decline", reason: "The user left the question unanswered." };
  } finally {
    resume();
  }
}

function complainAboutNothing(answer: string | undefined): string | undefined {
  return (answer ?? "").trim() === "" ? "Type an answer, or press Ctrl+C to stop." : undefined;
}

/** The chosen labels, or the person's own text; nothing when they leave. */
async function prompt(
  { header, question, options, isMultiple }: AgentQuestion,
  streams: PermissionPromptOptions["streams"] & { readonly signal: AbortSignal },
): Promise<readonly string[] | undefined> {
  const { isCancel, multiselect, select, text } = await import("@clack/prompts");
  const message = visibleMessage([header, question].filter((part) => part !== undefined).join(": "));
  const ownAnswer = async (about: string): Promise<readonly string[] | undefined> => {
    const answer = await text({ ...streams, message: about, validate: complainAboutNothing });
    return isCancel(answer) ? undefined : [answer];
  };
  if (options.length === 0) return ownAnswer(message);
  const choices = options.map(({ label, description }) => ({
    value: label,
    label: visibleLine(label),
    ...(description === undefined ? {} : { hint: visibleLine(description) }),
  }));
  if (isMultiple) {
    const answer = await multiselect({ ...streams, message, options: choices, required: true });
    return isCancel(answer) ? undefined : answer;
  }
  const answer = await select<string | typeof OWN_ANSWER>({
    ...streams,
    message,
    options: [...choices, { value: OWN_ANSWER, label: "Something else …" }],
  });
  if (answer === OWN_ANSWER) return ownAnswer("Your answer");
  return isCancel(answer) ? undefined : [answer];
}
