import type { PermissionDecision, PermissionHandler, PermissionRequest } from "../contracts/index.ts";
import type { RunReporter } from "./progress/run-reporter.ts";
import { safeLine } from "./safe-text.ts";

/** Asks the person at the terminal about tool calls, one at a time. */
export function createPermissionPrompt(reporter: RunReporter): PermissionHandler {
  let previous: Promise<unknown> = Promise.resolve();
  return (request, { signal }) => {
    const decision = previous.then(() => ask(request, reporter, signal));
    previous = decision.catch(() => undefined);
    return decision;
  };
}

async function ask(
  request: PermissionRequest,
  reporter: RunReporter,
  signal: AbortSignal,
): Promise<PermissionDecision> {
  if (signal.aborted) return { type: "deny", reason: "The turn was cancelled." };
  const { isCancel, select } = await import("@clack/prompts");
  const resume = reporter.pause();
  try {
    const answer = await select({
      message: `Allow ${request.kind}: ${safeLine(request.title, 160)}`,
      options: [
        { value: "once", label: "Yes, this once" },
        { value: "session", label: "Yes, and do not ask again in this session" },
        { value: "deny", label: "No" },
      ],
      signal,
    });
    if (isCancel(answer) || answer === "deny") return { type: "deny", reason: "The user said no." };
    return { type: "allow", scope: answer === "session" ? "session" : "once" };
  } finally {
    resume();
  }
}
