import type { ReasoningEffort, SessionConfig } from "../../contracts/index.ts";
import { type RunFlags, type SessionLimitFlags, sessionLimitsOf } from "./run-flags.ts";
import { UsageError } from "./usage-error.ts";

/** Options of a conversation with an agent, in `atomic -p` and in the chat. */
export interface ConversationFlags extends RunFlags, SessionLimitFlags {
  /** Continues one of the agent's conversations. */
  readonly session?: string;
  readonly effort?: string;
  readonly systemPrompt?: string;
}

const EFFORTS: readonly ReasoningEffort[] = ["none", "low", "medium", "high", "max"];

/** The settings that the options set for one conversation. @throws UsageError */
export function conversationSettingsOf(flags: ConversationFlags, model: string | undefined): SessionConfig {
  const { systemPrompt } = flags;
  const reasoningEffort = readEffort(flags.effort);
  return {
    ...sessionLimitsOf(flags),
    ...(model === undefined ? {} : { model }),
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
  };
}

/** @throws UsageError */
function readEffort(text: string | undefined): ReasoningEffort | undefined {
  if (text === undefined) return undefined;
  const effort = EFFORTS.find((known) => known === text);
  if (effort === undefined) throw new UsageError(`--effort takes one of ${EFFORTS.join(", ")}, and "${text}" is none.`);
  return effort;
}
