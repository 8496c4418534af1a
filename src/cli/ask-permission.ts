import type { PermissionDecision, PermissionHandler, PermissionRequest } from "../contracts/index.ts";
import type { PromptStreams } from "./ask-question.ts";
import type { OneAtATime } from "./one-at-a-time.ts";
import type { RunReporter } from "./progress/run-reporter.ts";
import { safeLine } from "./safe-text.ts";

/** What a permission prompt works with. */
export interface PermissionPromptOptions {
  readonly streams: PromptStreams;
  readonly reporter: Pick<RunReporter, "pause">;
  /** Called when the person presses Ctrl+C instead of answering: a prompt takes that key for itself. */
  readonly onCancel: () => void;
  /** Shared by all prompts of a terminal: two that are open at once would both hear each key. */
  readonly oneAtATime: OneAtATime;
}

/** Asks the person at the terminal about tool calls, when it is their turn. */
export function createPermissionPrompt(options: PermissionPromptOptions): PermissionHandler {
  return (request, { signal }) => options.oneAtATime(() => ask(request, options, signal));
}

async function ask(
  request: PermissionRequest,
  { streams, reporter, onCancel }: PermissionPromptOptions,
  signal: AbortSignal,
): Promise<PermissionDecision> {
  if (signal.aborted) return { type: "deny", reason: "The turn was cancelled." };
  const { isCancel, select } = await import("@clack/prompts");
  const resume = reporter.pause();
  try {
    const answer = await select({
      ...streams,
      message: `Allow ${request.kind}: ${safeLine(request.title, 160)}`,
      options: [
        { value: "once", label: "Yes, this once" },
        { value: "session", label: "Yes, and do not ask again in this session" },
        { value: "project", label: "Yes, and never ask again in this project" },
        { value: "deny", label: "No" },
      ],
      signal,
    });
    if (isCancel(answer)) {
      // The signal withdraws the question, too; then nobody pressed anything.
      if (!signal.aborted) onCancel();
      return { type: "deny", reason: "The user left the question unanswered." };
    }
    if (answer === "deny") return { type: "deny", reason: "The user said no." };
    return { type: "allow", scope: answer };
  } finally {
    resume();
  }
}
