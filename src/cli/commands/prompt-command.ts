import { access, constants, readFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import {
  type AgentPrompt,
  type CodingAgentClient,
  type JsonSchema,
  messageOf,
  type PermissionPolicy,
  type PromptPart,
  raceAbort,
  type Session,
  type SessionConfig,
} from "../../contracts/index.ts";
import { reasonOf } from "../../discovery/index.ts";
import { describeTooLong, safeLine } from "../../view/index.ts";
import { loadForConversation, permissionsForConversation } from "../agents/load-for-conversation.ts";
import { openAgents } from "../agents/open-agents.ts";
import { createSessionConfig } from "../agents/session-settings.ts";
import { modelFor } from "../config/config.ts";
import { type ConversationFlags, conversationSettingsOf } from "../config/conversation-flags.ts";
import { readPipedInput } from "../config/read-piped-input.ts";
import { readText } from "../config/read-text.ts";
import { resolveSandboxSetting } from "../config/resolve-sandbox-setting.ts";
import { UsageError } from "../config/usage-error.ts";
import type { ExpandPlace } from "../entities/expand-entity.ts";
import type { CliEnvironment } from "../environment.ts";
import { ExitCode } from "../exit-code.ts";
import { type InterruptionTexts, listenForInterruption } from "../interruption.ts";
import { formatJson } from "../output/format-json.ts";
import {
  createJsonPromptOutput,
  createTextPromptOutput,
  type PromptOutput,
  withoutSecrets,
} from "../output/prompt-output.ts";
import { colorsFor } from "../output/terminal.ts";
import { createStatusLine, NO_STATUS_LINE, type StatusLine } from "../progress/status-line.ts";
import { openTelemetry } from "../telemetry/open-telemetry.ts";
import { ProjectTrust } from "../trust/project-trust.ts";
import { Workspace } from "../workspace.ts";

/** Options of `atomic -p`. */
export interface PromptFlags extends ConversationFlags {
  /** The message; piped input is appended. `-` reads the message itself from standard input. */
  readonly prompt: string;
  /** A file with the JSON Schema of the answer. */
  readonly schema?: string;
  readonly file?: readonly string[];
  readonly image?: readonly string[];
}

/** Longer than the ids of all vendors. */
const MAX_ENDING_COLUMNS = 400;

const IMAGE_TYPES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};

/** A definition that a message is sent with. */
export interface PromptRole {
  /** The only tools that may be called. @default all */
  readonly tools?: readonly string[];
  /** The session settings of the definition. */
  settingsFor(agent: string): SessionConfig;
  /** Creates the message from the typed text. */
  write(text: string, place: ExpandPlace & { readonly signal: AbortSignal }): Promise<string>;
}

/** `atomic -p PROMPT`: sends an agent one message and prints its answer, without a workflow. */
export async function promptCommand(
  environment: CliEnvironment,
  flags: PromptFlags,
  role?: PromptRole,
): Promise<ExitCode> {
  const workspace = new Workspace(environment);
  const { projectDirectory, workingDirectory, atomicHome } = workspace;
  const isJson = flags.json ?? false;
  const trust = new ProjectTrust({ environment, workspace, projectDirectory, workingDirectory, isJson });
  const { config, agent } = await loadForConversation(workspace, trust, flags);
  const model = flags.model ?? modelFor(config, agent);
  const own = {
    ...role?.settingsFor(agent),
    ...conversationSettingsOf(flags, flags.model ?? (role === undefined ? model : undefined)),
  };
  const prompt = await readPrompt(environment, flags, role !== undefined);
  const outputSchema = await readSchema(flags.schema, workingDirectory);
  const status = createStatus(environment, flags, [agent, model ?? ""]);
  const onWarn = (line: string): void => tell(environment, flags, line);
  const tellHere = tellBeside(status, environment, flags);
  const telemetry = await openTelemetry({ environment, mayAsk: false, tell: isJson ? () => undefined : tellHere });
  const agents = openAgents({ environment, workspace, trust, flags, config, agent, tell: tellHere, telemetry });
  const permissions = permissionsForConversation({ place: workspace, config, flags, tell: onWarn });
  // Questions need a session and its output.
  const screen: PromptScreen = {};
  const { signal, interrupt, stopListening } = listenForInterruption(
    environment,
    interruptionTexts(environment, flags, { screen, status }),
  );
  const settings: SessionConfig = {
    ...(model === undefined ? {} : { model }),
    ...createSessionConfig({
      environment,
      atomicHome,
      projectDirectory,
      permissions: limitTools(permissions, role?.tools),
      isJson,
      reporter: { pause: () => (screen.output ?? status).pause() },
      onCancel: interrupt,
    }),
    ...own,
  };
  const isSandboxed = resolveSandboxSetting({ config, flags, environment }) !== undefined;
  const { onPermissionAsk } = settings;
  const place = { workingDirectory, projectDirectory, permissions, onPermissionAsk, isSandboxed, onWarn };
  try {
    // Before an agent starts.
    const message = role === undefined ? prompt : await roleMessage(role, prompt, { ...place, signal });
    status.show("starting");
    const client = await agents.provider(agent);
    // Opening takes no signal. A session that opens after an abort ends with the client.
    const session = await raceAbort(openSession(client, flags, settings), signal);
    screen.output = withoutSecrets(createOutput(environment, flags, { session, status }), workspace.redactor);
    // Another process cannot continue a scripted conversation.
    if (client.capabilities.resume && agent !== "scripted") screen.ending = describeSession(flags, session);
    const { output } = screen;
    client.on("*", (event) => {
      if (event.sessionId === session.id) output.onEvent(event);
    });
    output.onReply(await session.send(message, { signal, ...(outputSchema === undefined ? {} : { outputSchema }) }));
    return ExitCode.done;
  } catch (error) {
    if (signal.aborted) return ExitCode.cancelled;
    throw error;
  } finally {
    status.close();
    stopListening();
    tellSession(environment, flags, screen.ending);
    await agents.stop();
    await telemetry.close();
  }
}

