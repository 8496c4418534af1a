import type { JsonObject } from "../../../contracts/index.ts";
import type { AcpConnection } from "./acp-connection.ts";
import type { AcpPreparedSession, AcpSessionPlan } from "./acp-preparation.ts";

/** What a session has for itself in the process that has it open: the next process makes its own. */
export class AcpOwnSession {
  readonly #plan: AcpSessionPlan;
  #prepared: AcpPreparedSession | undefined;

  constructor(plan: AcpSessionPlan) {
    this.#plan = plan;
  }

  /** Makes it ready, in the place of an earlier one. Gives what is sent as `_meta`; nothing where there is nothing. */
  async open(connection: Pick<AcpConnection, "prepareSession">): Promise<JsonObject | undefined> {
    await this.close();
    this.#prepared = await connection.prepareSession(this.#plan);
    return this.#prepared?.meta;
  }

  /** Takes it away. Idempotent. */
  async close(): Promise<void> {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    await prepared?.close();
  }
}
