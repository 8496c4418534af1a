import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import type { PermissionPolicy } from "../../../contracts/index.ts";
import { call, callTools, say, toolResultsOf } from "../../../testkit/conformance/client/client-script.ts";
import { collectEvents, plainEvents } from "../../fixtures/turn-events.ts";
import { startOpenCodeBench } from "./fixtures/opencode-bench.ts";

const bench = await startOpenCodeBench(process.env.PATH ?? "");
const { client, models, script } = bench;
afterAll(() => bench.stop());

const ALLOW_ALL: PermissionPolicy = { rules: [], otherwise: "allow" };
const NO_SHELL: PermissionPolicy = { rules: [{ effect: "deny", tools: ["shell"] }], otherwise: "allow" };
const AGENTS_ONLY: PermissionPolicy = { rules: [{ effect: "allow", tools: ["agent"] }] };

/** Lines in which OpenCode's own parser finds no command, so OpenCode does not ask about them. */
const TRICKS = [
  '{bash,-c,"id>MARK"}',
  "> MARK",
  "[[ -v 'a[$(touch MARK)]' ]]",
  "declare 'a[$(touch MARK)]=1'",
  "x='$(touch MARK)'; y=\"${x@P}\"",
  "cd .; {touch,MARK}",
  "((a[$(touch MARK)]))",
  "for((;x[$(touch MARK)],0;));do :;done",
];

function bash(command: string, more: Readonly<Record<string, string>> = {}) {
  return call("bash", { command, description: "Try", ...more });
}

const inWork = (name: string) => path.join(bench.workFolder, name);

describe("a command that OpenCode does not recognize", () => {
  test.each([
    { title: "if there is nobody to ask", policy: { rules: [] } },
    { title: "if the policy denies commands", policy: NO_SHELL },
  ])("does not run $title", async ({ policy }) => {
    const lines = TRICKS.map((trick, index) => trick.replaceAll("MARK", `mark-${index}`));
    script(
      callTools(...lines.map((command) => ({ name: "bash", input: { command, description: "t" } }))),
      say("Done."),
    );
    const { deniedPermissions } = await (await client.createSession({ permissions: policy })).send("Try.");
    expect(deniedPermissions.map(({ title }) => title).toSorted()).toEqual(
      lines.map((line) => `bash: ${line}`).toSorted(),
    );
    expect(lines.filter((_, index) => existsSync(inWork(`mark-${index}`)))).toEqual([]);
  });

  test("does not run in a sub-agent", async () => {
    models.setScript(({ messages }) => {
      if (messages.at(-1)?.role === "tool") return say("Done.");
      const isSubagent = messages.some(({ text }) => text.includes("Make a file."));
      const task = { description: "make", subagent_type: "general", prompt: "Make a file." };
      return isSubagent ? bash("> mark-sub") : call("task", task);
    });
    const { deniedPermissions } = await (await client.createSession({ permissions: AGENTS_ONLY })).send("Delegate.");
    expect([deniedPermissions.map(({ title }) => title), existsSync(inWork("mark-sub"))]).toEqual([
      ["bash: > mark-sub"],
      false,
    ]);
  });

  test("runs if the policy allows it", async () => {
    script(bash("> made-by-redirect"), say("Done."));
    await (await client.createSession({ permissions: ALLOW_ALL })).send("Make it.");
    expect(existsSync(inWork("made-by-redirect"))).toBe(true);
  });
});

describe("what a call names", () => {
  test("a command in another folder is another command", async () => {
    await mkdir(inWork("sub"), { recursive: true });
    script(bash("touch in-sub", { workdir: "sub" }), bash("touch in-work"), say("Done."));
    const permissions: PermissionPolicy = { rules: [{ effect: "allow", tools: ["shell"], commands: ["touch *"] }] };
    const { deniedPermissions } = await (await client.createSession({ permissions })).send("Touch.");
    expect(deniedPermissions.map(({ title }) => title)).toEqual([`bash: cd ${inWork("sub")} && touch in-sub`]);
    expect([existsSync(inWork("sub/in-sub")), existsSync(inWork("in-work"))]).toEqual([false, true]);
  });

  test("a denied file is neither read nor written, however the call spells its name", async () => {
    await writeFile(inWork("secret.txt"), "hunter2-501");
    script(
      call("read", { filePath: "./sub/../secret.txt" }),
      call("write", { filePath: "secret.txt", content: "x" }),
      call("edit", { filePath: inWork("secret.txt"), oldString: "hunter2-501", newString: "x" }),
      say("Done."),
    );
    const permissions: PermissionPolicy = { rules: [{ effect: "deny", paths: ["secret.txt"] }], otherwise: "allow" };
    const seen = models.requests.length;
    const { deniedPermissions } = await (await client.createSession({ permissions })).send("Read it.");
    expect(deniedPermissions.map(({ title }) => title)).toEqual([
      "read: secret.txt",
      "write: secret.txt",
      "edit: secret.txt",
    ]);
    expect(await Bun.file(inWork("secret.txt")).text()).toBe("hunter2-501");
    expect(JSON.stringify(models.requests.slice(seen).map(toolResultsOf))).not.toContain("hunter2-501");
  });
});

