import type { SessionConfig, SystemPrompt } from "../../../contracts/index.ts";
import { given } from "../../errors/given.ts";
import type { ExecutionContext } from "../../model/execution-context.ts";
import { boundText } from "../shared/bound-text.ts";

/** The longest text of an event about a prompt, in characters. */
const MAX_PROMPT_LENGTH = 256 * 1024;

/** A conversation whose messages become events. */
export interface PromptedSession {
  readonly session: { readonly id: string };
  readonly agentType: string | undefined;
  readonly config: Pick<SessionConfig, "systemPrompt">;
}

/** Returns a function that publishes each message to an agent; the first one with the system prompt. */
export function promptEmitter(
  { session, agentType, config }: PromptedSession,
  { emit }: Pick<ExecutionContext, "emit">,
): (message: string) => void {
  let systemPrompt = textOf(config.systemPrompt);
  return (message) => {
    emit({
      type: "agent-prompt",
      message: boundText(message, MAX_PROMPT_LENGTH),
      ...given({ systemPrompt }),
      sessionId: session.id,
      ...given({ agentType }),
    });
    systemPrompt = undefined;
  };
}

function textOf(prompt: SystemPrompt | undefined): string | undefined {
  const text = typeof prompt === "string" ? prompt : (prompt?.text ?? "");
  return text === "" ? undefined : boundText(text, MAX_PROMPT_LENGTH);
}