/** Denies the tools that a definition does not name. */
function limitTools(policy: PermissionPolicy, exceptTools: readonly string[] | undefined): PermissionPolicy {
  return exceptTools === undefined ? policy : { ...policy, rules: [...policy.rules, { effect: "deny", exceptTools }] };
}

/** Applies a role to the text of a message, and keeps its files and images. */
async function roleMessage(
  role: PromptRole,
  prompt: AgentPrompt,
  place: ExpandPlace & { readonly signal: AbortSignal },
): Promise<AgentPrompt> {
  if (typeof prompt === "string") return await role.write(prompt, place);
  return await Promise.all(
    prompt.map(async (part) => (part.type === "text" ? { ...part, text: await role.write(part.text, place) } : part)),
  );
}

/** What the open session has. */
interface PromptScreen {
  output?: PromptOutput;
  /** How to continue the conversation. */
  ending?: string | undefined;
}

function interruptionTexts(
  environment: CliEnvironment,
  flags: PromptFlags,
  { screen, status }: { readonly screen: PromptScreen; readonly status: StatusLine },
): InterruptionTexts {
  return {
    say(line) {
      (screen.output ?? status).pause();
      if (!flags.json) environment.stderr.write(`${line}\n`);
    },
    leave() {
      (screen.output ?? status).pause();
      tellSession(environment, flags, screen.ending);
    },
  };
}

function openSession(client: CodingAgentClient, { session }: PromptFlags, settings: SessionConfig): Promise<Session> {
  return session === undefined ? client.createSession(settings) : client.resumeSession(session, settings);
}

/** In a terminal, an animated line is shown until the agent says something. */
function createStatus(environment: CliEnvironment, flags: PromptFlags, facts: readonly string[]): StatusLine {
  const { stderr, env } = environment;
  if (flags.json || !stderr.isTTY || env.TERM === "dumb") return NO_STATUS_LINE;
  return createStatusLine(stderr, { colors: colorsFor(environment, flags, "stderr"), facts });
}

function describeSession({ agent }: PromptFlags, { id }: Session): string | undefined {
  // The agent chose the id, and people paste it into a shell.
  if (!/^[\w.:@+-]+$/.test(id)) return undefined;
  const options = `--session ${id}${agent === undefined ? "" : ` --agent ${agent}`}`;
  return safeLine(`To continue this conversation: atomic -p "…" ${options}`, MAX_ENDING_COLUMNS);
}

/** Prints how to continue, for a person only: in a pipe it is noise, and `--json` has the id in each line. */
function tellSession(environment: CliEnvironment, flags: PromptFlags, ending: string | undefined): void {
  const { stderr } = environment;
  if (ending === undefined || flags.json || !stderr.isTTY) return;
  stderr.write(`${colorsFor(environment, flags, "stderr").dim(ending)}\n`);
}

