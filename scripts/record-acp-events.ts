import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { ClientTestBench } from "../src/clients/fixtures/client-test-bench.ts";
import { type AcpConnection, openAcpConnection } from "../src/clients/vendors/acp/acp-connection.ts";
import { toOutcome } from "../src/clients/vendors/acp/acp-permissions.ts";
import { isInstalled, type RealAgent, startAcpBench } from "../src/clients/vendors/acp/fixtures/acp-bench.ts";
import { buildPresetSettings } from "../src/clients/vendors/acp/program/acp-preset-settings.ts";
import { CLAUDE_TOOLS } from "../src/clients/vendors/claude-settings/claude-tool-table.ts";
import { recordOf, stringOf } from "../src/contracts/index.ts";
import { call, say } from "../src/testkit/conformance/client/client-script.ts";
import type { ModelReply } from "../src/testkit/index.ts";

/** Records what the installed agents send in real turns, for the tests of the translator. */
const OUTPUT = path.join(import.meta.dir, "../src/clients/vendors/acp/fixtures/recorded-events.jsonl");

/** How a scripted model calls the agents' tools. */
const TOOLS = {
  opencode: {
    write: (file: string) => call("write", { filePath: file, content: "hi\n" }),
    bash: (command: string) => call("bash", { command, description: "Run it" }),
  },
  claude: {
    write: (file: string) => call("Write", { file_path: file, content: "hi\n" }),
    bash: (command: string) => call("Bash", { command, description: "Run it" }),
  },
} as const;

function turnsOf(agent: RealAgent, folder: string): Readonly<Record<string, readonly ModelReply[]>> {
  const tools = TOOLS[agent];
  return {
    text: [{ type: "message", thinking: "hm, well", text: "one two three" }],
    tools: [
      { ...tools.write(path.join(folder, "a.txt")), type: "message", text: "I write." },
      tools.bash("echo out; exit 3"),
      say("Done."),
    ],
    denied: [tools.write(path.join(folder, "denied.txt")), say("Then not.")],
  };
}

/** Makes Claude Code ask about each call over ACP only; the model server accepts any key. */
const ASKING_CLAUDE = {
  claudeCode: {
    options: {
      title: "Recorded",
      promptSuggestions: false,
      settings: { permissions: { ask: [...CLAUDE_TOOLS.keys(), "mcp__*"] }, apiKeyHelper: "echo none" },
    },
  },
};

interface RecordedUpdate {
  readonly agent: RealAgent;
  readonly turn: string;
  readonly update: unknown;
}

async function recordAgent(agent: RealAgent): Promise<readonly RecordedUpdate[]> {
  const bench = await startAcpBench(agent, { searchPath: process.env.PATH ?? "" });
  const options = bench.optionsFor();
  const settings = buildPresetSettings(agent, options);
  const connection = await openAcpConnection(options, { settings });
  try {
    const answer = await connection.request("session/new", {
      cwd: bench.workFolder,
      mcpServers: [],
      _meta: agent === "claude" ? ASKING_CLAUDE : {},
    });
    return await recordTurns(agent, { bench, connection, sessionId: stringOf(answer.sessionId) });
  } finally {
    await connection.stop();
    await bench.stop();
  }
}

async function recordTurns(
  agent: RealAgent,
  { bench, connection, sessionId }: { bench: ClientTestBench; connection: AcpConnection; sessionId: string },
): Promise<readonly RecordedUpdate[]> {
  const recorded: RecordedUpdate[] = [];
  for (const [turn, replies] of Object.entries(turnsOf(agent, bench.workFolder))) {
    connection.register(sessionId, {
      onUpdate: (update) => {
        if (recordOf(update).sessionUpdate !== "available_commands_update") recorded.push({ agent, turn, update });
      },
      onRequest: async ({ method, params }) =>
        method === "session/request_permission" ? { outcome: toOutcome(params, { isAllowed: turn !== "denied" }) } : {},
      decideCall: async () => (turn === "denied" ? { type: "block", reason: "Denied." } : { type: "continue" }),
      onEnd: () => {}, // the prompt in progress rejects
    });
    bench.script(...replies);
    await connection.request("session/prompt", { sessionId, prompt: [{ type: "text", text: `Do ${turn}.` }] });
  }
  const scrubbed = scrub(JSON.stringify(recorded), { folder: path.dirname(bench.workFolder), sessionId });
  return JSON.parse(scrubbed);
}

/** Removes what differs between recordings. */
function scrub(text: string, { folder, sessionId }: { readonly folder: string; readonly sessionId: string }): string {
  return text
    .replaceAll(folder, "/home/me")
    .replaceAll(folder.slice(1), "home/me")
    .replaceAll(sessionId, "session-1")
    .replaceAll(/\bcall_[0-9a-f]{8}_/g, "call_")
    .replaceAll(/\b(msg|prt)_[0-9A-Za-z]{8,}(_\d+)?/g, "$1_1")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "2026-01-01T00:00:00Z");
}

const AGENTS = ["opencode", "claude"] as const;
const missing = AGENTS.filter((agent) => !isInstalled(agent));
if (missing.length > 0) {
  throw new Error(
    `${missing.join(" and ")} cannot be recorded, not being installed; run "npm ci". Nothing was written.`,
  );
}
const lines: string[] = [];
for (const agent of AGENTS) {
  for (const update of await recordAgent(agent)) lines.push(JSON.stringify(update));
}
await writeFile(OUTPUT, `${lines.join("\n")}\n`);
process.stdout.write(`${lines.length} updates of ${AGENTS.join(", ")}\n`);
