import type { JsonObject } from "../../../contracts/index.ts";
import type { AcpConnection } from "./acp-connection.ts";
import type { AcpPreparedSession, AcpSessionPlan } from "./program/acp-preparation.ts";

/** What one process has prepared for a session. The next process prepares its own. */
export class AcpOwnSession {
  readonly #plan: AcpSessionPlan;
  #prepared: AcpPreparedSession | undefined;

  constructor(plan: AcpSessionPlan) {
    this.#plan = plan;
  }

  /** Prepares the session and replaces an earlier preparation. Returns the `_meta` to send, if any. */
  async open(connection: Pick<AcpConnection, "prepareSession">): Promise<JsonObject | undefined> {
    await this.close();
    this.#prepared = await connection.prepareSession(this.#plan);
    return this.#prepared?.meta;
  }

  /** Removes what was prepared. Idempotent. */
  async close(): Promise<void> {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    await prepared?.close();
  }
}
