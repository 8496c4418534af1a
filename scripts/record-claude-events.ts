/**
 * Records what the real Claude Code sends in scripted turns, for the tests of the translator:
 *
 *     bun scripts/record-claude-events.ts
 *
 * Run it after an update of the SDK, and look at what has changed in the recording.
 */
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { HookCallback } from "@anthropic-ai/claude-agent-sdk";
import type { ClientTestBench } from "../src/clients/fixtures/client-test-bench.ts";
import { type ClaudeConnection, openClaudeConnection } from "../src/clients/vendors/claude/claude-connection.ts";
import { buildQueryOptions } from "../src/clients/vendors/claude/claude-options.ts";
import { toUserMessage } from "../src/clients/vendors/claude/claude-prompt.ts";
import { findClaude, loadClaudeSdk } from "../src/clients/vendors/claude/find-claude.ts";
import { startClaudeBench } from "../src/clients/vendors/claude/fixtures/claude-bench.ts";
import { recordOf, stringOf, type UnknownRecord } from "../src/contracts/index.ts";
import { call, say } from "../src/testkit/conformance/client/client-script.ts";
import type { ModelReply, ModelScript } from "../src/testkit/index.ts";

/** A turn to record. */
interface Recording {
  readonly turn: string;
  readonly replies: readonly ModelReply[] | ModelScript;
  readonly prompt?: string;
  readonly outputSchema?: UnknownRecord;
  /** Whether tools are denied. */
  readonly isRefusing?: boolean;
  /** Called for each message. */
  readonly react?: (message: UnknownRecord, connection: ClaudeConnection) => void;
}

const RECORDING_FILE = fileURLToPath(
  new URL("../src/clients/vendors/claude/fixtures/recorded-events.jsonl", import.meta.url),
);

const SCHEMA = { type: "object", properties: { answer: { type: "number" } }, required: ["answer"] };

function usage(inputTokens: number, outputTokens: number, cacheReadTokens = 0) {
  return { usage: { inputTokens, outputTokens, cacheReadTokens } };
}

function planRecordings(workFolder: string): readonly Recording[] {
  const bash = { name: "Bash", input: { command: "echo hello; cat missing", description: "Say hello" } };
  const read = { name: "Read", input: { file_path: `${workFolder}/README.md` } };
  const parallel: ModelReply = { type: "message", text: "Let me look.", toolCalls: [read, bash], ...usage(100, 20, 7) };
  return [
    {
      turn: "thinking",
      replies: [{ type: "message", thinking: "pondering hard now", text: "the answer", ...usage(90, 9) }],
    },
    { turn: "tools", replies: [parallel, { type: "message", text: "Both done.", ...usage(200, 30, 107) }] },
    { turn: "refused", isRefusing: true, replies: [call("Bash", bash.input), say("Understood.")] },
    { turn: "subagent", replies: delegate },
    {
      turn: "aborted",
      replies: [{ type: "message", text: "word ".repeat(60), deltaDelayMs: 30 }],
      react: interruptAtFirst("content_block_delta"),
    },
    { turn: "structured", outputSchema: SCHEMA, replies: [call("StructuredOutput", { answer: 42 })] },
    { turn: "retried", replies: failFirst({ type: "error", status: 529, message: "Overloaded" }) },
    { turn: "failed", replies: [{ type: "error", status: 400, message: "no such field" }] },
    { turn: "compacted", prompt: "/compact", replies: [{ type: "message", text: "A summary.", ...usage(70, 7) }] },
  ];
}

/** The main agent starts one that lists the folder. */
const delegate: ModelScript = (request) => {
  const isSubagent = request.messages.some(({ role, text }) => role === "user" && text.includes("List the folder"));
  const hasResult = request.messages.some(({ role }) => role === "tool");
  if (isSubagent) {
    if (hasResult) return { type: "message", text: "sub done", ...usage(60, 6) };
    return { type: "message", toolCalls: [{ name: "Bash", input: { command: "ls" } }], ...usage(50, 5) };
  }
  if (hasResult) return { type: "message", text: "main done", ...usage(300, 3) };
  const input = { description: "List it", subagent_type: "general-purpose", prompt: "List the folder" };
  return { type: "message", text: "Delegating.", toolCalls: [{ name: "Agent", input }], ...usage(200, 2) };
};

function failFirst(fault: ModelReply): ModelScript {
  const failed = new Set<string>();
  return () => {
    if (failed.has("once")) return say("late but here");
    failed.add("once");
    return fault;
  };
}

