import path from "node:path";
import type { CodingAgentClient } from "../../contracts/index.ts";
import type { BenchCalls, ClientBench } from "../../testkit/conformance/client-bench.ts";
import { describeClientConformance } from "../../testkit/conformance/client-conformance.ts";
import type { ModelReply, ModelRequest } from "../../testkit/index.ts";
import { processesWith, startOpenCodeTestBench } from "./fixtures/opencode-test-bench.ts";
import type { ResumeRequest } from "./fixtures/resume-in-process.ts";
import { createOpenCodeClient } from "./opencode-client.ts";

const RESUME_PROGRAM = path.join(import.meta.dir, "fixtures", "resume-in-process.ts");

/** Stands for what the names of a session's own MCP servers begin with, which the model finds among its tools. */
const SESSION_PREFIX = "atomic-session";

const CALLS: BenchCalls = {
  write: (filePath, content) => ({ name: "write", input: { filePath, content } }),
  read: (filePath) => ({ name: "read", input: { filePath } }),
  bash: (command) => ({ name: "bash", input: { command, description: "Run it" } }),
  customTool: (name, input) => ({ name: `${SESSION_PREFIX}_${name}`, input }),
  mcpTool: (server, tool, input) => ({ name: `${SESSION_PREFIX}-${server}_${tool}`, input }),
  askQuestion: (question, options) => ({
    name: "question",
    input: {
      questions: [{ question, header: "Question", options: options.map((label) => ({ label, description: label })) }],
    },
  }),
  subagent: (prompt) => ({ name: "task", input: { description: "look", subagent_type: "general", prompt } }),
  structuredOutput: (value) => ({ name: "StructuredOutput", input: value }),
};

/** Calls the tools of the session's own servers by the names that are on offer. */
function withOfferedNames(reply: ModelReply, { toolNames }: ModelRequest): ModelReply {
  const [prefix = SESSION_PREFIX] = toolNames.flatMap((name) => /^atomic-[0-9a-f]{8}/.exec(name) ?? []);
  if (reply.type !== "message" || reply.toolCalls === undefined) return reply;
  return {
    ...reply,
    toolCalls: reply.toolCalls.map(({ name, input }) => ({ name: name.replace(SESSION_PREFIX, prefix), input })),
  };
}

async function openBench(): Promise<ClientBench> {
  const opened = await startOpenCodeTestBench(process.env.PATH ?? "");
  const clients: CodingAgentClient[] = [];
  return {
    client: opened.client,
    models: {
      requests: opened.models.requests,
      waitForRequest: (...found) => opened.models.waitForRequest(...found),
      setScript: (script) =>
        opened.models.setScript(async (request) => withOfferedNames(await script(request), request)),
    },
    workFolder: opened.workFolder,
    bunPath: process.execPath,
    calls: CALLS,
    traits: {
      // The server repeats what a provider refuses, and offers no setting against it.
      retriesByItself: true,
    },
    createClient() {
      const client = createOpenCodeClient(opened.optionsFor());
      clients.push(client);
      return client;
    },
    async resumeInNewProcess(sessionId, prompt) {
      const request: ResumeRequest = { options: opened.optionsFor(), sessionId, prompt };
      const child = Bun.spawn([process.execPath, RESUME_PROGRAM, JSON.stringify(request)], {
        stdout: "pipe",
        env: {},
      });
      return await new Response(child.stdout).text();
    },
    agentPids: () =>
      processesWith(`HOME=${opened.homeFolder}`).flatMap(({ pid, commandLine }) =>
        commandLine[1] === "serve" ? [pid] : [],
      ),
    async stop() {
      await Promise.all(clients.map((client) => client.stop()));
      await opened.stop();
    },
  };
}

await describeClientConformance("OpenCode", openBench);
