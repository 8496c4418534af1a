import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFile, execFileSync } from "node:child_process";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { waitUntil } from "../../testkit/conformance/wait-until.ts";
import { type ModelServer, scriptConversation, startModelServer } from "../../testkit/index.ts";
import { ATOMIC } from "./fixtures/atomic-process.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

const HAS_TMUX = hasTmux();

function hasTmux(): boolean {
  try {
    execFileSync("tmux", ["-V"]);
    return true;
  } catch {
    return false;
  }
}

let model: ModelServer;
let sandbox: Sandbox;
let socket: string;

beforeEach(async () => {
  model = await startModelServer({ script: () => ({ type: "message", text: "Hello." }) });
  sandbox = await Sandbox.create();
  socket = join(sandbox.root, "tmux");
  await symlink(ATOMIC, join(sandbox.root, "atomic"));
});
afterEach(async () => {
  await tmux("kill-server").catch(() => undefined);
  await model.stop();
  await sandbox.remove();
});

async function tmux(...args: readonly string[]): Promise<string> {
  const env = { ...sandbox.env, TERM: "xterm-256color", LANG: "C.UTF-8" };
  return (await promisify(execFile)("tmux", ["-u", "-S", socket, "-f", "/dev/null", ...args], { env })).stdout;
}

/** Waits until the terminal shows a text, and gives all of its lines. */
async function screenWith(text: string): Promise<readonly string[]> {
  let screen = "";
  await waitUntil(
    async () => {
      screen = await tmux("capture-pane", "-p", "-S", "-1000");
      return screen.includes(text);
    },
    () => `The terminal does not show "${text}":\n${screen}`,
  );
  return screen.split("\n").map((line) => line.trimEnd());
}

test.skipIf(!HAS_TMUX)("in a terminal the whole command is on the screen before it can be allowed", async () => {
  const command = `echo start${" ".repeat(300)}; touch hidden-tail # \u202e\u0430`;
  const endpoint = { protocol: "openai-chat", baseUrl: `${model.url}/v1`, models: [{ id: "scripted-model" }] };
  await sandbox.writeConfig({ agents: { copilot: { homeDirectory: join(sandbox.root, "agent-home"), endpoint } } });
  model.setScript(
    scriptConversation([
      { type: "message", toolCalls: [{ name: "bash", input: { command, description: "List files" } }] },
      { type: "message", text: "That is all." },
    ]),
  );
  const call = [join(sandbox.root, "atomic"), "-p", "go", "--agent", "copilot"];
  await tmux("new-session", "-d", "-x", "60", "-y", "14", "-c", sandbox.project, `${call.join(" ")}; sleep 60`);
  for (const more of ["8 more lines", "3 more lines"]) {
    const part = await screenWith(`● Show the rest (${more})`);
    expect(part.join("\n")).not.toContain("Yes");
    await tmux("send-keys", "Enter");
  }
  const all = await screenWith("Yes, this once");
  const shown = all.flatMap((line) => /^ {2}[│┆] (.*)$/.exec(line)?.[1] ?? []);
  expect(shown[0]).toStartWith("echo start");
  // The terminal's copy has lost the spaces at the ends of lines.
  expect(shown.join("")).toMatch(/; touch hidden-tail ?# \\u202e\\u0430$/);
  expect(all.join("\n")).toContain("Warning: it contains look-alike characters: а (U+0430)");
  await tmux("send-keys", "Up", "Enter");
  await screenWith("That is all.");
  expect(await Bun.file(join(sandbox.project, "hidden-tail")).exists()).toBe(false);
});
