import { afterAll, describe, expect, test } from "bun:test";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import {
  PermissionGateMissingError,
  type PermissionPolicy,
  recordOf,
  type SessionConfig,
  stringOf,
} from "../../../contracts/index.ts";
import { call, say, toolResultsOf } from "../../../testkit/conformance/client/client-script.ts";
import { rejectionOf } from "../../../testkit/conformance/rejection-of.ts";
import type { ModelToolCall } from "../../../testkit/index.ts";
import { CLAUDE_TOOLS, REGISTERED_TOOL_COUNT } from "../claude-settings/claude-tool-table.ts";
import { createClaudeClient } from "./claude-client.ts";
import { startClaudeBench } from "./fixtures/claude-bench.ts";

const PATH = process.env.PATH ?? "";
const bench = await startClaudeBench(PATH);
const { client, models, script, workFolder, homeFolder } = bench;
afterAll(() => bench.stop());

const SEARCH_TOOLS = ["read", "grep", "glob", "bash"];
const ALLOW_READING: PermissionPolicy = {
  rules: [
    { effect: "allow", tools: ["read", "shell"] },
    { effect: "deny", tools: ["read"], paths: ["**/.env", "private/**"] },
  ],
};

/** The results of its calls as the model gets them. */
async function resultsOf(calls: readonly ModelToolCall[], config: SessionConfig): Promise<readonly string[]> {
  script(...calls.map(({ name, input }) => call(name, input)), say("Seen."));
  const session = await client.createSession({ allowedTools: SEARCH_TOOLS, ...config });
  await session.send("Look.");
  await session.destroy();
  const last = models.requests.at(-1);
  return last === undefined ? [] : toolResultsOf(last);
}

