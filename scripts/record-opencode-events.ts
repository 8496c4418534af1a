/**
 * Records what the real OpenCode sends in scripted turns, for the tests of the translator:
 *
 *     bun scripts/record-opencode-events.ts
 *
 * Run it after an update of OpenCode, and look at what has changed in the recording.
 */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { ClientTestBench } from "../src/clients/fixtures/client-test-bench.ts";
import { startOpenCodeBench } from "../src/clients/vendors/opencode/fixtures/opencode-bench.ts";
import type { OpenCodeSession } from "../src/clients/vendors/opencode/opencode-session.ts";
import type { OpenCodeEvent } from "../src/clients/vendors/opencode/server/opencode-wire.ts";
import type { JsonSchema } from "../src/contracts/index.ts";
import { call, say } from "../src/testkit/conformance/client/client-script.ts";
import { type ModelReply, type ModelScript, scriptConversation } from "../src/testkit/index.ts";

/** A turn to record. */
interface Recording {
  readonly turn: string;
  readonly script: ModelScript;
  readonly outputSchema?: JsonSchema;
  /** The turn is aborted at the first such event. */
  readonly abortAt?: string;
}

const RECORDING_FILE = fileURLToPath(
  new URL("../src/clients/vendors/opencode/fixtures/recorded-events.jsonl", import.meta.url),
);

const SCHEMA = { type: "object", properties: { answer: { type: "number" } }, required: ["answer"] };

function planRecordings(workFolder: string): readonly Recording[] {
  const file = path.join(workFolder, "b.txt");
  const usage = { inputTokens: 8_054, outputTokens: 18 };
  const replies = (...all: readonly ModelReply[]): ModelScript => scriptConversation(all);
  return [
    {
      turn: "thinking",
      script: replies({ type: "message", thinking: "pondering hard now", text: "the answer", usage }),
    },
    {
      turn: "tools",
      script: replies(
        call("write", { filePath: file, content: "hello b" }),
        call("bash", { command: "cat b.txt", description: "Show it" }),
        call("read", { filePath: file }),
        say("Done."),
      ),
    },
    { turn: "subagent", script: delegate },
    { turn: "refused", script: replies({ type: "error", status: 400, message: "no such field" }) },
    {
      turn: "aborted",
      script: replies({ type: "message", text: "word ".repeat(60), deltaDelayMs: 30 }),
      abortAt: "message.part.delta",
    },
    {
      turn: "structured",
      script: replies({
        type: "message",
        toolCalls: [{ name: "StructuredOutput", input: { answer: 42 } }],
        usage: { inputTokens: 8_259, outputTokens: 19 },
      }),
      outputSchema: SCHEMA,
    },
  ];
}

/** The main agent starts one that runs a command. */
const delegate: ModelScript = ({ messages }) => {
  const isSubagent = messages.some(({ text }) => text.includes("Look around."));
  if (messages.at(-1)?.role === "tool") return say(isSubagent ? "sub done" : "main done");
  return isSubagent
    ? call("bash", { command: "true", description: "Look" })
    : call("task", { description: "sub job", subagent_type: "general", prompt: "Look around." });
};

async function record(bench: ClientTestBench, recording: Recording): Promise<readonly OpenCodeEvent[]> {
  const { script, outputSchema, abortAt } = recording;
  bench.models.setScript(script);
  const session = await bench.client.createSession({ permissions: { rules: [], otherwise: "allow" } });
  const receiver = session as OpenCodeSession; // what `createOpenCodeClient` makes
  const receive = receiver.receive.bind(receiver);
  const events: OpenCodeEvent[] = [];
  receiver.receive = (event) => {
    if (event.type === abortAt && events.every(({ type }) => type !== abortAt)) void session.abort();
    events.push(event);
    receive(event);
  };
  await session.send("Begin.", outputSchema === undefined ? {} : { outputSchema }).catch(() => {
    // The recording contains the end of the turn.
  });
  await session.destroy();
  return events;
}

/** Replaces identifiers, times and folders by constants. */
function scrub(lines: readonly string[], bench: ClientTestBench): readonly string[] {
  const numbers = new Map<string, number>();
  const shorten = (id: string, kind: string): string => {
    const count = [...numbers.keys()].filter((known) => known.startsWith(`${kind}_`)).length;
    numbers.set(id, numbers.get(id) ?? count + 1);
    return `${kind}_${numbers.get(id)}`;
  };
  return lines.map((line) =>
    line
      .replaceAll(bench.workFolder, "/work/app")
      .replaceAll(path.dirname(bench.workFolder).slice(1), "work")
      .replaceAll(/"slug":"[^"]*"/g, '"slug":"brave-cabin"')
      .replaceAll(/\b(ses|msg|prt|per|que|evt|call)_\w{6,}/g, (id: string, kind: string) => shorten(id, kind))
      .replaceAll(/\b1[0-9]{12}\b/g, "1700000000000"),
  );
}

const bench = await startOpenCodeBench(process.env.PATH ?? "");
try {
  const lines: string[] = [];
  for (const recording of planRecordings(bench.workFolder)) {
    for (const { type, properties } of await record(bench, recording)) {
      lines.push(JSON.stringify({ turn: recording.turn, directory: bench.workFolder, payload: { type, properties } }));
    }
  }
  await writeFile(RECORDING_FILE, `${scrub(lines, bench).join("\n")}\n`);
} finally {
  await bench.stop();
}
