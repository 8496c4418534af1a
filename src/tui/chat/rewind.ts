import type { Session } from "../../contracts/index.ts";
import type { AgentConnection } from "./agent-connection.ts";
import type { ChatEntry, UserEntry } from "./chat-entry.ts";
import { contextOf, describeShell } from "./compose-message.ts";

const FILES = "Files stay as they are: what the agent changed since is not undone.";

/** Where a conversation continues after a rewind. */
export interface Rewound {
  /** The agent's own conversation before the message. Undefined: the next message opens another one. */
  readonly session: Session | undefined;
  /** What the agent has to know with the next message. */
  readonly context: readonly string[];
  /** A sentence for the person. */
  readonly notice: string;
}

/**
 * Goes back to before a message: in the agent's own conversation where it can do that. Another agent receives as text what came
 * before.
 *
 * @param entries those before the message
 */
export async function rewindTo(
  { at }: Pick<UserEntry, "at">,
  entries: readonly ChatEntry[],
  connection: AgentConnection,
): Promise<Rewound> {
  const { agentType } = connection.choice;
  const context = contextOf(entries);
  const wasOpen = connection.session !== undefined;
  const isEmpty = !entries.some(({ type }) => type === "user");
  const session = wasOpen && !isEmpty ? await forkBefore(at, connection) : undefined;
  if (session !== undefined) {
    const notice = `Rewound: ${agentType} is where it was before that message. ${FILES}`;
    return { session, context: unsentShell(entries), notice };
  }
  await connection.close();
  const text = `${agentType} receives what came before as text, with your next message.`;
  return {
    session: undefined,
    context,
    notice: ["Rewound.", ...(context.length === 0 ? [] : [text]), FILES].join(" "),
  };
}

/** Undefined where the agent cannot do that, or its own conversation began later: another agent led it before. */
async function forkBefore(at: number, connection: AgentConnection): Promise<Session | undefined> {
  const { capabilities } = await connection.client();
  if (!capabilities.forkBefore) return undefined;
  return await connection.fork({ before: at }).catch(() => undefined);
}

/** The commands of the user whose output is in no message yet. */
function unsentShell(entries: readonly ChatEntry[]): readonly string[] {
  const last = entries.findLastIndex(({ type }) => type === "user");
  return entries
    .slice(last + 1)
    .flatMap((entry) => (entry.type === "shell" && entry.ending !== "not-run" ? [describeShell(entry)] : []));
}
