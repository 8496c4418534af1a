import type {
  AgentCapabilities,
  AgentQuestion,
  AgentQuestionAnswer,
  ContextUsage,
  PermissionDecision,
  PermissionMode,
  PermissionRequest,
  PromptPart,
  ReasoningEffort,
} from "../../contracts/index.ts";
import { type ChatModel, EMPTY_CHAT } from "./chat-model.ts";
import type { DiffComment } from "./diff-comments.ts";

/** A message that is sent when the turn in progress ends. */
export interface QueuedMessage {
  readonly id: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** The comments on diffs that are in the text. @default none */
  readonly comments?: readonly DiffComment[];
  /** Whether it waits until the person sends it, because they stopped the turn. @default false */
  readonly isHeld?: boolean;
}

/** What a message carries besides its text. */
export interface Attachment {
  /** As the message shows it: `[image 1]`, `[pasted text, 120 lines]`, `@src/cart.ts`. */
  readonly label: string;
  /** Sent instead of the label where it is a text, after the message otherwise. */
  readonly part: PromptPart;
  /** The comments on diffs that the label stands for. Those that are open are sent in its place. @default none */
  readonly comments?: readonly DiffComment[];
}

/** Something that the agent waits for a person to decide. */
export type OpenAsk =
  | {
      readonly type: "permission";
      readonly id: string;
      /** When it was first shown, in milliseconds since 1970. */
      readonly at: number;
      readonly request: PermissionRequest;
      readonly answer: (decision: PermissionDecision) => void;
    }
  | {
      readonly type: "question";
      readonly id: string;
      readonly at: number;
      readonly question: AgentQuestion;
      readonly answer: (answer: AgentQuestionAnswer) => void;
    };

/** Everything about the conversation that is shown. A new value for each change. */
export interface ChatState {
  readonly model: ChatModel;
  readonly agentType: string;
  /** The session's id at the vendor. Undefined before the first message. */
  readonly sessionId: string | undefined;
  /** The user's own name of the conversation. */
  readonly title: string | undefined;
  /** The model in the agent's spelling. Undefined for the agent's own choice. */
  readonly modelName: string | undefined;
  readonly effort: ReasoningEffort | undefined;
  readonly mode: PermissionMode;
  /** Undefined until the agent has started. */
  readonly capabilities: AgentCapabilities | undefined;
  readonly status: "idle" | "starting" | "working" | "compacting";
  readonly queue: readonly QueuedMessage[];
  /** Messages for a conversation that could not be opened. They belong into the input again. */
  readonly unsent: readonly QueuedMessage[];
  /** How many side questions are being answered. */
  readonly sideQuestionCount: number;
  /** The oldest first. */
  readonly asks: readonly OpenAsk[];
  readonly contextUsage: ContextUsage | undefined;
  /** The summary of the last compaction. */
  readonly compactionSummary: string | undefined;
}

/** The state before the first message. */
export function initialChatState(choice: {
  readonly agentType: string;
  readonly model: string | undefined;
  readonly effort: ReasoningEffort | undefined;
  readonly mode: PermissionMode;
}): ChatState {
  return {
    ...{ model: EMPTY_CHAT, agentType: choice.agentType, sessionId: undefined, title: undefined },
    ...{ modelName: choice.model, effort: choice.effort, mode: choice.mode, capabilities: undefined },
    ...{
      status: "idle",
      queue: [],
      unsent: [],
      sideQuestionCount: 0,
      asks: [],
      contextUsage: undefined,
      compactionSummary: undefined,
    },
  };
}

/** Why the conversation cannot be changed now. Undefined where it can. */
export function describeBusy({ status, agentType, model }: ChatState): string | undefined {
  if (status === "idle") return undefined;
  return status === "starting" && model.turn === undefined
    ? `Wait until ${agentType} has started.`
    : "Wait for the end of the turn, or stop it first.";
}