test("instructions that OpenCode reads with a file cannot lead to a file that must not be read", async () => {
  await mkdir(inWork("linked"), { recursive: true });
  await writeFile(inWork("linked/a.txt"), "a");
  await writeFile(inWork("linked/.env"), "TOKEN=hunter2-503");
  await symlink(inWork("linked/.env"), inWork("linked/AGENTS.md"));
  script(call("read", { filePath: "linked/a.txt" }), say("Done."));
  const seen = models.requests.length;
  const { deniedPermissions } = await (await client.createSession()).send("Read it.");
  expect(deniedPermissions.length).toBe(1);
  expect(JSON.stringify(models.requests.slice(seen).map(({ body }) => body))).not.toContain("hunter2-503");
});

describe("OpenCode's own features", () => {
  test("no switch and no setting of the user lets a call bypass the gate", async () => {
    const env = {
      PATH: process.env.PATH ?? "",
      OPENCODE_EXPERIMENTAL: "1",
      OPENCODE_EXPERIMENTAL_CODE_MODE: "1",
      OPENCODE_EXPERIMENTAL_NATIVE_LLM: "1",
      OPENCODE_PERMISSION: JSON.stringify("allow"),
    };
    const own = bench.createClient({ env, config: { permission: { "*": "allow", bash: "allow" } } });
    script(bash("> mark-switched"), say("Done."));
    const { deniedPermissions } = await (await own.createSession()).send("Try.");
    await own.stop();
    expect([deniedPermissions.length, existsSync(inWork("mark-switched"))]).toEqual([1, false]);
  });

  test("a plugin's tool requires approval, even if its name looks like an MCP server's", async () => {
    const homeDirectory = path.join(path.dirname(bench.workFolder), "home-with-tools");
    const folder = path.join(homeDirectory, ".config", "opencode", "tool");
    await mkdir(folder, { recursive: true });
    const source = `import { writeFileSync } from "node:fs";
export const make = { description: "Makes a file.", args: {}, execute: async () => (writeFileSync(${JSON.stringify(inWork("mark-tool"))}, ""), "made") };`;
    await writeFile(path.join(folder, "odd.js"), source);
    const own = bench.createClient({ homeDirectory });
    script(call("odd_make", {}), say("Done."));
    const permissions: PermissionPolicy = { rules: [{ effect: "allow", tools: ["mcp", "read", "edit", "shell"] }] };
    const { deniedPermissions } = await (await own.createSession({ permissions })).send("Make it.");
    await own.stop();
    expect(deniedPermissions).toEqual([
      {
        toolName: "odd_make",
        kind: "other",
        title: "odd_make: {}",
        reason: 'Denied: no rule allows the tool "odd_make", and nobody can approve it here.',
        allowedBy: "other",
        isUnasked: true,
      },
    ]);
    expect(existsSync(inWork("mark-tool"))).toBe(false);
  });

  test("a tool of the user's MCP server is of the kind mcp", async () => {
    const homeDirectory = path.join(path.dirname(bench.workFolder), "home-with-server");
    const server = path.join(import.meta.dir, "../../../testkit/conformance/fixtures/mcp-server.ts");
    const mcp = { notes: { type: "local", command: [process.execPath, server] } };
    const own = bench.createClient({ homeDirectory, config: { mcp } });
    script(call("notes_whisper", { text: "hello" }), say("Done."));
    const permissions: PermissionPolicy = { rules: [{ effect: "allow", tools: ["mcp"] }] };
    const events = await collectEvents(await own.createSession({ permissions }), "Take a note.");
    await own.stop();
    expect(plainEvents(events, "tool-end").map(({ output }) => output)).toEqual(["psst hello"]);
  });
});

describe("searches", () => {
  test("grep searches the parent folder if its path is not a folder, and skips files that it must not read", async () => {
    await mkdir(inWork("keys"), { recursive: true });
    await writeFile(inWork("keys/a.txt"), "KEY a\n");
    await writeFile(inWork("keys/.env"), "KEY=hunter2-504\n");
    script(
      call("grep", { pattern: "KEY", path: "keys/ ." }),
      call("grep", { pattern: "KEY", path: "keys/a.txt" }),
      call("grep", { pattern: "KEY", path: "keys", include: ".[e]nv" }),
      say("Done."),
    );
    const seen = models.requests.length;
    const { deniedPermissions } = await (await client.createSession()).send("Search.");
    const told = JSON.stringify(models.requests.slice(seen).map(({ body }) => body));
    expect([told.includes("hunter2-504"), told.includes("KEY a"), deniedPermissions.length]).toEqual([false, true, 1]);
  });

  test("grep skips a file that it must not read, and finds the rest", async () => {
    await writeFile(inWork(".env"), "TOKEN=hunter2-502\n");
    await writeFile(inWork("notes.txt"), "TOKEN is in .env\n");
    script(call("grep", { pattern: "TOKEN" }), say("Done."));
    const session = await client.createSession();
    const events = await collectEvents(session, "Search.");
    const results = JSON.stringify(plainEvents(events, "tool-end"));
    expect([results.includes("hunter2-502"), plainEvents(events, "permission-denied").length <= 1]).toEqual([
      false,
      true,
    ]);
  });
});
