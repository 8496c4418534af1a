import type { CodingAgentClient, Session, SessionConfig } from "../../../contracts/index.ts";
import { sleep } from "../../../system/index.ts";
import { type WrappedSessionHost, WrappingClient } from "../forwarding/wrapping-client.ts";
import type { RecoveryPolicy } from "./decide-recovery.ts";
import type { RecoveryClock } from "./recovered-turn.ts";
import { RecoveringSession } from "./recovering-session.ts";

/** Real time and randomness. */
const SYSTEM_CLOCK: RecoveryClock = { now: () => Date.now(), random: () => Math.random(), sleep };

/**
 * The same client, which retries a turn after a temporary failure. For chats and single messages; the nodes of a graph have
 * their own `retry`.
 *
 * Its reader sees one turn, with a `waiting` wherever it failed and resumes. An attempt in which no tool ran restarts: as
 * long as the model repeats itself, the reader receives only new text, and an answer that differs is passed on in full, in
 * its own paragraph. After a tool ran, the agent is asked to continue instead, so that nothing is done twice. The reply's
 * content is the text of the stream, as in every turn; its usage is that of all attempts.
 *
 * When a model has no attempts left, the next of `fallbackModels` replaces it for the rest of the session, if the agent
 * supports `resume`. Aborts are never retried.
 *
 * ```ts
 * const client = withRecovery(createOpenCodeClient(options), { maxAttempts: 3, fallbackModels: ["openai/gpt-5-mini"] });
 * const reply = await (await client.createSession()).send("Fix the failing test.");
 * ```
 */
export function withRecovery(
  client: CodingAgentClient,
  policy: RecoveryPolicy = {},
  clock: Partial<RecoveryClock> = {},
): CodingAgentClient {
  return new RecoveringClient(client, { policy, clock: { ...SYSTEM_CLOCK, ...clock } });
}

class RecoveringClient extends WrappingClient {
  readonly #options: { readonly policy: RecoveryPolicy; readonly clock: RecoveryClock };

  constructor(inner: CodingAgentClient, options: { readonly policy: RecoveryPolicy; readonly clock: RecoveryClock }) {
    super(inner);
    this.#options = options;
  }

  protected override wrap(
    inner: Session,
    host: WrappedSessionHost & { readonly config: SessionConfig },
  ): RecoveringSession {
    return new RecoveringSession(inner, { ...this.#options, ...host, client: this.inner });
  }
}
