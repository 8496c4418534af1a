import { z } from "zod";

// Fields that are not named may be there: a later version of Atomic may write more.

const count = z.number().min(0);
/** A position, from 1. */
const position = z.int().min(1);
const kind = z.enum(["read", "edit", "shell", "fetch", "mcp", "agent", "other"]);

const usage = z.looseObject({
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  costUsd: count.optional(),
});

const file = z
  .looseObject({
    type: z.literal("file"),
    path: z.string(),
    text: z.string().optional(),
    base64: z.base64().optional(),
    isExecutable: z.literal(true).optional(),
  })
  .refine(({ text, base64 }) => text !== undefined || base64 !== undefined, { path: ["text"] });

const change = z.discriminatedUnion("type", [
  file,
  z.looseObject({ type: z.literal("link"), path: z.string(), target: z.string() }),
  z.looseObject({ type: z.literal("deleted"), path: z.string() }),
  z.looseObject({ type: z.literal("left-out"), path: z.string(), bytes: count }),
]);

const turn = z.looseObject({
  type: z.literal("turn"),
  taskId: z.string(),
  turn: position,
  order: position,
  agentType: z.string(),
  folder: z.string(),
  settings: z.looseObject({
    model: z.string().optional(),
    reasoningEffort: z.string().optional(),
    systemPrompt: z.string().optional(),
    allowedTools: z.array(z.string()).optional(),
    permissionMode: z.string().optional(),
  }),
  prompt: z.string(),
  images: z.array(z.string()).optional(),
  calls: z.array(z.looseObject({ toolName: z.string(), kind, output: z.string(), isError: z.boolean().optional() })),
  reply: z.string().optional(),
  deniedPermissions: z
    .array(
      z.looseObject({
        toolName: z.string(),
        kind,
        title: z.string(),
        reason: z.string(),
        allowedBy: z.string().optional(),
        isUnasked: z.boolean().optional(),
      }),
    )
    .optional(),
  error: z
    .looseObject({
      code: z.string(),
      message: z.string(),
      isRetryable: z.boolean().optional(),
      retryAfterMs: count.optional(),
    })
    .optional(),
  isAborted: z.literal(true).optional(),
  usage,
  startedAt: z.number(),
  durationMs: z.number(),
  changes: z.array(change),
});

const entry = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("recording"),
    version: position,
    runId: z.string(),
    workflow: z.string(),
    at: z.number(),
  }),
  z.looseObject({
    type: z.literal("agent"),
    agentType: z.string(),
    capabilities: z.record(z.string(), z.boolean()),
    hasFreeContextUsage: z.boolean(),
  }),
  turn,
  z.looseObject({
    type: z.literal("context"),
    taskId: z.string(),
    usedTokens: count,
    maxTokens: count,
    fraction: count,
  }),
  z.looseObject({
    type: z.literal("visit"),
    taskId: z.string(),
    nodeId: z.string(),
    status: z.enum(["completed", "skipped", "failed", "dropped"]),
    attempts: count,
    durationMs: z.number().optional(),
    usage: usage.optional(),
    isPassed: z.boolean().optional(),
    error: z.string().optional(),
  }),
  z.looseObject({
    type: z.literal("end"),
    at: z.number(),
    status: z.enum(["completed", "suspended", "failed", "cancelled"]),
    usage,
    usageByAgent: z.record(z.string(), usage).optional(),
    error: z.looseObject({ code: z.string(), message: z.string(), nodeId: z.string().optional() }).optional(),
  }),
]);

/** Why a value is no entry. */
export type EntryProblem = { readonly type: "unknown" } | { readonly type: "field"; readonly path: string };

/** Why a value is no entry of a recording, if it is none: a recording may be damaged, or come from somebody else. Pure. */
export function findEntryProblem(value: unknown): EntryProblem | undefined {
  const { success, error } = entry.safeParse(value);
  if (success) return undefined;
  const path = error.issues[0]?.path ?? [];
  if (path.length === 0 || path[0] === "type") return { type: "unknown" };
  const place = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  return { type: "field", path: place.slice(1) };
}
