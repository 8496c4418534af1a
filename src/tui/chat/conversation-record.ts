import { type CodingAgentClient, messageOf, type SessionInfo } from "../../contracts/index.ts";
import type { ChatHost } from "../host/chat-host.ts";
import type { ListedSession } from "./chat-controller.ts";
import type { ChatEntry } from "./chat-entry.ts";
import type { ChatState } from "./chat-state.ts";
import type { KeptComments } from "./comment-store.ts";
import { parseComments, toStoredComments } from "./stored-comments.ts";
import { formatEntries, parseEntries } from "./stored-entries.ts";

/** How much of the first message a list shows, in characters. */
const PREVIEW_LENGTH = 80;

/** What {@link ConversationRecord} needs. */
export interface ConversationRecordOptions {
  readonly now: () => number;
  /** Called once when a conversation cannot be stored. */
  readonly onProblem: (text: string) => void;
}

/** What is stored of a conversation. */
export interface LoadedConversation {
  readonly entries: readonly ChatEntry[];
  readonly comments: KeptComments;
  /** The user's own name of it. */
  readonly title: string | undefined;
}

/** What Atomic stores of conversations: their names and messages. */
export class ConversationRecord {
  readonly #host: ChatHost;
  readonly #options: ConversationRecordOptions;
  #isBroken = false;
  /** The names of conversations, by their ids, where nothing stores them: as long as the program runs. */
  readonly #names = new Map<string, string>();
  #saving: Promise<void> = Promise.resolve();
  /** The conversation that was loaded or stored last, and its last message then. */
  #latest: { readonly sessionId: string; readonly count: number; readonly last: ChatEntry } | undefined;

  constructor(host: ChatHost, options: ConversationRecordOptions) {
    this.#host = host;
    this.#options = options;
  }

  /**
   * Stores the open conversation. One that the agent could not resume, or that another agent continues with the next message, is
   * stored with the session that it had. Never rejects.
   */
  async save({ sessionId: open, agentType, title, model }: ChatState, comments: KeptComments): Promise<void> {
    const { conversations } = this.#host;
    const sessionId = open ?? this.#earlierSessionOf(model.entries);
    if (sessionId === undefined) return;
    if (conversations === undefined) {
      if (title !== undefined) this.#names.set(sessionId, title);
      return;
    }
    this.#remember(sessionId, model.entries);
    const updatedAt = this.#options.now();
    const preview = previewOf(model.entries);
    const about = {
      ...{ sessionId, agentType, updatedAt },
      ...(title === undefined ? {} : { name: title }),
      ...(preview === undefined ? {} : { preview }),
    };
    this.#saving = this.#saving.then(async () => {
      try {
        if (open !== undefined) await conversations.save(about);
        await conversations.saveEntries?.(sessionId, formatEntries(model.entries, toStoredComments(comments)));
      } catch (error) {
        if (!this.#isBroken) this.#options.onProblem(`The conversation is not recorded: ${messageOf(error)}`);
        this.#isBroken = true;
      }
    });
    await this.#saving;
  }

  #remember(sessionId: string, entries: readonly ChatEntry[]): void {
    const last = entries.at(-1);
    this.#latest = last === undefined ? undefined : { sessionId, count: entries.length, last };
  }

  /** The session whose messages these start with. Undefined for a new conversation, and for one that was cut. */
  #earlierSessionOf(entries: readonly ChatEntry[]): string | undefined {
    if (this.#latest === undefined) return undefined;
    const { sessionId, count, last } = this.#latest;
    const same = entries[count - 1];
    return same?.id === last.id && same.type === last.type && same.at === last.at ? sessionId : undefined;
  }

  /** Whether the messages and comments of conversations are stored. */
  get isKept(): boolean {
    return this.#host.conversations?.saveEntries !== undefined;
  }

  /** What is stored of a conversation: nothing, if another program opened it. */
  async load(sessionId: string): Promise<LoadedConversation> {
    const { conversations } = this.#host;
    const text = await conversations?.loadEntries?.(sessionId);
    const stored = (await conversations?.list())?.find((one) => one.sessionId === sessionId);
    const entries = text === undefined ? [] : parseEntries(text);
    this.#remember(sessionId, entries);
    return {
      entries,
      comments: parseComments(text ?? "[]"),
      title: stored?.name ?? this.#names.get(sessionId),
    };
  }

  /** The agent's conversations: first those of the chat, with the user's names or their first words. @throws CapabilityMissingError */
  async list(client: CodingAgentClient): Promise<readonly ListedSession[]> {
    const stored = (await this.#host.conversations?.list()) ?? [];
    const own = stored.filter(({ agentType }) => agentType === client.agentType);
    const listed = own.map(({ sessionId, name, preview, updatedAt }) => ({
      ...{ id: sessionId, title: preview ?? sessionId, updatedAt },
      ...(name === undefined ? {} : { name }),
    }));
    if (!client.capabilities.listSessions) return listed;
    const sessions = await client.listSessions({ workingDirectory: this.#host.workingDirectory });
    const isKept = new Set(sessions.map(({ id }) => id));
    const isOwn = new Set(own.map(({ sessionId }) => sessionId));
    return [
      ...listed.filter(({ id }) => isKept.has(id)),
      ...sessions.filter(({ id }) => !isOwn.has(id)).map((session) => this.#named(session)),
    ];
  }

  #named(session: SessionInfo): ListedSession {
    const name = this.#names.get(session.id);
    return name === undefined ? session : { ...session, name };
  }
}

/** The start of the first message. */
function previewOf(entries: readonly ChatEntry[]): string | undefined {
  const first = entries.find(({ type }) => type === "user");
  if (first?.type !== "user") return undefined;
  const line = first.text.replace(/\s+/g, " ").trim();
  return line === "" ? undefined : line.slice(0, PREVIEW_LENGTH);
}
