import type { ModelRequest } from "./model-request.ts";

/** A tool the scripted model calls. */
export interface ModelToolCall {
  readonly name: string;
  /** The arguments; the server encodes them as JSON. */
  readonly input: unknown;
}

/** The tokens a reply reports. */
export interface ModelUsage {
  /** Input tokens the cache did not serve; where a protocol counts both together, the server adds them up. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Input tokens served by the cache. @default 0 */
  readonly cacheReadTokens?: number;
}

/** What the scripted model does with one request. */
export type ModelReply =
  | {
      readonly type: "message";
      readonly text?: string;
      readonly thinking?: string;
      readonly toolCalls?: readonly ModelToolCall[];
      /** @default estimated from the lengths */
      readonly usage?: ModelUsage;
      /** A pause before the first byte, in milliseconds. @default 0 */
      readonly delayMs?: number;
      /** A pause between two deltas of a stream, in milliseconds. @default 0 */
      readonly deltaDelayMs?: number;
    }
  | {
      readonly type: "error";
      readonly status: number;
      readonly message: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | {
      /** The connection breaks. */
      readonly type: "reset";
      /** Text of a valid answer sent before the connection breaks; without it not even a status arrives. */
      readonly afterText?: string;
    }
  /** Status 200 and bytes that belong to no protocol. */
  | { readonly type: "garbage" }
  | {
      /** An answer that starts and then falls silent. */
      readonly type: "stall";
      /** Text that still arrives. */
      readonly afterText?: string;
    };

/** Decides the model's answer. Its errors reach the agent as status 500, and `ModelServer.scriptErrors`. */
export type ModelScript = (request: ModelRequest) => ModelReply | Promise<ModelReply>;
