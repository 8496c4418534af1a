/** Whether a value may be exported under a property's name. */
type Check = (value: unknown) => boolean;

const amount: Check = (value) => typeof value === "number" && Number.isFinite(value);
const yesOrNo: Check = (value) => typeof value === "boolean";
/** A name or a code: no spaces, and no slashes, so no sentence, path or command line. */
const name: Check = (value) => typeof value === "string" && /^[\w.:@#+()[\]-]{1,120}$/.test(value);
/** Models are named `provider/model`. A path has more slashes, or starts with one. */
const model: Check = (value) => typeof value === "string" && /^[\w.:@+-]{1,80}(?:\/[\w.:@+-]{1,80})?$/.test(value);

/** Every property that an event may have. Anything else is dropped. */
const PROPERTIES: Readonly<Record<string, Check>> = {
  // Of every event.
  anonymousId: name,
  atomicVersion: name,
  nodeVersion: name,
  platform: name,
  // Of sessions.
  agentType: name,
  model,
  permissionMode: name,
  reasoningEffort: name,
  hasSystemPrompt: yesOrNo,
  // Of messages and tools.
  messageLength: amount,
  outcome: name,
  toolUses: amount,
  toolName: name,
  toolKind: name,
  isError: yesOrNo,
  inputTokens: amount,
  outputTokens: amount,
  cacheReadTokens: amount,
  cacheWriteTokens: amount,
  costUsd: amount,
  durationMs: amount,
  // Of graphs.
  workflow: name,
  isResume: yesOrNo,
  status: name,
  nodeId: name,
  nodeType: name,
  attempt: amount,
  isRetried: yesOrNo,
  isSkipped: yesOrNo,
  sequence: amount,
  label: name,
  nodeCount: amount,
  totalIterations: amount,
  featureCount: amount,
  iteration: amount,
  errorName: name,
  errorCode: name,
};

/** The names of all properties that an event may have. */
export const TELEMETRY_PROPERTIES: readonly string[] = Object.keys(PROPERTIES);

/** The properties of an event that may be exported: known ones whose values are numbers, yes or no, or names. */
export function exportableProperties(
  properties: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string | number | boolean>> {
  const entries = Object.entries(properties).filter(
    ([key, value]) => Object.hasOwn(PROPERTIES, key) && PROPERTIES[key]?.(value) === true,
  );
  // The cast is true: every check accepts only values of these types.
  return Object.fromEntries(entries) as Record<string, string | number | boolean>;
}

/** An id that may be exported: that of a session or a run. Undefined for any other text. */
export function exportableId(id: string | undefined): string | undefined {
  return id !== undefined && /^[\w.:@+-]{1,200}$/.test(id) ? id : undefined;
}
