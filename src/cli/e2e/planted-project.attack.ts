import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type ModelServer, type ModelToolCall, scriptConversation, startModelServer } from "../../testkit/index.ts";
import { type PlantedProject, plantProject } from "../fixtures/planted-project.ts";
import { ATOMIC } from "./fixtures/atomic-process.ts";

/** An agent as the settings describe it, and how its model changes and runs something. */
interface AgentCase {
  readonly agent: string;
  readonly protocol: "openai-chat" | "anthropic-messages";
  readonly settings?: Readonly<Record<string, unknown>>;
  calls(folder: string): readonly ModelToolCall[];
}

/** What is allowed: each of these would have git run programs that the repository's settings name. */
const GIT = "git add index.ts && git diff";

const CLAUDE_CALLS = (folder: string): readonly ModelToolCall[] => [
  { name: "Read", input: { file_path: join(folder, "index.ts") } },
  { name: "Write", input: { file_path: join(folder, "a.ts"), content: "let a = 1" } },
  { name: "Bash", input: { command: "touch shell-ran", description: "Run it" } },
  { name: "Bash", input: { command: GIT, description: "Run it" } },
];

const OPENCODE_CALLS = (folder: string): readonly ModelToolCall[] => [
  { name: "read", input: { filePath: join(folder, "index.ts") } },
  { name: "write", input: { filePath: join(folder, "a.ts"), content: "let a = 1" } },
  { name: "bash", input: { command: "touch shell-ran", description: "Run it" } },
  { name: "bash", input: { command: GIT, description: "Run it" } },
];

const AGENTS: readonly AgentCase[] = [
  { agent: "claude", protocol: "anthropic-messages", calls: CLAUDE_CALLS },
  { agent: "opencode", protocol: "openai-chat", calls: OPENCODE_CALLS },
  {
    agent: "copilot",
    protocol: "openai-chat",
    calls: (folder) => [
      { name: "view", input: { path: join(folder, "index.ts") } },
      { name: "create", input: { path: join(folder, "a.ts"), file_text: "let a = 1" } },
      { name: "bash", input: { command: "touch shell-ran", description: "Run it" } },
      { name: "bash", input: { command: GIT, description: "Run it" } },
    ],
  },
  { agent: "acp-opencode", protocol: "openai-chat", settings: { preset: "opencode" }, calls: OPENCODE_CALLS },
  {
    agent: "acp-claude",
    protocol: "anthropic-messages",
    settings: { preset: "claude", ...claudeAdapter() },
    calls: CLAUDE_CALLS,
  },
];

/** The adapter is a script for a newer Node than the one at hand may be: Bun runs it, and reads nothing of the folder it is in. */
function claudeAdapter(): Readonly<Record<string, unknown>> {
  const script = fileURLToPath(import.meta.resolve("@agentclientprotocol/claude-agent-acp/dist/index.js"));
  // Bun takes the paths of the current folder's otherwise.
  const tsconfig = `--tsconfig-override=${fileURLToPath(new URL("../../../tsconfig.json", import.meta.url))}`;
  return { command: process.execPath, args: ["--no-env-file", "--config=/dev/null", "--no-install", tsconfig, script] };
}

/** The adapter uses the Claude Code that the repository tests with. */
function claudeProgram(): string {
  const manifest = `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}/package.json`;
  return join(dirname(fileURLToPath(import.meta.resolve(manifest))), "claude");
}

let root: string;
let planted: PlantedProject;
let model: ModelServer;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "atomic-planted-")));
  for (const folder of ["home/.atomic", "tmp"]) await mkdir(join(root, folder), { recursive: true });
  await symlink(ATOMIC, join(root, "atomic"));
  const searchPath = process.env.PATH ?? "";
  planted = await plantProject({ folder: join(root, "project"), marksFolder: join(root, "marks"), searchPath });
  model = await startModelServer({ script: () => ({ type: "message", text: "Hello." }) });
});
afterEach(async () => {
  await model.stop();
  await rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

test.each([...AGENTS])(
  "a turn of $agent in an untrusted project executes nothing of it, whatever its files allow",
  async ({ agent, protocol, settings, calls }) => {
    const endpoint = { protocol, baseUrl: `${model.url}/v1`, models: [{ id: "scripted-model" }] };
    const agents = { [agent]: { ...settings, homeDirectory: join(root, "agent-home"), endpoint } };
    await writeFile(join(root, "home/.atomic/config.json"), JSON.stringify({ agents }));
    model.setScript(
      scriptConversation([
        ...calls(planted.folder).map((call) => ({ type: "message", toolCalls: [call] }) as const),
        { type: "message", text: "That is all." },
      ]),
    );
    const env = {
      PATH: planted.npxSearchPath,
      HOME: join(root, "home"),
      TMPDIR: join(root, "tmp"),
      CLAUDE_CODE_EXECUTABLE: claudeProgram(),
    };
    const args = [
      "-p",
      "Do it.",
      "--agent",
      agent,
      "--allow",
      "edit",
      "--allow",
      "shell:git add *",
      "--allow",
      "shell:git diff",
    ];
    const { stderr } = await promisify(execFile)(join(root, "atomic"), args, {
      cwd: planted.folder,
      env,
      timeout: 100_000,
    }).catch((error: { stdout: string; stderr: string }) => error);
    expect({
      marks: await planted.listMarks(),
      ran: await Bun.file(join(planted.folder, "shell-ran")).exists(),
      gitRan: await Bun.file(join(planted.folder, ".git/index")).exists(),
    }).toEqual({
      marks: [],
      ran: false,
      gitRan: true,
    });
    expect(stderr).toContain("Not loaded, because this project is not trusted: .atomic/config.json, ");
    expect(await Bun.file(join(planted.folder, "a.ts")).exists()).toBe(true);
  },
);
