import path from "node:path";
import type { BenchCalls, ClientBench } from "../../testkit/conformance/client-bench.ts";
import { describeClientConformance } from "../../testkit/conformance/client-conformance.ts";
import { startCopilotTestBench } from "./fixtures/copilot-test-bench.ts";
import { runtimePidsOf } from "./fixtures/processes.ts";
import type { ResumeRequest } from "./fixtures/resume-in-process.ts";

const RESUME_PROGRAM = path.join(import.meta.dir, "fixtures", "resume-in-process.ts");

const CALLS: BenchCalls = {
  write: (file, content) => ({ name: "create", input: { path: file, file_text: content } }),
  read: (file) => ({ name: "view", input: { path: file } }),
  bash: (command) => ({ name: "bash", input: { command, description: "Run it" } }),
  customTool: (name, input) => ({ name, input }),
  mcpTool: (server, tool, input) => ({ name: `${server}-${tool}`, input }),
  askQuestion: (question, options) => ({ name: "ask_user", input: { question, choices: options } }),
  subagent: (prompt) => ({
    name: "task",
    input: { description: "look", agent_type: "general-purpose", name: "looker", mode: "sync", prompt },
  }),
  structuredOutput: () => undefined,
};

async function openBench(): Promise<ClientBench> {
  const opened = await startCopilotTestBench(process.env.PATH ?? "");
  return {
    client: opened.client,
    createClient: () => opened.createClient(),
    models: opened.models,
    workFolder: opened.workFolder,
    bunPath: process.execPath,
    calls: CALLS,
    traits: {
      // The runtime repeats what a provider refuses five times, and offers no setting against it.
      retriesByItself: true,
    },
    async resumeInNewProcess(sessionId, prompt) {
      const request: ResumeRequest = { options: opened.optionsFor(), sessionId, prompt };
      const child = Bun.spawn([process.execPath, RESUME_PROGRAM, JSON.stringify(request)], {
        stdout: "pipe",
        env: {},
      });
      return await new Response(child.stdout).text();
    },
    agentPids: () => runtimePidsOf(opened.homeFolder),
    stop: () => opened.stop(),
  };
}

await describeClientConformance("Copilot", openBench);
