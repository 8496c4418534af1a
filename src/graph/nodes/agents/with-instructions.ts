import { CapabilityMissingError, type SessionConfig } from "../../../contracts/index.ts";

/** A session, and what has to precede its first message. */
export interface Instructed<Opened> {
  readonly opened: Opened;
  /** The system prompt that the session does not have; empty if it has it. */
  readonly preface: string;
}

/**
 * Opens a session with a system prompt. Where the agent takes no addition to its own, as some do over ACP, the session is
 * opened without, and the text has to go with the task.
 *
 * @throws what `open` throws
 */
export async function withInstructions<Opened>(
  config: SessionConfig,
  open: (config: SessionConfig) => Promise<Opened>,
): Promise<Instructed<Opened>> {
  try {
    return { opened: await open(config), preface: "" };
  } catch (error) {
    const { systemPrompt, ...others } = config;
    const isUnsupported = error instanceof CapabilityMissingError && error.capability === "appendSystemPrompt";
    const text = typeof systemPrompt === "string" ? systemPrompt : (systemPrompt?.text ?? "");
    if (!isUnsupported || text === "") throw error;
    return { opened: await open(others), preface: `Follow these instructions:\n\n${text}\n\nYour task:\n\n` };
  }
}
