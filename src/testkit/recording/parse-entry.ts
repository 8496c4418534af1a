import { isRecord, type RunStatus, type ToolKind } from "../../contracts/index.ts";
import type { RecordedVisit, RecordingEntry } from "./recording.ts";

/** Why a line is no entry. */
export type EntryProblem = { readonly type: "unknown" } | { readonly type: "field"; readonly path: string };

/** Returns where a value is wrong: a path such as `.calls[0].kind`, empty for the value itself. */
type Check = (value: unknown) => string | undefined;

const OK = undefined;

function when(isValid: (value: unknown) => boolean): Check {
  return (value) => (isValid(value) ? OK : "");
}

function optional(check: Check): Check {
  return (value) => (value === undefined ? OK : check(value));
}

function oneOf<T extends string>(values: Readonly<Record<T, true>>): Check {
  return when((value) => typeof value === "string" && Object.hasOwn(values, value));
}

function listOf(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return "";
    for (const [index, item] of value.entries()) {
      const problem = check(item);
      if (problem !== undefined) return `[${index}]${problem}`;
    }
    return OK;
  };
}

function mapOf(check: Check): Check {
  return (value) => {
    if (!isRecord(value)) return "";
    for (const [name, item] of Object.entries(value)) {
      const problem = check(item);
      if (problem !== undefined) return `.${name}${problem}`;
    }
    return OK;
  };
}

/** Fields that are not named may be there: a later version of Atomic may write more. */
function fields(checks: Readonly<Record<string, Check>>): Check {
  return (value) => {
    if (!isRecord(value)) return "";
    for (const [name, check] of Object.entries(checks)) {
      const problem = check(Object.hasOwn(value, name) ? value[name] : undefined);
      if (problem !== undefined) return `.${name}${problem}`;
    }
    return OK;
  };
}

const text = when((value) => typeof value === "string");
const number = when(Number.isFinite);
const count = when((value) => typeof value === "number" && Number.isFinite(value) && value >= 0);
/** A position, from 1. */
const position = when((value) => typeof value === "number" && Number.isSafeInteger(value) && value >= 1);
const flag = when((value) => typeof value === "boolean");
const isTrue = when((value) => value === true);
const base64 = when((value) => typeof value === "string" && /^[A-Za-z0-9+/]*={0,2}$/.test(value));

const kind = oneOf<ToolKind>({ read: true, edit: true, shell: true, fetch: true, mcp: true, agent: true, other: true });
const runStatus = oneOf<Exclude<RunStatus, "running">>({
  completed: true,
  suspended: true,
  failed: true,
  cancelled: true,
});
const visitStatus = oneOf<RecordedVisit["status"]>({ completed: true, skipped: true, failed: true, dropped: true });

const usage = fields({
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  costUsd: optional(count),
});

const CHANGES: Readonly<Record<string, Check>> = {
  file: (value) =>
    isRecord(value) && value.text === undefined
      ? fields({ path: text, base64, isExecutable: optional(isTrue) })(value)
      : fields({ path: text, text, isExecutable: optional(isTrue) })(value),
  link: fields({ path: text, target: text }),
  deleted: fields({ path: text }),
  "left-out": fields({ path: text, bytes: count }),
};

const change: Check = (value) => {
  if (!isRecord(value)) return "";
  const check = typeof value.type === "string" && Object.hasOwn(CHANGES, value.type) ? CHANGES[value.type] : undefined;
  return check === undefined ? ".type" : check(value);
};

const turn = fields({
  taskId: text,
  turn: position,
  order: position,
  agentType: text,
  folder: text,
  settings: fields({
    model: optional(text),
    reasoningEffort: optional(text),
    systemPrompt: optional(text),
    allowedTools: optional(listOf(text)),
    permissionMode: optional(text),
  }),
  prompt: text,
  images: optional(listOf(text)),
  calls: listOf(fields({ toolName: text, kind, output: text, isError: optional(flag) })),
  reply: optional(text),
  deniedPermissions: optional(
    listOf(
      fields({ toolName: text, kind, title: text, reason: text, allowedBy: optional(text), isUnasked: optional(flag) }),
    ),
  ),
  error: optional(fields({ code: text, message: text, isRetryable: optional(flag), retryAfterMs: optional(count) })),
  isAborted: optional(isTrue),
  usage,
  startedAt: number,
  durationMs: number,
  changes: listOf(change),
});

const ENTRIES: Readonly<Record<RecordingEntry["type"], Check>> = {
  recording: fields({ version: position, runId: text, workflow: text, at: number }),
  agent: fields({ agentType: text, capabilities: mapOf(flag), hasFreeContextUsage: flag }),
  turn,
  context: fields({ taskId: text, usedTokens: count, maxTokens: count, fraction: count }),
  visit: fields({
    taskId: text,
    nodeId: text,
    status: visitStatus,
    attempts: count,
    durationMs: optional(number),
    usage: optional(usage),
    isPassed: optional(flag),
    error: optional(text),
  }),
  end: fields({
    at: number,
    status: runStatus,
    usage,
    usageByAgent: optional(mapOf(usage)),
    error: optional(fields({ code: text, message: text, nodeId: optional(text) })),
  }),
};

/** Why a value is no entry of a recording, if it is none: a recording may be damaged, or come from somebody else. Pure. */
export function findEntryProblem(value: unknown): EntryProblem | undefined {
  if (!isRecord(value) || typeof value.type !== "string" || !isEntryType(value.type)) return { type: "unknown" };
  const path = ENTRIES[value.type](value);
  return path === undefined ? undefined : { type: "field", path: path.replace(/^\./, "") };
}

function isEntryType(type: string): type is RecordingEntry["type"] {
  return Object.hasOwn(ENTRIES, type);
}
