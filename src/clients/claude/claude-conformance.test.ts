import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { CodingAgentClient } from "../../contracts/index.ts";
import type { BenchCalls, ClientBench } from "../../testkit/conformance/client-bench.ts";
import { describeClientConformance } from "../../testkit/conformance/client-conformance.ts";
import { createClaudeClient } from "./claude-client.ts";
import { claudePidsWith, startClaudeTestBench } from "./fixtures/claude-test-bench.ts";
import type { ResumeRequest } from "./fixtures/resume-and-answer.ts";

const CALLS: BenchCalls = {
  write: (file, content) => ({ name: "Write", input: { file_path: file, content } }),
  read: (file) => ({ name: "Read", input: { file_path: file } }),
  bash: (command) => ({ name: "Bash", input: { command, description: "Run it" } }),
  customTool: (name, input) => ({ name: `mcp__atomic-tools__${name}`, input }),
  mcpTool: (server, tool, input) => ({ name: `mcp__${server}__${tool}`, input }),
  askQuestion: (question, options) => ({
    name: "AskUserQuestion",
    input: {
      questions: [
        {
          question,
          header: "Question",
          multiSelect: false,
          options: options.map((label) => ({ label, description: `Take ${label}.` })),
        },
      ],
    },
  }),
  subagent: (prompt) => ({
    name: "Agent",
    input: { description: "Look around", subagent_type: "general-purpose", prompt },
  }),
  structuredOutput: (value) => ({ name: "StructuredOutput", input: value }),
};

await describeClientConformance("Claude Code", openClaudeBench);

async function openClaudeBench(): Promise<ClientBench> {
  const bench = await startClaudeTestBench(process.env.PATH ?? "");
  const { client, models, workFolder, homeFolder, optionsFor } = bench;
  const others: CodingAgentClient[] = [];
  return {
    client,
    models,
    workFolder,
    bunPath: process.execPath,
    calls: CALLS,
    // Claude Code repeats what fails for a reason that may pass, and tells so.
    traits: { retriesByItself: true },
    createClient: () => {
      const other = createClaudeClient(optionsFor());
      others.push(other);
      return other;
    },
    resumeInNewProcess: async (sessionId, prompt) => {
      const request: ResumeRequest = { options: optionsFor(), sessionId, prompt };
      const program = fileURLToPath(new URL("./fixtures/resume-and-answer.ts", import.meta.url));
      const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify(request)]);
      return stdout;
    },
    agentPids: () => claudePidsWith(homeFolder),
    stop: async () => {
      for (const other of others) await other.stop();
      await bench.stop();
    },
  };
}
