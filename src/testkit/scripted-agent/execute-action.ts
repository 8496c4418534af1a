import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { type AgentTurn, askQuestion } from "../../clients/agent-kit.ts";
import {
  type AgentEventBody,
  type AgentQuestion,
  AtomicError,
  messageOf,
  raceAbort,
  type SessionConfig,
  type ToolContext,
  type ToolDefinition,
} from "../../contracts/index.ts";
import { runCommand } from "../../graph/index.ts";
import { type ToolAction, titleOfSubagent } from "./describe-action.ts";
import type { ScriptedAction, ScriptedAgentOptions } from "./scripted-turn.ts";

/** What executing an action needs from its turn. */
export interface ExecutionContext {
  readonly sessionId: string;
  readonly messageId: string;
  /** Unique within the session. */
  readonly toolId: string;
  readonly workingDirectory: string;
  readonly config: Pick<SessionConfig, "onQuestion">;
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  readonly callTool?: ScriptedAgentOptions["callTool"] | undefined;
  /** Lets a sub-agent answer a prompt, and returns its answer. */
  readonly runSubagent: (prompt: string, subagentId: string) => Promise<string>;
  readonly turn: AgentTurn;
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEventBody) => void;
}

/** The result of an allowed action. */
export interface ActionOutcome {
  readonly isError: boolean;
  readonly output: string;
}

/** Executes an action. Rejects with its error, or with the signal's reason when the turn is aborted. */
export async function executeAction(action: ToolAction, context: ExecutionContext): Promise<ActionOutcome> {
  const { workingDirectory, signal } = context;
  switch (action.type) {
    case "edit-file": {
      const path = placeOf(action.path, workingDirectory);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, action.content, { signal });
      return { isError: false, output: `Wrote ${Buffer.byteLength(action.content)} bytes to ${action.path}.` };
    }
    case "read-file":
      return {
        isError: false,
        output: await readFile(placeOf(action.path, workingDirectory), { encoding: "utf8", signal }),
      };
    case "run-command": {
      const { exitCode, stdout, stderr } = await runCommand(action.command, { workingDirectory, signal });
      const output = stdout + stderr;
      return { isError: exitCode !== 0, output: exitCode === 0 ? output : `${output}[exit code ${exitCode}]` };
    }
    case "call-tool":
      return callTool(action, context);
    case "ask-question":
      return askPerson(action, context);
    case "run-subagent":
      return runSubagent(action, context);
  }
}

/** A path of a scripted action leads out of the folder in which the agent works. */
export class ScriptedPathError extends AtomicError {
  readonly isRetryable = false;

  constructor(readonly path: string) {
    super(
      "SCRIPTED_PATH",
      `The action of a scripted agent has the path "${path}", which leads out of its working directory. Name a file in it, or the whole path of one elsewhere.`,
    );
  }
}

/** A whole path may lead anywhere: its author means that place. @throws ScriptedPathError */
function placeOf(path: string, workingDirectory: string): string {
  const place = resolve(workingDirectory, path);
  const [first] = relative(workingDirectory, place).split(sep);
  if (!isAbsolute(path) && first === "..") throw new ScriptedPathError(path);
  return place;
}

async function callTool(
  { name, input }: Extract<ScriptedAction, { type: "call-tool" }>,
  context: ExecutionContext,
): Promise<ActionOutcome> {
  const { tools, sessionId, messageId, workingDirectory, signal, callTool: call = callHandler } = context;
  const tool = tools.get(name);
  if (tool === undefined) {
    throw new Error(`No tool named "${name}". Known tools: ${[...tools.keys()].join(", ") || "none"}.`);
  }
  const toolContext: ToolContext = {
    sessionID: sessionId,
    messageID: messageId,
    agent: "scripted",
    directory: workingDirectory,
    abort: signal,
  };
  const { isError, text } = await raceAbort(call(tool, input, toolContext), signal);
  return { isError, output: text };
}

async function callHandler(
  tool: ToolDefinition,
  input: unknown,
  context: ToolContext,
): Promise<{ readonly isError: boolean; readonly text: string }> {
  const result = await tool.handler(input, context);
  return { isError: false, text: typeof result === "string" ? result : (JSON.stringify(result) ?? "") };
}

async function askPerson(
  { question, options = [], isMultiple = false }: Extract<ScriptedAction, { type: "ask-question" }>,
  context: ExecutionContext,
): Promise<ActionOutcome> {
  const { sessionId, toolId, turn, config } = context;
  const asked: AgentQuestion = {
    id: `question-${toolId}`,
    sessionId,
    question,
    options: options.map((label) => ({ label })),
    isMultiple,
  };
  const answer = await askQuestion(asked, { turn, handler: config.onQuestion });
  if (answer.type === "decline") return { isError: true, output: answer.reason };
  return { isError: false, output: answer.values.join(", ") };
}

async function runSubagent(
  action: Extract<ScriptedAction, { type: "run-subagent" }>,
  { sessionId, toolId, signal, emit, runSubagent: run }: ExecutionContext,
): Promise<ActionOutcome> {
  const subagentId = `subagent-${toolId}`;
  emit({ type: "subagent-start", sessionId, subagentId, title: titleOfSubagent(action), task: action.prompt });
  const outcome = await run(action.prompt, subagentId).then(
    (output) => ({ isError: false, output }),
    (error: unknown) => ({ isError: true, output: messageOf(error) }),
  );
  emit({ type: "subagent-end", sessionId, subagentId, isError: outcome.isError, result: outcome.output });
  signal.throwIfAborted();
  return outcome;
}
