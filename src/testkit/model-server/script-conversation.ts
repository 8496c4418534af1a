import { AtomicError } from "../../contracts/index.ts";
import { assertReply, assertSteps } from "./assert-reply.ts";
import type { ModelReply, ModelScript } from "./model-reply.ts";
import type { ModelRequest } from "./model-request.ts";

/** The agent asked for more replies than the conversation's script has. */
export class ScriptExhaustedError extends AtomicError {
  constructor(
    /** How many replies the agent received since the user's last message. */
    readonly stepIndex: number,
    readonly stepCount: number,
  ) {
    super(
      "MODEL_SCRIPT_EXHAUSTED",
      `The agent asked for reply ${stepIndex + 1} to one message, but the script has ${stepCount}. End the script with a reply that calls no tools, or add a step.`,
    );
  }
}

/** Settings of {@link scriptConversation}. */
export interface ConversationOptions {
  /** The reply to side requests, such as the one for a title. @default a short text */
  readonly sideReply?: ModelReply;
}

/**
 * A script that answers every message of the user with the same steps, one for each request of the agent. It keeps no
 * state: the step is the number of the model's turns since the user's last message, so that repeated requests, several
 * conversations at once and the agents' own requests for titles and summaries do not derail it.
 *
 * @example
 * const script = scriptConversation([
 *   { type: "message", toolCalls: [{ name: "write", input: { filePath: "a.txt", content: "hi" } }] },
 *   { type: "message", text: "Done." },
 * ]);
 */
export function scriptConversation(steps: readonly ModelReply[], options: ConversationOptions = {}): ModelScript {
  const { sideReply = { type: "message", text: "Scripted title" } } = options;
  assertSteps(steps);
  assertReply(sideReply);
  return (request) => {
    const stepIndex = countTurns(request);
    const step = steps[stepIndex];
    if (isSideRequest(request, step)) return sideReply;
    if (step === undefined) throw new ScriptExhaustedError(stepIndex, steps.length);
    return step;
  };
}

/** How many replies the model sent since the user's last message. */
function countTurns(request: ModelRequest): number {
  const lastUser = request.messages.findLastIndex((message) => message.role === "user");
  return request.messages.slice(lastUser + 1).filter((message) => message.role === "assistant").length;
}

/**
 * Whether a request is not part of the conversation. Agents offer their tools in every request of a conversation. A
 * request without tools is a side request if it mentions a title or a summary, or if the step requires tools.
 */
function isSideRequest(request: ModelRequest, step: ModelReply | undefined): boolean {
  if (request.toolNames.length > 0) return false;
  if (step?.type === "message" && step.toolCalls !== undefined && step.toolCalls.length > 0) return true;
  const firstUser = request.messages.find((message) => message.role === "user");
  const instructions = request.messages.filter((message) => message.role === "system").map((message) => message.text);
  const isTitleOrSummary = /\btitle\b|\bsummar/i;
  return (
    instructions.some((text) => isTitleOrSummary.test(text)) || /^\s*generate a title\b/i.test(firstUser?.text ?? "")
  );
}
