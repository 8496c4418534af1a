import { afterEach, beforeEach, expect, test } from "bun:test";
import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type ModelServer, type ModelToolCall, scriptConversation, startModelServer } from "../../testkit/index.ts";
import { ATOMIC } from "./fixtures/atomic-process.ts";
import { Sandbox } from "./fixtures/sandbox.ts";
import { hasTmux, TmuxTerminal } from "./fixtures/tmux-terminal.ts";

const testInTerminal = test.skipIf(!hasTmux());

let model: ModelServer;
let sandbox: Sandbox;
let terminal: TmuxTerminal;

beforeEach(async () => {
  model = await startModelServer({ script: () => ({ type: "message", text: "Hello." }) });
  sandbox = await Sandbox.create();
  terminal = new TmuxTerminal(sandbox);
  await symlink(ATOMIC, join(sandbox.root, "atomic"));
  const endpoint = { protocol: "openai-chat", baseUrl: `${model.url}/v1`, models: [{ id: "scripted-model" }] };
  await sandbox.writeConfig({ agents: { copilot: { homeDirectory: join(sandbox.root, "agent-home"), endpoint } } });
});
afterEach(async () => {
  await terminal.stop();
  await model.stop();
  await sandbox.remove();
});

function scriptCall(...toolCalls: readonly ModelToolCall[]): void {
  model.setScript(
    scriptConversation([
      { type: "message", toolCalls },
      { type: "message", text: "That is all." },
    ]),
  );
}

function bash(command: string): ModelToolCall {
  return { name: "bash", input: { command, description: "List files" } };
}

function atomic(...args: readonly string[]): string {
  return [join(sandbox.root, "atomic"), ...args, "--agent", "copilot"].join(" ");
}

function fileOf(name: string): Promise<string> {
  return readFile(join(sandbox.project, name), "utf8").catch(() => "not there");
}

