/** A wire protocol between an agent and a model. */
export type ModelProtocol = "openai-chat" | "openai-responses" | "anthropic-messages";

/** One message of a request, the same for every protocol. */
export interface ModelMessage {
  /** The author. Text that an agent adds to a user's message (`<system-reminder>`) counts as `system`. */
  readonly role: "system" | "user" | "assistant" | "tool";
  /** The text parts, joined by line ends; empty for an answer that only called tools. */
  readonly text: string;
}

/** The content of a request, the same for every protocol. */
export interface ModelRequestContent {
  /** The model the agent asked for. */
  readonly model: string;
  /** The conversation. Consecutive items of an assistant are one message. */
  readonly messages: readonly ModelMessage[];
  /** The names of the offered tools; a tool in a namespace is `namespace/name`. */
  readonly toolNames: readonly string[];
  readonly isStreaming: boolean;
}

/** A request an agent made to the model. */
export interface ModelRequest extends ModelRequestContent {
  /** The number of requests before this one. */
  readonly index: number;
  readonly protocol: ModelProtocol;
  /** The parsed body as it came. */
  readonly body: unknown;
  /** The headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}
