import type {
  AgentReply,
  McpServerStatus,
  ModelDisplayInfo,
  PermissionHandler,
  PermissionMode,
  ReasoningEffort,
  Session,
  SessionInfo,
} from "../../contracts/index.ts";
import type { NoticeEntry } from "./chat-entry.ts";
import type { Attachment, ChatState, QueuedMessage } from "./chat-state.ts";
import type { CommentStore } from "./comment-store.ts";
import type { DiffComment } from "./diff-comments.ts";

/** A stored conversation of the agent. */
export interface ListedSession extends SessionInfo {
  /** The user's own name of it. */
  readonly name?: string;
}

/** A model of the agent. */
export interface ListedModel extends ModelDisplayInfo {
  /** Whether the agent uses it now. @default false */
  readonly isCurrent?: boolean;
}

/** The conversation: sends messages, queues them, answers the agent, changes sessions. */
export interface ChatController {
  /** The state. The same object until something changes. */
  readonly snapshot: () => ChatState;
  /** Calls the listener after each change, at most 20 times a second. */
  readonly subscribe: (listener: () => void) => () => void;
  /** Asks the person about a call. */
  readonly onPermissionAsk: PermissionHandler;
  /** The person's comments on lines of diffs. They are stored with the conversation. */
  readonly comments: CommentStore;
  /** Opens the agent, so that the first message does not wait for it. Errors become notices. */
  start(): Promise<void>;
  /** The open session. Undefined before the first message. */
  session(): Session | undefined;
  /**
   * Sends a message, or queues it while a turn is in progress.
   *
   * @param comments what `comments.startSending()` returned: they count as sent once the agent has the message
   */
  send(text: string, attachments?: readonly Attachment[], comments?: readonly DiffComment[]): void;
  /** Sends a message that is not shown, and waits for the end of its turn. */
  sendSilently(text: string, options?: { readonly isHidden?: boolean }): Promise<AgentReply>;
  /** Adds a message to the turn in progress. Queues it where the agent cannot. */
  steer(text: string, attachments?: readonly Attachment[]): Promise<void>;
  /** Asks in a copy of the conversation; neither the question nor the answer enters it. */
  askAside(text: string): Promise<void>;
  /** Ends the turn in progress. Messages that are queued by then wait for {@link sendHeld}. */
  interrupt(): Promise<void>;
  /** Sends the messages that wait since the person stopped a turn, in order. */
  sendHeld(): void;
  editQueued(id: string, text: string): void;
  /** Takes a message out of the queue. Its comments on diffs are a label in the text: they are sent with it, or stay open. */
  removeQueued(id: string): QueuedMessage | undefined;
  /** Takes the messages that could not be sent, `unsent` of the state. */
  takeUnsent(): readonly QueuedMessage[];
  /** A line of Atomic itself. */
  notice(text: string, options?: Partial<Pick<NoticeEntry, "tone" | "isMarkdown">>): void;
  /** Runs the user's own command. */
  runShell(command: string): Promise<void>;
  /** Ends the session and removes the messages. */
  clear(): Promise<void>;
  compact(): Promise<void>;
  setModel(model: string | undefined, effort?: ReasoningEffort): Promise<void>;
  setMode(mode: PermissionMode): Promise<void>;
  setAgent(agentType: string): Promise<void>;
  listModels(): Promise<readonly ListedModel[]>;
  listSessions(): Promise<readonly ListedSession[]>;
  resume(sessionId: string): Promise<void>;
  fork(): Promise<void>;
  rename(title: string): Promise<void>;
  /** Goes back to before a message of the user, in another conversation that receives what came before. Returns the message. */
  rewind(entryId: string): Promise<string | undefined>;
  mcpStatus(): Promise<readonly McpServerStatus[]>;
  /** Ends the session and the agents. */
  stop(): Promise<void>;
}
