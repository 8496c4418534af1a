import { type AgentEvent, type AgentReply, describeToolInput } from "../contracts/index.ts";
import type { CliEnvironment, TextOutput } from "./environment.ts";
import { formatJson } from "./format-json.ts";
import type { Colors } from "./progress/progress-lines.ts";
import type { RunReporter } from "./progress/run-reporter.ts";
import { safeLine, safeText } from "./safe-text.ts";

/** Shows one turn of an agent. */
export interface PromptOutput extends Pick<RunReporter, "pause"> {
  onEvent(event: AgentEvent): void;
  /** The turn has been answered. */
  onReply(reply: AgentReply): void;
}

/** A line of JSON for each event, the reply as the last one. */
export function createJsonPromptOutput(output: TextOutput, sessionId: string): PromptOutput {
  return {
    onEvent: (event) => output.write(`${formatJson(event)}\n`),
    onReply: ({ type: _text, ...reply }) => output.write(`${formatJson({ type: "reply", sessionId, ...reply })}\n`),
    pause: () => () => undefined,
  };
}

/** The answer on standard output as it comes, everything else a person wants to know on standard error. */
export function createTextPromptOutput(
  { stdout, stderr }: Pick<CliEnvironment, "stdout" | "stderr">,
  colors: Colors,
): PromptOutput {
  return new TextPromptOutput(stdout, stderr, colors);
}

class TextPromptOutput implements PromptOutput {
  readonly #stdout: TextOutput;
  readonly #stderr: TextOutput;
  readonly #colors: Colors;
  /** Whether text stands on the last line of standard output. */
  #isInLine = false;
  #hasText = false;
  #isParagraphOver = false;

  constructor(stdout: TextOutput, stderr: TextOutput, colors: Colors) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.#colors = colors;
  }

  onEvent(event: AgentEvent): void {
    switch (event.type) {
      case "text-delta":
        return this.#writeText(event.text);
      case "tool-start":
        return this.#note(
          this.#colors.dim(`● ${safeLine(`${event.toolName} ${describeToolInput(event.input)}`, 160)}`),
        );
      case "permission-denied":
        return this.#note(
          this.#colors.yellow(`✖ denied: ${safeLine(event.denied.title, 120)} (${safeLine(event.denied.reason, 160)})`),
        );
      case "waiting":
        return this.#note(this.#colors.yellow(`… waiting (${event.reason}): ${safeLine(event.message, 160)}`));
      case "stalled":
        return this.#note(this.#colors.yellow(`… no sign of life for ${Math.ceil(event.silentMs / 1000)} s`));
      case "compacted":
        return this.#note(this.#colors.dim("● the conversation was compacted"));
      case "subagent-start":
        return this.#note(this.#colors.dim(`● sub-agent: ${safeLine(event.title, 140)}`));
      case "turn-end":
        return this.#endLine();
      case "turn-start":
      case "thinking-delta":
      case "tool-end":
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
    if (!this.#hasText) this.#writeText(structured === undefined ? content : JSON.stringify(structured));
    this.#endLine();
  }

  pause(): () => void {
    this.#endLine();
    return () => undefined;
  }

  /** What is said before and after a tool ran stands in paragraphs of its own. */
  #writeText(text: string): void {
    const safe = safeText(text);
    if (safe === "") return;
    const gap = this.#isParagraphOver && this.#hasText ? (this.#isInLine ? "\n\n" : "\n") : "";
    this.#isParagraphOver = false;
    this.#hasText = true;
    this.#stdout.write(gap + safe);
    this.#isInLine = !safe.endsWith("\n");
  }

  #note(line: string): void {
    // On a terminal both outputs are one screen; in a file the answer must stay what it is.
    if (this.#stdout.isTTY) this.#endLine();
    this.#isParagraphOver = true;
    this.#stderr.write(`${line}\n`);
  }

  #endLine(): void {
    if (!this.#isInLine) return;
    this.#stdout.write("\n");
    this.#isInLine = false;
  }
}
