import type { Session } from "../../contracts/index.ts";
import type { ChatStore } from "./chat-store.ts";

/** Reads how full the context of a session is, where its agent knows that, and shows it. */
export async function readContext(session: Session, store: ChatStore): Promise<void> {
  if (store.snapshot().capabilities?.contextUsage !== true) return;
  const contextUsage = await session.getContextUsage().catch(() => undefined);
  if (contextUsage !== undefined) store.change({ contextUsage });
}
