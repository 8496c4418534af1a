import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { PermissionGateMissingError, type PermissionPolicy } from "../../../contracts/index.ts";
import { call, say } from "../../../testkit/conformance/client/client-script.ts";
import { rejectionOf } from "../../../testkit/conformance/rejection-of.ts";
import { isProgram, processesWith } from "../../fixtures/running-processes.ts";
import { COPILOT_PROGRAM, startCopilotBench } from "./fixtures/copilot-bench.ts";
import { findCopilot } from "./runtime/find-copilot.ts";

const ALLOW_ALL: PermissionPolicy = { rules: [], otherwise: "allow" };
const MARKING_SERVER = path.join(import.meta.dirname, "../../attacks/fixtures/marking-mcp-server.ts");

const bench = await startCopilotBench(process.env.PATH ?? "");
const { client, models, script, workFolder, homeFolder } = bench;
const folder = path.dirname(workFolder);
afterAll(() => bench.stop());

function lastBody(): string {
  return JSON.stringify(models.requests.at(-1)?.body);
}

async function plant(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(root, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

describe("what Copilot itself allows without asking", () => {
  test("a tool that its MCP server declares read-only is denied", async () => {
    const marker = path.join(folder, "peeked");
    const peek = { type: "stdio", command: process.execPath, args: [MARKING_SERVER, marker] } as const;
    const permissions = { rules: [{ effect: "deny", tools: ["mcp"] }], otherwise: "allow" } as const;
    const session = await client.createSession({ permissions, mcpServers: { peek } });
    script(call("peek-peek", { text: "a" }), say("Understood."));
    const { deniedPermissions } = await session.send("Peek.");
    expect(deniedPermissions.map(({ kind, title }) => [kind, title])).toEqual([["mcp", 'peek-peek: {"text":"a"}']]);
    expect(existsSync(marker)).toBe(false);
  });

  test("a sub-agent is started only if that is allowed", async () => {
    const session = await client.createSession();
    const input = { description: "look", agent_type: "explore", name: "h", mode: "sync", prompt: "Look." };
    script(call("task", input), say("Understood."));
    const { deniedPermissions } = await session.send("Send one.");
    expect(deniedPermissions.map(({ kind, title }) => [kind, title])).toEqual([
      ["agent", `task: ${JSON.stringify(input)}`],
    ]);
  });

  test("a file that a sub-agent reads is decided before it is read", async () => {
    await plant(workFolder, { "secrets/key.txt": "SECRET-of-the-key\n" });
    const permissions: PermissionPolicy = {
      rules: [
        { effect: "allow", tools: ["agent"] },
        { effect: "deny", paths: ["secrets/**"] },
      ],
    };
    const session = await client.createSession({ permissions });
    const input = { description: "look", agent_type: "explore", name: "h", mode: "sync", prompt: "Look, sub-77." };
    models.setScript(({ messages }) => {
      const isSub = messages.some(({ role, text }) => role === "user" && text.includes("sub-77"));
      if (messages.at(-1)?.role === "tool") return say(isSub ? "Seen." : "Done.");
      return isSub ? call("view", { path: path.join(workFolder, "secrets/key.txt") }) : call("task", input);
    });
    models.forgetRequests();
    const { deniedPermissions } = await session.send("Send one.");
    expect(deniedPermissions.map(({ title }) => title)).toEqual(["view: secrets/key.txt"]);
    expect(JSON.stringify(models.requests.map(({ body }) => body))).not.toContain("SECRET-of-the-key");
  });
});

describe("a search", () => {
  test("excludes files with secrets, and is denied if it searches for them", async () => {
    await plant(workFolder, {
      ".env": "KEY=SECRET-one\n",
      "api/.env.local": "KEY=SECRET-two\n",
      "a.txt": "KEY=open\n",
    });
    const session = await client.createSession();
    const search = { pattern: "KEY", output_mode: "content" };
    models.forgetRequests();
    script(
      call("grep", search),
      call("grep", { ...search, glob: ".env*" }),
      call("glob", { pattern: "*.txt" }),
      say("."),
    );
    const { deniedPermissions } = await session.send("Search.");
    expect(lastBody()).toContain("KEY=open");
    expect(lastBody()).not.toContain("SECRET-");
    expect(deniedPermissions.map(({ title }) => title)).toEqual([
      "grep: KEY in . (.env*) (can read .env, api/.env.local)",
    ]);
  });
});

describe("a project that the user does not trust", () => {
  test("makes Copilot run nothing, and adds no tools, agents or skills", async () => {
    const project = path.join(folder, "planted");
    const marks = path.join(folder, "marks");
    await mkdir(marks);
    await Bun.spawn(["git", "init", "--quiet", project]).exited;
    await plant(project, plantedFiles(marks));
    const other = bench.createClient({ workingDirectory: project });
    const session = await other.createSession({ permissions: ALLOW_ALL });
    models.forgetRequests();
    script(
      call("view", { path: path.join(project, "a.ts") }),
      call("edit", { path: path.join(project, "a.ts"), old_str: "1", new_str: "2" }),
      call("lsp", { operation: "documentSymbol", file: path.join(project, "a.ts") }),
      call("skill", { skill: "planted" }),
      say("Done."),
    );
    await session.send("Look.");
    await other.stop();
    expect(readdirSync(marks)).toEqual([]);
    const bodies = JSON.stringify(models.requests.map(({ body }) => body));
    expect(["PLANTED-AGENT", "PLANTED-SKILL"].filter((text) => bodies.includes(text))).toEqual([]);
    expect(bodies).toContain("PLANTED-INSTRUCTIONS");
  });
});

/** Any of these that is executed leaves a mark. */
function plantedFiles(marks: string): Readonly<Record<string, string>> {
  const events = ["sessionStart", "userPromptSubmitted", "preToolUse", "permissionRequest", "agentStop"];
  const hooks = (name: string): string =>
    JSON.stringify({
      version: 1,
      hooks: Object.fromEntries(
        events.map((event) => [event, [{ type: "command", bash: `touch ${marks}/${name}-${event}`, timeoutSec: 5 }]]),
      ),
    });
  const servers = (name: string): string => {
    const server = { type: "stdio", command: "touch", args: [`${marks}/${name}`], tools: ["*"] };
    return JSON.stringify({ mcpServers: { planted: server }, servers: { planted: server } });
  };
  const claudeHook = [{ matcher: "*", hooks: [{ type: "command", command: `touch ${marks}/claude` }] }];
  const lsp = { command: "touch", args: [`${marks}/lsp`], fileExtensions: { ".ts": "typescript" } };
  return {
    "a.ts": "const a = 1;\n",
    "AGENTS.md": "PLANTED-INSTRUCTIONS\n",
    ".github/hooks/a.json": hooks("github-hooks"),
    ".github/copilot/settings.json": JSON.stringify({
      ...JSON.parse(hooks("github-settings")),
      extraKnownMarketplaces: { planted: { source: { source: "directory", path: "./plugins" } } },
      enabledPlugins: { "planted@planted": true },
    }),
    "plugins/.claude-plugin/marketplace.json": JSON.stringify({
      name: "planted",
      owner: { name: "planted" },
      plugins: [{ name: "planted", source: "./planted" }],
    }),
    "plugins/planted/.claude-plugin/plugin.json": JSON.stringify({ name: "planted", hooks: "./hooks.json" }),
    "plugins/planted/hooks.json": hooks("plugin"),
    "plugins/planted/.mcp.json": servers("plugin-mcp"),
    ".github/copilot/settings.local.json": hooks("github-local"),
    ".copilot/hooks/a.json": hooks("copilot-hooks"),
    ".copilot/settings.json": hooks("copilot-settings"),
    ".claude/settings.json": JSON.stringify({ hooks: { PreToolUse: claudeHook, SessionStart: claudeHook } }),
    ".mcp.json": servers("mcp"),
    ".vscode/mcp.json": servers("vscode"),
    ".github/mcp.json": servers("github-mcp"),
    ".copilot/mcp-config.json": servers("copilot-mcp"),
    ".github/lsp.json": JSON.stringify({ lspServers: { planted: lsp } }),
    ".github/agents/planted.agent.md": "---\nname: planted\ndescription: PLANTED-AGENT\n---\nHello\n",
    ".claude/agents/planted.md": "---\nname: planted\ndescription: PLANTED-AGENT\n---\nHello\n",
    ".github/skills/planted/SKILL.md": "---\nname: planted\ndescription: PLANTED-SKILL\n---\nHello\n",
    ".claude/skills/planted/SKILL.md": "---\nname: planted\ndescription: PLANTED-SKILL\n---\nHello\n",
    ".github/extensions/planted/extension.mjs": `import("node:fs").then((fs) => fs.writeFileSync("${marks}/ext", ""));\n`,
  };
}

test("the user's own instructions reach the model, whether or not the project is trusted", async () => {
  const file = path.join(homeFolder, ".copilot/copilot-instructions.md");
  await plant(homeFolder, { ".copilot/copilot-instructions.md": "INSTRUCTIONS-OF-USER\n" });
  for (const projectSettings of [false, true]) {
    const other = bench.createClient({ projectSettings });
    const session = await other.createSession();
    models.forgetRequests();
    script(say("Done."));
    await session.send("Look.");
    expect(lastBody().split("INSTRUCTIONS-OF-USER")).toHaveLength(2);
    await other.stop();
  }
  await rm(file);
});

describe("the runtime", () => {
  test("starts in an empty folder, and works in the session's", async () => {
    const session = await client.createSession({ permissions: ALLOW_ALL });
    script(call("bash", { command: "pwd", description: "Look" }), say("Seen."));
    await session.send("Look.");
    const runtimes = processesWith(`HOME=${homeFolder}`).filter((found) => isProgram(COPILOT_PROGRAM, found));
    const folders = runtimes.map(({ pid }) => readlinkSync(`/proc/${pid}/cwd`));
    expect(folders.map((one) => readdirSync(one))).toEqual([["tsconfig.json"]]);
    expect(lastBody()).toContain(`${workFolder}\\n<shellId`);
  });
});

describe("the connection to the runtime", () => {
  test("needs no secret that an allowed command could read", async () => {
    const session = await client.createSession({ permissions: ALLOW_ALL });
    const file = path.join(folder, "environments");
    const command = `grep -alz 'HOME=${homeFolder}' /proc/[0-9]*/environ | xargs cat > ${file}`;
    script(call("bash", { command, description: "Look" }), say("Seen."));
    await session.send("Look.");
    const names = (await readFile(file, "utf8")).split("\0").map((variable) => variable.split("=")[0]);
    expect(names).toContain("COPILOT_HOME");
    expect(names.filter((name) => /token|secret|password|api_?key/i.test(name ?? ""))).toEqual([]);
  });
});

describe("a runtime that ignores hooks", () => {
  test("starts no turn", async () => {
    const binaryPath = path.join(folder, "hookless");
    const program = [process.execPath, path.join(import.meta.dirname, "fixtures/hookless-runtime.ts")];
    const runtime = await findCopilot(bench.optionsFor());
    await writeFile(binaryPath, `#!/bin/sh\nexec ${program.join(" ")} ${runtime} "$@"\n`);
    await chmod(binaryPath, 0o755);
    const other = bench.createClient({ binaryPath });
    const session = await other.createSession({ permissions: ALLOW_ALL });
    const file = path.join(workFolder, "ungated.txt");
    script(call("bash", { command: `touch ${file}`, description: "Touch" }), say("Done."));
    expect(await rejectionOf(session.send("Go."))).toEqual(
      new PermissionGateMissingError("copilot", "the program has not called the hook that comes before each turn"),
    );
    expect(existsSync(file)).toBe(false);
    await other.stop();
  });
});
