import type { Session } from "../../contracts/index.ts";
import type { ChatStore } from "./chat-store.ts";

/** Reads how full the context of the open session is, where its agent knows that, and shows it. */
export async function readContext(session: Session | undefined, store: ChatStore): Promise<void> {
  if (session === undefined || store.snapshot().capabilities?.contextUsage !== true) return;
  const contextUsage = await session.getContextUsage().catch(() => undefined);
  if (contextUsage !== undefined) store.change({ contextUsage });
}