function interruptAtFirst(eventType: string): NonNullable<Recording["react"]> {
  const done = new Set<string>();
  return (message, connection) => {
    if (done.has(eventType) || recordOf(message.event).type !== eventType) return;
    done.add(eventType);
    void connection.interrupt();
  };
}

async function record(bench: ClientTestBench, recording: Recording, sessionId: string): Promise<readonly unknown[]> {
  const { replies, prompt = "Go.", outputSchema, react } = recording;
  if (typeof replies === "function") bench.models.setScript(replies);
  else bench.script(...replies);
  const options = bench.optionsFor();
  const messages: unknown[] = [];
  const finished = Promise.withResolvers<void>();
  const connection: ClaudeConnection = openClaudeConnection({
    sdk: await loadClaudeSdk({}),
    queryOptions: {
      ...buildQueryOptions(options, {
        config: {},
        workingDirectory: bench.workFolder,
        executable: await findClaude(options),
        isResumed: recording.turn === "compacted",
        sessionId,
        outputSchema,
      }),
      // Without the question, some commands would run without approval.
      hooks: { PreToolUse: [{ hooks: [askAlways] }] },
      canUseTool: async (_name, input) =>
        recording.isRefusing === true
          ? { behavior: "deny", message: "Not on a Sunday." }
          : { behavior: "allow", updatedInput: input },
    },
    sessionId,
    workingDirectory: bench.workFolder,
    startTimeoutMs: 30_000,
    onMessage: (message) => {
      messages.push(message);
      react?.(recordOf(message), connection);
      if (recordOf(message).type === "result") finished.resolve();
    },
    onCrash: finished.reject,
  });
  try {
    await connection.ready;
    connection.push(toUserMessage(prompt, { id: randomUUID() }));
    await finished.promise;
  } finally {
    await connection.close();
  }
  return messages;
}

const askAlways: HookCallback = async () => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask" },
});

/** Removes what differs between runs, and what no test needs. */
function scrub(messages: readonly unknown[], bench: ClientTestBench): readonly string[] {
  const ids = new Map<string, string>();
  const name = (id: string) =>
    ids.get(id) ?? ids.set(id, `00000000-0000-4000-8000-${numbered(ids.size)}`).get(id) ?? "";
  return messages.map((message) => {
    const fields = recordOf(message);
    const kept = fields.subtype === "init" ? { type: "system", subtype: "init", uuid: fields.uuid } : fields;
    return JSON.stringify(kept, (key, value: unknown) => (VOLATILE_KEYS.test(key) ? neutral(value) : value))
      .replaceAll(bench.workFolder, "/work")
      .replaceAll(bench.homeFolder, "/home/user")
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, name)
      .replaceAll(bench.workFolder.replaceAll("/", "-"), "-work")
      .replaceAll(/\ba[0-9a-f]{16}\b/g, "agent1")
      .replaceAll(/(msg|call)_[0-9a-f]{8}_/g, "$1_scripted_")
      .replaceAll(/"timestamp":"[^"]*"/g, '"timestamp":"2026-01-01T00:00:00.000Z"')
      .replaceAll(/\/tmp\/claude-[^"\s]*/g, "/tmp/claude");
  });
}

const VOLATILE_KEYS = /(?:_ms|end_time|run_id|partial_json)$/;

function neutral(value: unknown): unknown {
  return typeof value === "number" ? 0 : "";
}

function numbered(count: number): string {
  return String(count + 1).padStart(12, "0");
}

const bench = await startClaudeBench(stringOf(process.env.PATH));
const lines: string[] = [];
const sessionIds = new Map<string, string>();
try {
  await bench.client.start();
  for (const recording of planRecordings(bench.workFolder)) {
    const isContinued = recording.turn === "compacted";
    const sessionId = (isContinued ? sessionIds.get("tools") : undefined) ?? randomUUID();
    sessionIds.set(recording.turn, sessionId);
    const messages = scrub(await record(bench, recording, sessionId), bench);
    for (const message of messages) lines.push(`{"turn":${JSON.stringify(recording.turn)},"message":${message}}`);
  }
} finally {
  await bench.stop();
}
await writeFile(RECORDING_FILE, `${lines.join("\n")}\n`);
process.stdout.write(`${lines.length} messages are in ${RECORDING_FILE}.\n`);