function tellBeside(status: StatusLine, environment: CliEnvironment, flags: PromptFlags): (message: string) => void {
  return (message) => {
    const resume = status.pause();
    tell(environment, flags, message);
    resume();
  };
}

function tell({ stdout, stderr }: CliEnvironment, { json = false }: PromptFlags, message: string): void {
  if (json) stdout.write(`${formatJson({ type: "warning", message })}\n`);
  else stderr.write(`${message}\n`);
}

function createOutput(
  environment: CliEnvironment,
  flags: PromptFlags,
  { session, status }: { readonly session: Session; readonly status: StatusLine },
): PromptOutput {
  return flags.json
    ? createJsonPromptOutput(environment.stdout, session.id)
    : createTextPromptOutput(environment, {
        colors: colorsFor(environment, flags, "stderr"),
        isStructured: flags.schema !== undefined,
        isPiped: environment.hasPipedInput && environment.stderr.isTTY,
        status,
      });
}

/** @throws UsageError */
async function readPrompt(environment: CliEnvironment, flags: PromptFlags, mayBeEmpty: boolean): Promise<AgentPrompt> {
  const message = await readMessage(environment, flags, mayBeEmpty);
  if (message.trim() === "" && !mayBeEmpty) {
    throw new UsageError('The message to the agent is empty. Say something: atomic -p "What does this project do?"');
  }
  const tooLong = describeTooLong(message);
  if (tooLong !== undefined) throw new UsageError(tooLong);
  const { file = [], image = [] } = flags;
  if (file.length === 0 && image.length === 0) return message;
  const images = await Promise.all(image.map((path) => readImage(path, environment.workingDirectory)));
  const files = await Promise.all(file.map((path) => findFile(path, environment.workingDirectory)));
  return [{ type: "text", text: message }, ...files, ...images];
}

/** The message, with piped input appended. Where it may be empty, piped input is the message. */
async function readMessage(environment: CliEnvironment, flags: PromptFlags, mayBeEmpty: boolean): Promise<string> {
  const message = await readText(flags.prompt, environment);
  const isEmpty = message.trim() === "";
  if (flags.prompt === "-" || (isEmpty && !mayBeEmpty)) return message;
  const piped = await readPipedInput(environment, {
    onNothing: () => tell(environment, flags, "Nothing came from the pipe on standard input; continuing without it."),
  });
  if (piped.trim() === "") return message;
  return isEmpty ? piped : `${message}\n\n${piped}`;
}

/** Checks that the files exist. The agent reads them with its own permissions. */
async function findFile(path: string, workingDirectory: string): Promise<PromptPart> {
  const absolutePath = resolve(workingDirectory, path);
  await access(absolutePath, constants.R_OK).catch((error: unknown) => {
    throw unreadable("--file", path, error);
  });
  return { type: "file", path: absolutePath };
}

async function readImage(path: string, workingDirectory: string): Promise<PromptPart> {
  const mimeType = IMAGE_TYPES[extname(path).toLowerCase()];
  if (mimeType === undefined) {
    throw new UsageError(
      `--image takes a file of one of the kinds ${Object.keys(IMAGE_TYPES).join(", ")}, and "${path}" is none.`,
    );
  }
  const bytes = await readUserFile(path, { flag: "--image", workingDirectory });
  return { type: "image", mimeType, data: bytes.toString("base64") };
}

async function readSchema(path: string | undefined, workingDirectory: string): Promise<JsonSchema | undefined> {
  if (path === undefined) return undefined;
  const text = (await readUserFile(path, { flag: "--schema", workingDirectory })).toString("utf8");
  try {
    const schema: unknown = JSON.parse(text);
    // The cast is true: a schema that is neither `true` nor `false` is an object.
    if (typeof schema === "object" && schema !== null && !Array.isArray(schema)) return schema as JsonSchema;
  } catch (error) {
    throw new UsageError(`The file of --schema, "${path}", is not JSON: ${messageOf(error)}.`);
  }
  throw new UsageError(`The file of --schema, "${path}", holds no JSON Schema: it must be an object.`);
}

async function readUserFile(
  path: string,
  { flag, workingDirectory }: { readonly flag: string; readonly workingDirectory: string },
): Promise<Buffer> {
  try {
    return await readFile(resolve(workingDirectory, path));
  } catch (error) {
    throw unreadable(flag, path, error);
  }
}

function unreadable(flag: string, path: string, error: unknown): UsageError {
  return new UsageError(`The file of ${flag}, ${JSON.stringify(path)}, cannot be read: ${reasonOf(error)}.`);
}
