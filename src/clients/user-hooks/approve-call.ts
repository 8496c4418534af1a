import {
  describeToolInput,
  type InterceptedToolCall,
  isRecord,
  messageOf,
  type PermissionHandler,
  type PermissionRequest,
  stringOf,
} from "../../contracts/index.ts";

/** How much of a call is its title, in characters. */
const TITLE_LENGTH = 200;

/**
 * Asks a person about a call because a hook wants that, whatever the policy allows. Returns why the call is blocked;
 * undefined if the person allows it once. The policy decides afterwards. @throws the signal's reason
 */
export async function whyNotApproved(
  call: InterceptedToolCall,
  {
    reason,
    ask,
    signal,
  }: { readonly reason: string; readonly ask: PermissionHandler | undefined; readonly signal: AbortSignal },
): Promise<string | undefined> {
  if (ask === undefined) return `A hook requires a person's approval (${reason}), and nobody is here to answer.`;
  try {
    const decision = await ask(requestFor(call, reason), { signal });
    return decision.type === "allow" ? undefined : decision.reason;
  } catch (error) {
    signal.throwIfAborted();
    return `The approval that a hook requires failed: ${messageOf(error)}`;
  }
}

function requestFor(
  { toolId, sessionId, toolName, kind, input }: InterceptedToolCall,
  reason: string,
): PermissionRequest {
  const command = kind === "shell" && isRecord(input) ? stringOf(input.command) : "";
  const what = describeToolInput(input).replace(/\s+/g, " ").slice(0, TITLE_LENGTH);
  return {
    id: toolId,
    sessionId,
    kind,
    toolName,
    title: `${toolName}: ${what} (a hook asks: ${reason.replace(/\s+/g, " ")})`,
    paths: [],
    ...(command === "" ? {} : { command }),
    isOnce: true,
  };
}
