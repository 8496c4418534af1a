import type { HumanRequest } from "../../contracts/index.ts";
import {
  describeTooLong,
  questionText,
  visibleLabel,
  visibleLine,
  visibleMessage,
  wrapWords,
} from "../../view/index.ts";
import type { CliEnvironment } from "../environment.ts";
import { terminalSize } from "./ask-choice.ts";
import { fitMessage } from "./fit-message.ts";
import { guardPrompt, type UnansweredPrompt } from "./guard-prompt.ts";
import { describeShape } from "./parse-answer.ts";
import { type PromptStreams, promptStreams } from "./prompt-streams.ts";
import { waitForQuietKeyboard } from "./quiet-keyboard.ts";
import { selectAnswer } from "./select-answer.ts";

/** Asks the person at the terminal a run's question, until the signal withdraws it. */
export async function askQuestion(
  environment: CliEnvironment,
  request: HumanRequest,
  signal: AbortSignal,
): Promise<{ readonly type: "answer"; readonly text: string } | UnansweredPrompt> {
  const streams = promptStreams(environment);
  return await guardPrompt({ streams, signal }, (stop) => prompt(request, { ...streams, signal: stop }));
}

async function prompt(
  request: HumanRequest,
  streams: PromptStreams & { readonly signal: AbortSignal },
): Promise<{ readonly type: "answer"; readonly text: string } | undefined> {
  const { isCancel, text } = await import("@clack/prompts");
  const { options } = request;
  const message = visibleMessage(questionText(request));
  if (options === undefined) {
    const shape = describeShape(request);
    const asked = shape === undefined ? message : `${message}\n${shape}`;
    const validate = (typed: string | undefined): string | undefined => describeTooLong(typed ?? "");
    const answer = await text({ ...streams, message: fitMessage(streams.output, asked), validate });
    return isCancel(answer) ? undefined : { type: "answer", text: answer ?? "" };
  }
  const shown = options.map(({ label, description }) => ({
    label: visibleLabel(label),
    ...(description === undefined ? {} : { hint: visibleLabel(description) }),
  }));
  const labels = shown.map(({ label }) => label);
  const fitted = fitMessage(streams.output, message, labels);
  const answer = await selectAnswer({ streams, message: fitted, options: shown, signal: streams.signal });
  const chosen = answer === undefined ? undefined : options[answer];
  return chosen === undefined ? undefined : { type: "answer", text: chosen.label };
}

/** Further files are only counted. */
const MAX_LISTED = 40;

const ABOUT_FILES = "These files of the project can run code on your machine, or loosen what agents may do:";

/** Asks whether the files of a project may run code and configure what agents may do. */
export async function askTrust(
  environment: CliEnvironment,
  projectDirectory: string,
  files: readonly string[],
): Promise<boolean> {
  const streams = promptStreams(environment);
  const names = [...new Set(files)];
  if (!(await waitForQuietKeyboard(streams.input))) return false;
  const more = names.length > MAX_LISTED ? [`and ${names.length - MAX_LISTED} more`] : [];
  const listed = [...names.slice(0, MAX_LISTED).map(visibleLine), ...more].map((name) => `  ${name}`);
  const about = wrapWords(ABOUT_FILES, terminalSize(streams.output).columns);
  streams.output.write(`${[...about, ...listed].join("\n")}\n`);
  const answer = await selectAnswer({
    streams,
    message: `Do you trust ${visibleLine(projectDirectory)}, for Atomic and all agents, from now on?`,
    options: [{ label: "No" }, { label: "Yes" }],
    safe: 0,
  });
  return answer === 1;
}