describe("a search", () => {
  test("finds nothing in files that may not be read, however it is phrased", async () => {
    await mkdir(path.join(workFolder, "private"), { recursive: true });
    await writeFile(path.join(workFolder, ".env"), "TOKEN=needle-denied\n");
    await writeFile(path.join(workFolder, "private", "note.txt"), "needle-denied\n");
    await writeFile(path.join(workFolder, "open.txt"), "needle-open\n");
    await writeFile(path.join(homeFolder, "outside.txt"), "needle-denied\n");
    const grep = (input: object): ModelToolCall => ({
      name: "Grep",
      input: { pattern: "needle", output_mode: "content", ...input },
    });
    const results = await resultsOf(
      [
        grep({}),
        grep({ glob: ".env" }),
        grep({ glob: "*.txt, .env* !open.txt" }),
        grep({ path: ".env" }),
        grep({ path: ` ${workFolder} `, type: "sh", "-C": 5 }),
        grep({ path: "~" }),
        grep({ path: "/proc/self/cwd" }),
        grep({ path: "/dev/fd/../../proc/thread-self/cwd" }),
        grep({ path: ` ${homeFolder}` }),
        grep({ file_path: "~/outside.txt" }),
        { name: "Glob", input: { pattern: "~/*" } },
        { name: "Read", input: { file_path: " ~/outside.txt " } },
      ],
      { permissions: { rules: ALLOW_READING.rules.slice(1) } },
    );
    // A denial quotes the file that the call named.
    const text = results.filter((result) => !result.includes("Denied: ")).join("\n");
    expect([text.includes("needle-denied"), text.includes("outside.txt"), text.includes("needle-open")]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test("starts in the folder that an earlier command changed to", async () => {
    await writeFile(path.join(workFolder, "private", "later.txt"), "needle-later\n");
    const [, found = "", read = ""] = await resultsOf(
      [
        { name: "Bash", input: { command: "cd private", description: "Go there" } },
        { name: "Grep", input: { pattern: "needle-later", output_mode: "content" } },
        { name: "Read", input: { file_path: "later.txt" } },
      ],
      { permissions: ALLOW_READING },
    );
    expect([found.includes("needle-later"), read.includes("needle-later")]).toEqual([false, false]);
  });
});

describe("the table of tools", () => {
  const switches = [
    {},
    {
      CLAUDE_CODE_ENABLE_TASKS: "1",
      CLAUDE_CODE_USE_POWERSHELL_TOOL: "1",
      ENABLE_LSP_TOOL: "1",
      CLAUDE_CODE_WORKFLOWS: "1",
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "0",
      CLAUDE_CODE_DISABLE_CRON: "0",
      CLAUDE_CODE_ENABLE_TODO_TOOLS: "1",
      CLAUDE_CODE_ENABLE_WRAP_UP: "1",
      CLAUDE_CODE_ENABLE_REFRESH_MCP_TOOLS: "1",
      CLAUDE_CODE_ENABLE_DESIGN_SYNC: "1",
      ENABLE_STUB_TOOLS: "1",
    },
    { CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1", CLAUDE_CODE_BRIEF: "1", CLAUDE_CODE_REPL: "1" },
    { CLAUDE_CODE_EXPERIMENTAL_CODE_MODE: "1", CLAUDE_CODE_PROACTIVE: "1" },
    { CLAUDE_CODE_COORDINATOR_MODE: "1" },
    { CLAUDE_CODE_SIMPLE: "1" },
  ];

  test.each(switches)("has every tool that Claude Code offers with %p", async (env) => {
    const other = createClaudeClient(bench.optionsFor({ env: { PATH, ...env } }));
    const offered = new Set<string>();
    other.on("vendor", ({ name, data }) => {
      const { tools } = recordOf(data);
      if (name === "system/init" && Array.isArray(tools)) for (const tool of tools) offered.add(stringOf(tool));
    });
    const before = models.requests.length;
    script(say("Hello."));
    await (await other.createSession()).send("Hello.");
    await other.stop();
    for (const { toolNames } of models.requests.slice(before)) for (const name of toolNames) offered.add(name);
    expect(offered.size).toBeGreaterThan(2);
    expect([...offered].filter((name) => !CLAUDE_TOOLS.has(name))).toEqual([]);
  });

  test("has every tool that the program contains, and as many as it registers", async () => {
    const options = bench.optionsFor();
    const { findClaude } = await import("./find-claude.ts");
    const program = Buffer.from(await Bun.file(await findClaude(options)).arrayBuffer());
    const start = program.indexOf('["Agent","Artifact","AskUserQuestion"');
    const named: unknown = JSON.parse(program.toString("latin1", start, program.indexOf("]", start) + 1));
    expect((named as string[]).filter((name) => !CLAUDE_TOOLS.has(name))).toEqual([]);
    const ids = new Set<string>();
    const mark = 'registryToolId:"';
    for (let at = program.indexOf(mark); at !== -1; at = program.indexOf(mark, at + 1)) {
      ids.add(program.toString("latin1", at + mark.length, at + mark.length + 36));
    }
    // After a change of this number the table must be reviewed.
    expect(ids.size).toBe(REGISTERED_TOOL_COUNT);
  });
});

describe("a process without hooks", () => {
  test("starts no turn when the user's settings disable hooks", async () => {
    const settings = path.join(homeFolder, ".claude", "settings.json");
    await writeFile(settings, JSON.stringify({ env: { CLAUDE_CODE_SIMPLE: "1", ANTHROPIC_API_KEY: "key" } }));
    await writeFile(path.join(workFolder, "open.txt"), "needle-open\n");
    script(call("Read", { file_path: "open.txt" }), say("Seen."));
    const session = await client.createSession();
    const error = await rejectionOf(session.send("Read it."));
    await rm(settings);
    expect(error).toEqual(new PermissionGateMissingError("claude", "Claude Code does not run its hooks"));
    expect(JSON.stringify(models.requests.at(-1)?.body)).not.toContain("needle-open");
  });

  test("cannot be requested by the user's environment", async () => {
    const other = createClaudeClient(bench.optionsFor({ env: { PATH, CLAUDE_CODE_SIMPLE: "1" } }));
    script(call("Bash", { command: "touch simple.txt", description: "Touch it" }), say("Understood."));
    const { deniedPermissions } = await (await other.createSession()).send("Touch it.");
    await other.stop();
    expect(deniedPermissions.map(({ toolName }) => toolName)).toEqual(["Bash"]);
  });
});