testInTerminal("the whole command is on the screen before it can be allowed", async () => {
  const command = `echo start${" ".repeat(300)}; touch hidden-tail # \u202e\u0430`;
  scriptCall(bash(command));
  await terminal.start(atomic("-p", "go"), { columns: 60, rows: 14 });
  for (const more of ["7 more lines", "2 more lines"]) {
    const part = await terminal.screenWith(`● Show more (${more})`);
    expect(part.join("\n")).not.toContain("Yes");
    await terminal.press("Enter");
  }
  const all = await terminal.screenWith("Yes, this once");
  const shown = all.flatMap((line) => /^ {2}[│┆] (.*)$/.exec(line)?.[1] ?? []);
  expect(shown[0]).toStartWith("echo start");
  // The terminal's copy has lost the spaces at the ends of lines.
  expect(shown.join("")).toMatch(/; touch hidden-tail ?# \\u202e\\u0430$/);
  expect(all.join("\n")).toContain("Warning: it contains look-alike characters: а (U+0430)");
  await terminal.press("Up", "Enter");
  await terminal.screenWith("That is all.");
  expect(await fileOf("hidden-tail")).toBe("not there");
});

testInTerminal("a change is shown as a diff; Escape is a no, and the agent goes on", async () => {
  await sandbox.write({ "package.json": '{\n  "name": "x"\n}\n' });
  const path = join(sandbox.project, "package.json");
  const change = { path, old_str: '  "name": "x"\n}', new_str: '  "name": "x",\n  "main": "evil"\n}' };
  scriptCall({ name: "view", input: { path } }, { name: "edit", input: change });
  await terminal.start(atomic("-p", "go", "--allow", "edit"), { columns: 100, rows: 30 });
  const shown = await terminal.screenWith("Allow this?");
  const start = shown.findIndex((line) => line.startsWith("Allow edit"));
  expect(shown.slice(start, shown.indexOf("│  ○ No") + 1)).toEqual([
    "Allow edit: package.json (package.json is protected: package managers and compilers run what it nam",
    "  ┆ es)",
    "  File:",
    `  │ ${path}`,
    "  Change (- old, + new):",
    '  │ -   "name": "x"',
    '  │ +   "name": "x",',
    '  │ +   "main": "evil"',
    "  │   }",
    "│",
    "◆  Allow this?",
    "│  ● Yes, this once",
    "│  ○ No",
  ]);
  await terminal.press("Escape");
  await terminal.screenWith("That is all.");
  await terminal.screenWith("ended with 0");
  expect(await fileOf("package.json")).toBe('{\n  "name": "x"\n}\n');
});

testInTerminal("Ctrl+C at the question cancels the run, which can be resumed, and restores the terminal", async () => {
  await sandbox.write({ ".atomic/workflows/two.ts": TWO_BRANCHES });
  scriptCall(bash("touch made"));
  await terminal.start(atomic("run", "two", "--trust"), { columns: 100, rows: 40 });
  const shown = await terminal.screenWith("Allow this?");
  // One question, and it says whose it is.
  expect(shown.filter((line) => /^ {2}Step: (?:Left|Right)(?:, (?:Left|Right))?$/.test(line)).length).toBe(1);
  await terminal.press("C-c");
  const ended = (await terminal.screenWith(/ended with 130\n.*echo/)).join("\n");
  expect(ended).toMatch(/cancelled {2}two[\s\S]*Resume it: atomic runs resume/);
  expect(ended).toMatch(/\nicanon (?:.* )?echo/);
  expect(await fileOf("made")).toBe("not there");
});

testInTerminal("two branches ask one after the other, and each names its step", async () => {
  await sandbox.write({ ".atomic/workflows/two.ts": TWO_BRANCHES });
  model.setScript(({ messages, toolNames }) => {
    if (toolNames.length === 0) return { type: "message", text: "A title" };
    if (messages.some(({ role }) => role === "tool")) return { type: "message", text: "That is all." };
    const side = messages.some(({ text }) => text.includes("Go left")) ? "left" : "right";
    return { type: "message", toolCalls: [bash(`touch made-${side}`)] };
  });
  await terminal.start(atomic("run", "two", "--trust"), { columns: 100, rows: 40 });
  const first = await terminal.screenWith("Allow this?");
  const stepIn = (lines: readonly string[]) => lines.flatMap((line) => /^ {2}Step: (.+)$/.exec(line)?.[1] ?? []);
  const [step = ""] = stepIn(first);
  const other = step === "Left" ? "Right" : "Left";
  await terminal.press("Enter");
  await terminal.screenWith(`  Step: ${other}`);
  await terminal.screenWith(new RegExp(`Step: ${other}[\\s\\S]*● Yes, this once`));
  await terminal.press("Escape");
  const ended = (await terminal.screenWith("ended with 0")).join("\n");
  expect(ended).toContain(`denied: bash: touch made-${other.toLowerCase()} (The user said no.)`);
  expect(stepIn(ended.split("\n"))).toEqual([step, other]);
  expect([await fileOf(`made-${step.toLowerCase()}`), await fileOf(`made-${other.toLowerCase()}`)]).toEqual([
    "",
    "not there",
  ]);
});

const TWO_BRANCHES = `import { agentNode, graph } from "@bastani/atomic/graph";
const branch = (id, name) => agentNode({ id, name, buildMessage: "Go " + id });
export default () => graph().parallel([branch("left", "Left"), branch("right", "Right")]).end().compile();
`;

testInTerminal("in a tiny terminal everything can be read, and answered", async () => {
  scriptCall(bash("touch made-1234567890"));
  await terminal.start(atomic("-p", "go"), { columns: 10, rows: 3 });
  await terminal.screenWith("Allow she\nm more, a\nall, n no?");
  await terminal.press("m");
  await terminal.screenWith("  ┆ ll: b\nm more, a\nall, n no?");
  await terminal.resize(12, 3);
  await terminal.press("m");
  // A resize restarts it from the top.
  await terminal.screenWith("Allow shell\nm more, a al");
  await terminal.press("a");
  const shown = (await terminal.screenWith("y yes, n no")).join("\n");
  expect(shown).toEndWith("  ┆ : bash\n  Command:\n  │ touch m\n  ┆ ade-123\n  ┆ 4567890\ny yes, n no?\n");
  await terminal.press("y");
  await terminal.screenWith("That is");
  expect(await fileOf("made-1234567890")).toBe("");
});
