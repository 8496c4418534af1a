import type { AgentQuestion, AgentQuestionAnswer, AgentQuestionHandler } from "../../contracts/index.ts";
import { describeTooLong, visibleLabel, visibleMessage } from "../../view/index.ts";
import type { PermissionPromptOptions } from "./ask-permission.ts";
import { fitMessage } from "./fit-message.ts";
import { guardPrompt } from "./guard-prompt.ts";
import { waitForQuietKeyboard } from "./quiet-keyboard.ts";
import { selectAnswer } from "./select-answer.ts";

/** Asks the person at the terminal the agents' questions, one at a time. */
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
    const answer = (await waitForQuietKeyboard(streams.input, signal))
      ? await guardPrompt({ streams, signal }, (stop) => prompt(question, { ...streams, signal: stop }))
      : ({ type: "cancel" } as const);
    switch (answer.type) {
      case "answer":
        return answer;
      case "escape":
        return UNANSWERED;
      case "cancel":
        onCancel();
        return UNANSWERED;
      case "withdrawn":
        streams.output.write("The question is withdrawn: the agent no longer waits for an answer.\n");
        return { type: "decline", reason: "The question was withdrawn." };
      case "closed":
        streams.output.write("Not answered: standard input is closed.\n");
        return { type: "decline", reason: "Nobody can answer: standard input is closed." };
    }
  } finally {
    resume();
  }
}

const UNANSWERED: AgentQuestionAnswer = { type: "decline", reason: "The user left the question unanswered." };

function rejectText(answer = ""): string | undefined {
  return answer.trim() === "" ? "Type an answer, or press Ctrl+C to stop." : describeTooLong(answer);
}

type Answered = Extract<AgentQuestionAnswer, { readonly type: "answer" }>;

/** Returns the chosen labels or the person's own text; undefined when they leave. */
async function prompt(
  { header, question, options, isMultiple }: AgentQuestion,
  streams: PermissionPromptOptions["streams"] & { readonly signal: AbortSignal },
): Promise<Answered | undefined> {
  const { isCancel, multiselect, text } = await import("@clack/prompts");
  const message = visibleMessage([header, question].filter((part) => part !== undefined).join(": "));
  const answered = (values: readonly string[]): Answered => ({ type: "answer", values });
  const ownAnswer = async (about: string): Promise<Answered | undefined> => {
    const answer = await text({ ...streams, message: about, validate: rejectText });
    return isCancel(answer) ? undefined : answered([answer]);
  };
  const { output } = streams;
  if (options.length === 0) return ownAnswer(fitMessage(output, message));
  const choices = options.map(({ label, description }) => ({
    value: label,
    label: visibleLabel(label),
    ...(description === undefined ? {} : { hint: visibleLabel(description) }),
  }));
  const labels = choices.map(({ label }) => label);
  if (isMultiple) {
    const fitted = fitMessage(output, message, labels);
    const answer = await multiselect({ ...streams, message: fitted, options: choices, required: true });
    return isCancel(answer) ? undefined : answered(answer);
  }
  const shown = [...choices, { label: "Something else …" }];
  const fitted = fitMessage(output, message, [...labels, "Something else …"]);
  const { signal } = streams;
  const place = await selectAnswer({ streams, message: fitted, options: shown, signal });
  if (place === undefined) return undefined;
  const chosen = options[place];
  return chosen === undefined ? ownAnswer("Your answer") : answered([chosen.label]);
}
