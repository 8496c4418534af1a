import type { Readable, Writable } from "node:stream";
import type { HumanRequest } from "../contracts/index.ts";
import type { CliEnvironment } from "./environment.ts";
import { waitForQuietKeyboard } from "./quiet-keyboard.ts";
import { visibleLine, visibleMessage } from "./visible/visible-text.ts";

/** Where a prompt reads and draws. */
export interface PromptStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/** Questions go where progress goes: standard output may lead into a file. */
export function promptStreams({ stdin, stderr }: CliEnvironment): PromptStreams {
  return { input: stdin, output: stderr.stream };
}

/** Puts a run's question to the person at the terminal. `undefined` when they leave it for later. */
export async function askQuestion(environment: CliEnvironment, request: HumanRequest): Promise<string | undefined> {
  const { isCancel, select, text } = await import("@clack/prompts");
  const message = visibleMessage([request.header, request.question].filter((part) => part !== undefined).join(": "));
  const { options } = request;
  const streams = promptStreams(environment);
  const answer =
    options === undefined
      ? await text({ ...streams, message })
      : await select({
          ...streams,
          message,
          options: options.map(({ label, description }) => ({
            value: label,
            label: visibleLine(label),
            ...(description === undefined ? {} : { hint: visibleLine(description) }),
          })),
        });
  return isCancel(answer) ? undefined : answer;
}

/** How many files the question of trust names. */
const MAX_LISTED = 40;

/** Asks whether what a project brings along may run code and decide what agents may do. */
export async function askTrust(
  environment: CliEnvironment,
  projectDirectory: string,
  files: readonly string[],
): Promise<boolean> {
  const { confirm, isCancel, note } = await import("@clack/prompts");
  const streams = promptStreams(environment);
  const names = [...new Set(files)];
  if (!(await waitForQuietKeyboard(streams.input))) return false;
  const more = names.length > MAX_LISTED ? [`and ${names.length - MAX_LISTED} more`] : [];
  const listed = [...names.slice(0, MAX_LISTED).map(visibleLine), ...more].join("\n");
  note(listed, "These files of the project can run code on your machine, or loosen what agents may do", streams);
  const answer = await confirm({
    ...streams,
    message: `Do you trust ${visibleLine(projectDirectory)}, for Atomic and all agents, from now on?`,
    initialValue: false,
  });
  return !isCancel(answer) && answer;
}
