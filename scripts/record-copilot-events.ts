/**
 * Records what Copilot's runtime sends for a few turns with a scripted model, for the tests of the translator:
 *
 *     bun scripts/record-copilot-events.ts
 */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { CopilotSession as SdkSession } from "@github/copilot-sdk";
import { startCopilotBench } from "../src/clients/vendors/copilot/fixtures/copilot-bench.ts";
import {
  type CopilotConnection,
  openCopilotConnection,
} from "../src/clients/vendors/copilot/runtime/copilot-connection.ts";
import { buildSessionConfig, type CopilotOptions } from "../src/clients/vendors/copilot/runtime/copilot-options.ts";
import type { ModelReply, ModelServer, ModelUsage } from "../src/testkit/index.ts";

const TARGET = path.join(import.meta.dir, "../src/clients/vendors/copilot/fixtures/recorded-events.jsonl");

/** Facts of the moment and of the machine, which no test may depend on. */
const CHANGING_KEYS =
  /(?:^timestamp|^duration|Ms|Time|LatencyMs|Tokens?Limit|^id|^parentId|^diff|detailedContent|toolTelemetry|modelInfo|requestFingerprint|transformedContent|currentTokens|(?:system|conversation|toolDefinitions|toolToken)\w*)$/;

/** Events that repeat others, in pieces whose length depends on the machine. */
const LEFT_OUT =
  /^model\.(?!call_failure)|^system\.message$|^session\.(?:background_tasks_changed|usage_info)$|_delta$(?<!assistant\.(?:message|reasoning)_delta)/;

interface Recording {
  readonly turn: string;
  readonly replies: readonly ModelReply[];
  /** The turn is aborted at the first such event. */
  readonly abortAt?: string;
}

const USAGE: ModelUsage = { inputTokens: 1000, outputTokens: 20, cacheReadTokens: 5 };

function recordings(workFolder: string): readonly Recording[] {
  const say = (text: string): ModelReply => ({ type: "message", text, usage: USAGE });
  const call = (...toolCalls: readonly { name: string; input: unknown }[]): ModelReply => ({
    type: "message",
    toolCalls,
    usage: USAGE,
  });
  const bash = (command: string): { name: string; input: unknown } => ({
    name: "bash",
    input: { command, description: "Run it" },
  });
  const task = {
    description: "look around",
    agent_type: "general-purpose",
    name: "looker",
    mode: "sync",
    prompt: "Look.",
  };
  const failure: ModelReply = { type: "error", status: 503, message: "busy", headers: { "retry-after": "0" } };
  const refusal: ModelReply = { type: "error", status: 400, message: "no such model" };
  return [
    {
      turn: "thinking",
      replies: [{ type: "message", thinking: "pondering hard now", text: "the answer", usage: USAGE }],
    },
    {
      turn: "tools",
      replies: [
        call({ name: "create", input: { path: `${workFolder}/a.txt`, file_text: "a" } }, bash("echo denied")),
        say("Done."),
      ],
    },
    {
      turn: "subagent",
      replies: [call({ name: "task", input: task }), call(bash("echo sub")), say("Seen."), say("Done.")],
    },
    { turn: "retry", replies: [failure, say("At last.")] },
    { turn: "error", replies: [refusal] },
    {
      turn: "abort",
      replies: [{ type: "message", text: "word ".repeat(100), deltaDelayMs: 30 }],
      abortAt: "assistant.message_delta",
    },
  ];
}

/** Sends one message in a new session, and returns the events until the session is idle. */
async function record(
  { turn, replies, abortAt }: Recording,
  parts: { readonly connection: CopilotConnection; readonly models: ModelServer; readonly options: CopilotOptions },
): Promise<readonly string[]> {
  const { connection, models, options } = parts;
  const { workingDirectory } = options;
  let replyCount = 0;
  models.setScript(() => replies[replyCount++] ?? { type: "message", text: "Unexpected." });
  const lines: string[] = [];
  const idle = Promise.withResolvers<void>();
  let isIdle = false;
  const session: SdkSession = await connection.call((sdk) =>
    sdk.createSession({
      ...buildSessionConfig({ options, config: {}, workingDirectory }),
      onPermissionRequest: (request) =>
        JSON.stringify(request).includes("denied") ? { kind: "reject", feedback: "no" } : { kind: "approve-once" },
      onEvent: ({ type, data, ...rest }) => {
        if (isIdle || LEFT_OUT.test(type)) return;
        const { agentId } = rest;
        lines.push(
          JSON.stringify({ turn, event: scrub({ type, data, ...(agentId === undefined ? {} : { agentId }) }) }),
        );
        isIdle = type === "session.idle";
        if (isIdle) idle.resolve();
      },
    }),
  );
  const unsubscribe = session.on(({ type }) => {
    if (type !== abortAt) return;
    unsubscribe();
    void session.abort();
  });
  await session.send("Go.");
  await idle.promise;
  await session.disconnect();
  return lines;
}

function scrub(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(scrub);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !CHANGING_KEYS.test(key));
  return Object.fromEntries(kept.map(([key, item]) => [key, scrub(item)]));
}

/** Replaces every identifier by a short name that is the same in each recording. */
function nameIdentifiers(text: string, folder: string): string {
  const names = new Map<string, string>();
  const nameOf = (id: string): string => {
    const name = names.get(id) ?? `id-${names.size + 1}`;
    names.set(id, name);
    return name;
  };
  return text
    .replaceAll(folder, "")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, nameOf)
    .replaceAll(/(?:call|chatcmpl)_[0-9a-f]+_\d+(?:_\d+)?/g, nameOf)
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:1");
}

const bench = await startCopilotBench(process.env.PATH ?? "");
const { models, workFolder } = bench;
const options = bench.optionsFor({
  endpoint: { protocol: "openai-chat", baseUrl: `${models.url}/v1`, models: [{ id: "scripted" }] },
});
const lines: string[] = [];
try {
  const connection = await openCopilotConnection(options);
  try {
    for (const recording of recordings(workFolder))
      lines.push(...(await record(recording, { connection, models, options })));
  } finally {
    await connection.stop();
  }
} finally {
  await bench.stop();
}
await writeFile(TARGET, `${nameIdentifiers(lines.join("\n"), path.dirname(workFolder))}\n`);
console.log(`${lines.length} events in ${TARGET}`);
