import {
  type AgentEvent,
  type AgentReply,
  type DeniedPermission,
  RedactedAgentEvents,
  type Redactor,
  WaitingFilter,
} from "../../contracts/index.ts";
import { describeCall, safeLine, safeText } from "../../view/index.ts";
import type { CliEnvironment, TextOutput } from "../environment.ts";
import type { Colors } from "../progress/progress-lines.ts";
import type { RunReporter } from "../progress/run-reporter.ts";
import { NO_STATUS_LINE, type StatusLine } from "../progress/status-line.ts";
import { formatDenied } from "./format-denied.ts";
import { formatJson } from "./format-json.ts";

/** Shows one turn of an agent. */
export interface PromptOutput extends Pick<RunReporter, "pause"> {
  onEvent(event: AgentEvent): void;
  /** Shows the reply of a turn. */
  onReply(reply: AgentReply): void;
}

/** Shows the same without secrets. */
export function withoutSecrets(output: PromptOutput, redactor: Redactor): PromptOutput {
  const events = new RedactedAgentEvents(redactor);
  const show = (ready: readonly AgentEvent[]): void => {
    for (const event of ready) output.onEvent(event);
  };
  return {
    onEvent: (event) => show(events.take(event)),
    onReply(reply) {
      show(events.flush());
      output.onReply(redactor.value(reply));
    },
    pause: () => output.pause(),
  };
}

/** Prints one line of JSON per event, and the reply as the last one. */
export function createJsonPromptOutput(output: TextOutput, sessionId: string): PromptOutput {
  return {
    onEvent: (event) => output.write(`${formatJson(event)}\n`),
    onReply: ({ type: _text, ...reply }) => output.write(`${formatJson({ type: "reply", sessionId, ...reply })}\n`),
    pause: () => () => undefined,
  };
}

/** Settings of {@link createTextPromptOutput}. */
export interface TextPromptOutputOptions {
  readonly colors: Colors;
  /** Whether the answer must conform to a schema; then standard output gets only the answer, as one line of JSON. */
  readonly isStructured: boolean;
  /** Whether a person is at the terminal who cannot answer, because standard input is a pipe. @default false */
  readonly isPiped?: boolean;
  /** Shows that the agent works while it is silent. @default none */
  readonly status?: StatusLine;
}

/** Streams the answer to standard output, and prints everything else on standard error. */
export function createTextPromptOutput(
  { stdout, stderr }: Pick<CliEnvironment, "stdout" | "stderr">,
  options: TextPromptOutputOptions,
): PromptOutput {
  return new TextPromptOutput(stdout, stderr, options);
}

class TextPromptOutput implements PromptOutput {
  readonly #stdout: TextOutput;
  readonly #stderr: TextOutput;
  readonly #colors: Colors;
  readonly #isStructured: boolean;
  readonly #status: StatusLine;
  readonly #waits = new WaitingFilter();
  #isPiped: boolean;
  /** Whether the last line of standard output has text. */
  #isInLine = false;
  #hasText = false;
  #isParagraphOver = false;
  /** Whether the last text ended with a carriage return. */
  #isAfterReturn = false;

  constructor(stdout: TextOutput, stderr: TextOutput, options: TextPromptOutputOptions) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.#colors = options.colors;
    this.#isStructured = options.isStructured;
    this.#status = options.status ?? NO_STATUS_LINE;
    this.#isPiped = options.isPiped ?? false;
  }

  onEvent(event: AgentEvent): void {
    const waiting = this.#waits.take(event, Date.now());
    switch (event.type) {
      case "text-delta":
        // Text before the structured answer would corrupt the JSON.
        return this.#isStructured ? undefined : this.#writeText(event.text);
      case "text-restart":
        if (this.#hasText) this.#note(this.#colors.yellow("… the answer broke off, and starts again"));
        return;
      case "tool-start": {
        const call = safeLine(`${event.toolName} ${describeCall(event.toolName, event.input)}`, 160);
        this.#note(this.#colors.dim(`● ${call}`), call);
        return;
      }
      case "permission-denied":
        for (const line of formatDenied(event.denied)) this.#note(this.#colors.yellow(line));
        return this.#explainPipe(event.denied);
      case "waiting":
        if (waiting !== undefined) this.#note(this.#colors.yellow(`… waiting ${safeLine(waiting, 200)}`));
        return;
      case "stalled":
        return this.#note(this.#colors.yellow(`… no sign of life for ${Math.ceil(event.silentMs / 1000)} s`));
      case "compacted":
        return this.#note(this.#colors.dim("● the conversation was compacted"));
      case "subagent-start":
        return this.#note(this.#colors.dim(`● sub-agent: ${safeLine(event.title, 140)}`));
      case "turn-end":
        // Another turn follows when the answer does not conform to its schema.
        this.#status.hide();
        return this.#endLine();
      case "thinking-delta":
        return this.#showStatus("thinking");
      case "turn-start":
      case "tool-end":
        return this.#showStatus("");
      case "permission-ask":
      case "question-ask":
      case "subagent-end":
      case "usage":
      case "error":
      case "vendor":
        return;
    }
  }

  onReply({ content, structured }: AgentReply): void {
    this.#status.close();
    if (this.#isStructured) this.#stdout.write(`${formatJson(structured)}\n`);
    else if (!this.#hasText) this.#writeText(content);
    this.#endLine();
  }

  pause(): () => void {
    this.#endLine();
    return this.#status.pause();
  }

  /** Text before and after a tool call is in separate paragraphs. */
  #writeText(text: string): void {
    // A line break of Windows can arrive in two parts.
    const safe = safeText(this.#isAfterReturn ? text.replace(/^\n/, "") : text);
    if (text !== "") this.#isAfterReturn = text.endsWith("\r");
    if (safe === "") return;
    const gap = this.#isParagraphOver && this.#hasText ? (this.#isInLine ? "\n\n" : "\n") : "";
    this.#isParagraphOver = false;
    this.#hasText = true;
    this.#status.hide();
    this.#stdout.write(gap === "" ? safe : gap + safe.replace(/^\n+/, ""));
    this.#isInLine = !safe.endsWith("\n");
  }

  /** Printed once: the person at the terminal expects a question. */
  #explainPipe({ isUnasked = false }: DeniedPermission): void {
    if (!this.#isPiped || !isUnasked) return;
    this.#isPiped = false;
    this.#note(
      "  Standard input is a pipe, so Atomic cannot ask for approval. Write the input to a file instead: --file PATH",
    );
  }

  #note(line: string, activity = ""): void {
    // On a terminal both outputs share the screen; in a file the answer must not change.
    if (this.#stdout.isTTY) this.#endLine();
    this.#isParagraphOver = true;
    this.#status.hide();
    this.#stderr.write(`${line}\n`);
    this.#showStatus(activity);
  }

  /** Not while text is streaming: the text itself shows progress. */
  #showStatus(activity: string): void {
    const isTalking = this.#hasText && !this.#isParagraphOver;
    if (!isTalking) this.#status.show(activity);
  }

  #endLine(): void {
    if (!this.#isInLine) return;
    this.#stdout.write("\n");
    this.#isInLine = false;
  }
}
