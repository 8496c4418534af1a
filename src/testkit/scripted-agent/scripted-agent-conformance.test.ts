import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { evaluatePermission, isOrdinaryReading } from "../../clients/index.ts";
import { runTool } from "../../clients/tools/run-tool.ts";
import type { PermissionEffect, PermissionPolicy, PermissionRequest } from "../../contracts/index.ts";
import type { BenchCalls, ClientBench } from "../conformance/client-bench.ts";
import { describeClientConformance } from "../conformance/client-conformance.ts";
import { createScriptedAgent, type ScriptedAgent } from "./create-scripted-agent.ts";
import { ModelAgent } from "./fixtures/model-agent.ts";

const CALLS: BenchCalls = {
  write: (path, content) => ({ name: "edit_file", input: { path, content } }),
  read: (path) => ({ name: "read_file", input: { path } }),
  bash: (command) => ({ name: "run_command", input: { command } }),
  customTool: (name, input) => ({ name, input }),
  mcpTool: () => undefined,
  askQuestion: (question, options) => ({ name: "ask_question", input: { question, options } }),
  subagent: (prompt) => ({ name: "run_subagent", input: { prompt } }),
  structuredOutput: () => undefined,
};

async function openBench(): Promise<ClientBench> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "atomic-scripted-")));
  const workFolder = join(folder, "work");
  await mkdir(workFolder);
  await writeFile(join(workFolder, "README.md"), "A project.\n");
  const agent = new ModelAgent(() => []);
  const evaluate = (policy: PermissionPolicy, request: PermissionRequest): PermissionEffect => {
    const { effect, rule } = evaluatePermission(policy, request, { workingDirectory: workFolder });
    return rule === undefined && isOrdinaryReading(request, { workingDirectory: workFolder }) ? "allow" : effect;
  };
  const createClient = (): ScriptedAgent =>
    createScriptedAgent({
      workingDirectory: workFolder,
      script: agent.script,
      evaluatePermission: evaluate,
      callTool: runTool,
    });
  const client = createClient();
  return {
    client,
    createClient,
    models: {
      get requests() {
        return agent.log.entries;
      },
      setScript: (script) => agent.setModel(script),
      waitForRequest: (predicate, options) => agent.log.waitFor(predicate, options?.signal),
    },
    workFolder,
    bunPath: process.execPath,
    calls: CALLS,
    async stop() {
      await client.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

await describeClientConformance("The scripted agent", openBench);
