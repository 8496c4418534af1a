import { expect, test } from "bun:test";
import type { ChatState } from "../chat/chat-state.ts";
import { FakeChat } from "../fixtures/fake-chat.ts";
import type { ChatHost } from "../host/chat-host.ts";
import type { InboxItem } from "../host/runs-port.ts";
import { FakeRuns, RUN } from "../runs/fixtures/fake-runs.ts";
import { KEEP_API } from "../runs/fixtures/inbox-items.ts";
import { type BuiltInServices, registerBuiltinCommands } from "./built-in-commands.ts";
import { type CommandPlace, createCommandContext, EMPTY_BOARD } from "./command-context.ts";
import { CommandRegistry } from "./command-registry.ts";

const HOST: ChatHost = {
  workingDirectory: "/work/shop",
  agentType: "scripted",
  agentTypes: ["scripted", "claude"],
  openClient: () => Promise.reject(new Error("This test opens no client.")),
  sessionConfigFor: () => ({}),
  settings: {},
};

function setUp(
  chat: FakeChat,
  { host = HOST, hasDialogs = true }: { readonly host?: ChatHost; readonly hasDialogs?: boolean } = {},
) {
  const opened: string[] = [];
  const copied: string[] = [];
  const registry = new CommandRegistry();
  const services: Omit<BuiltInServices, "registry"> = {
    host,
    chat: chat.asController(),
    open: hasDialogs ? (name) => opened.push(name) : undefined,
    copy: (text) => copied.push(text),
    now: () => 61_000,
    formatMarkdown: () => "# A conversation",
    exportName: () => "2026-11-25-repair-the-cart.md",
  };
  registerBuiltinCommands(registry, services);
  const place: CommandPlace = {
    ...{ host, chat: chat.asController(), board: () => EMPTY_BOARD },
    changeBoard: () => undefined,
    nextInput: () => Promise.reject(new Error("Nobody types.")),
  };
  const run = async (name: string, args = "") => await registry.get(name)?.execute(args, createCommandContext(place));
  return { registry, opened, copied, run };
}

test("the documents' commands and the others exist, and registering them twice changes nothing", () => {
  const { registry } = setUp(new FakeChat());
  const before = registry.all();
  registerBuiltinCommands(registry, {
    ...{ host: HOST, chat: new FakeChat().asController(), open: undefined },
    ...{ copy: () => undefined, formatMarkdown: () => "", exportName: () => "x.md", now: () => 0 },
  });
  expect(registry.all()).toEqual(before);
  expect(before.map(({ name }) => name)).toEqual([
    ...["help", "theme", "exit", "clear", "compact", "resume", "rename", "fork", "rewind", "btw", "copy", "export"],
    ...["model", "agents", "plan", "mcp", "context", "runs", "inbox", "tools", "permissions", "doctor", "init"],
  ]);
});

test.each([
  { call: ["theme", ""], result: { success: true, themeChange: "toggle" } },
  { call: ["theme", "light"], result: { success: true, themeChange: "light" } },
  { call: ["theme", "solarized"], result: { success: true, themeName: "solarized" } },
  { call: ["exit", ""], result: { success: true, shouldExit: true } },
  { call: ["quit", ""], result: { success: true, shouldExit: true } },
  { call: ["clear", ""], result: { success: true, clearMessages: true, destroySession: true } },
  { call: ["model", ""], result: { success: true, showModelSelector: true } },
  { call: ["mcp", ""], result: { success: true, showMcpOverlay: true } },
  {
    call: ["rename", " "],
    result: { success: false, message: "/rename needs a name: /rename <name>" },
  },
  { call: ["btw", ""], result: { success: false, message: "/btw needs a question: /btw <question>" } },
  { call: ["doctor", ""], result: { success: false, message: "/doctor is not available here." } },
  { call: ["copy", ""], result: { success: false, message: "There is no answer to copy yet." } },
  { call: ["export", ""], result: { success: false, message: "Files cannot be written here." } },
] as const)("/$call.0 $call.1", async ({ call: [name, args], result }) => {
  const { run } = setUp(new FakeChat());
  expect<unknown>(await run(name, args)).toEqual(result);
});

test("a command that opens something opens it, and answers in text where nothing can be opened", async () => {
  const chat = new FakeChat({}, { mcpStatus: [{ name: "docs", status: "failed", detail: "no answer" }] });
  const shown = setUp(chat);
  for (const name of ["help", "resume", "rewind", "agents", "context"]) await shown.run(name);
  expect(shown.opened).toEqual(["help", "sessions", "rewind", "agent", "context"]);
  const plain = setUp(chat, { hasDialogs: false });
  expect(await plain.run("agents")).toEqual({
    success: true,
    message: "Agents: scripted, claude. Choose one: /agents NAME",
  });
  expect<unknown>(await plain.run("mcp")).toEqual({
    success: true,
    message: "- docs: failed no answer",
    mcpSnapshot: { servers: [{ name: "docs", status: "failed", detail: "no answer" }] },
  });
});

test.each([
  { args: "", name: "2026-11-25-repair-the-cart.md" },
  { args: " cart.md ", name: "cart.md" },
])("/export $args writes $name", async ({ args, name }) => {
  const written: unknown[] = [];
  const writeExport = async (file: string, text: string): Promise<string> => {
    written.push([file, text]);
    return `/work/shop/${file}`;
  };
  const { run } = setUp(new FakeChat(), { host: { ...HOST, writeExport } });
  expect<unknown>(await run("export", args)).toEqual({ success: true, message: `Wrote /work/shop/${name}.` });
  expect(written).toEqual([[name, "# A conversation"]]);
});

test("commands with an argument reach the conversation", async () => {
  const chat = new FakeChat();
  const { run } = setUp(chat);
  for (const [name, args] of [
    ["model", "opus"],
    ["agents", "claude"],
    ["resume", "s1"],
    ["rename", "The cart"],
    ["btw", "why?"],
    ["plan", ""],
  ] as const) {
    await run(name, args);
  }
  expect(chat.calls.filter(([name]) => name !== "session" && name !== "listModels")).toEqual([
    ["setModel", "opus"],
    ["setAgent", "claude"],
    ["resume", "s1"],
    ["rename", "The cart"],
    ["askAside", "why?"],
    ["setMode", "plan"],
  ]);
});

test("/resume leaves the conversation for one that the agent has, or that is recorded", async () => {
  const capabilities = { listSessions: true };
  const chat = new FakeChat({ capabilities } as Partial<ChatState>, { listSessions: [{ id: "s1", title: "One" }] });
  const loadEntries = async (id: string): Promise<string | undefined> => (id === "s2" ? "[]" : undefined);
  const conversations = { list: async () => [], save: async () => undefined, loadEntries };
  const { run } = setUp(chat, { host: { ...HOST, conversations } });
  expect(await run("resume", " s3 ")).toEqual({
    success: false,
    message: 'scripted has no conversation "s3" in this folder. /resume lists those it has.',
  });
  for (const id of ["s1", "s2"]) expect(await run("resume", id)).toEqual({ success: true });
  expect(chat.calls.filter(([name]) => name === "resume")).toEqual([
    ["resume", "s1"],
    ["resume", "s2"],
  ]);
});

test("the help groups the commands in the documents' order, without hidden ones", async () => {
  const { registry, run } = setUp(new FakeChat());
  registry.clear();
  const none = { execute: () => ({ success: true }) };
  registry.register({ ...none, name: "worker", description: "Works", category: "agent" });
  registry.register({ ...none, name: "commit", description: "Commits", category: "skill" });
  registry.register({
    ...none,
    ...{ name: "ralph", description: "Plans and works", category: "workflow" },
    ...{ aliases: ["loop"], argumentHint: "<prompt>" },
  });
  registry.register({ ...none, name: "ghost", description: "Hidden", category: "builtin", hidden: true });
  registerBuiltinCommands(registry, {
    ...{ host: HOST, chat: new FakeChat().asController(), open: undefined },
    ...{ copy: () => undefined, formatMarkdown: () => "", exportName: () => "x.md", now: () => 0 },
  });
  const text = (await run("help"))?.message ?? "";
  expect(text.split("\n").filter((line) => line.endsWith(":"))).toEqual([
    ...["Slash Commands:", "Workflows:", "Skills:", "Sub-Agents:"],
  ]);
  expect(text).toContain("  /ralph <prompt>               Plans and works (also /loop)");
  expect(text).not.toContain("ghost");
});

test("/doctor says that it works before it answers", async () => {
  const chat = new FakeChat();
  const { run } = setUp(chat, { host: { ...HOST, describe: async (topic) => `all of ${topic}` } });
  expect(await run("doctor")).toEqual({ success: true, message: "all of doctor" });
  expect(chat.calls.filter(([name]) => name === "notice")).toEqual([["notice", "Checking …"]]);
});

test.each([
  { name: "opus", message: "The model is now opus." },
  { name: "gpt-5", message: "The model is now gpt-5." },
  {
    name: "sonet",
    message:
      "The model is now sonet, which is not in scripted's list of models. Did you mean sonnet? Your next message shows whether scripted has it; /model chooses another one.",
  },
  {
    name: "nosuchmodel",
    message:
      "The model is now nosuchmodel, which is not in scripted's list of models. Your next message shows whether scripted has it; /model chooses another one.",
  },
])("/model $name says whether the agent lists it", async ({ name, message }) => {
  const listModels = ["opus", "sonnet", "openai/gpt-5"].map((model) => ({ model, displayName: model }));
  const chat = new FakeChat({}, { listModels });
  expect(await setUp(chat).run("model", name)).toMatchObject({ success: true, message });
  expect(chat.calls.at(-1)).toEqual(["setModel", name]);
});

test("during a turn, nothing is said to have changed", async () => {
  const chat = new FakeChat({ status: "working" }, { listModels: [{ model: "opus", displayName: "Opus" }] });
  const { run } = setUp(chat);
  expect([await run("model", "opus"), await run("plan")]).toEqual([{ success: false }, { success: false }]);
  expect(chat.calls.filter(([name]) => name !== "session")).toEqual([
    ["listModels"],
    ["setModel", "opus"],
    ["setMode", "plan"],
  ]);
});

test.each(['"my file.md"', "'my file.md'", "my file.md"])("/export takes quotes away from %s", async (name) => {
  const written: string[] = [];
  const writeExport = async (path: string) => `/work/${written.push(path)}`;
  await setUp(new FakeChat(), { host: { ...HOST, writeExport } }).run("export", name);
  expect(written).toEqual(["my file.md"]);
});

test("without dialogs, a long list of conversations says how many are left out", async () => {
  const listSessions = Array.from({ length: 25 }, (_, index) => ({ id: `s${index}`, title: `Title ${index}` }));
  const { run } = setUp(new FakeChat({}, { listSessions }), { hasDialogs: false });
  const { message = "" } = (await run("resume")) ?? {};
  const lines = message.split("\n");
  expect([lines.length, lines[1], lines.at(-1)]).toEqual([
    22,
    "- s0  Title 0",
    "… 5 more. In the full screen, /resume lists and filters all of them.",
  ]);
});

test("where nothing can be opened, the runs and what waits are lists with the commands to use", async () => {
  const permission: InboxItem = {
    ...({
      type: "permission",
      runId: RUN.id,
      workflow: "ralph",
      permissionId: "permission-3f9a1c",
      askedAt: 0,
    } as const),
    request: { id: "1", sessionId: "s", kind: "shell", toolName: "Bash", title: "rm x", paths: [] },
  };
  const inbox = [{ ...KEEP_API, runId: RUN.id }, permission];
  const runs = new FakeRuns({ runs: [RUN], inbox });
  const { run } = setUp(new FakeChat(), { host: { ...HOST, runs }, hasDialogs: false });
  expect(await run("runs")).toEqual({
    success: true,
    message: "Show one: atomic runs show ID\n- 0vr8z8579gzr  ralph, running, started 1m ago: Repair the cart",
  });
  const id = KEEP_API.type === "question" ? KEEP_API.request.id : "";
  expect(await run("inbox")).toEqual({
    success: true,
    message: [
      "All of a request: atomic runs show RUN",
      "- ralph 0vr8z8579gzr: reviewer: Keep the old API?",
      `  atomic runs answer 0vr8z8579gzr ANSWER --request ${id}`,
      "- ralph 0vr8z8579gzr: an agent wants: rm x",
      "  atomic runs answer 0vr8z8579gzr allow|deny|always --request permission-3f9a1c",
    ].join("\n"),
  });
  Object.assign(runs, { inbox: [], unreadableCount: 1 });
  expect(await run("inbox")).toEqual({
    success: true,
    message: "Nothing waits for you. 1 run cannot be read: see /runs.",
  });
});

test("commands that need a screen or a part of the program that is missing are not in the list, and say why", async () => {
  const { run, registry } = setUp(new FakeChat(), { hasDialogs: false });
  const hidden = registry.all().flatMap(({ name, hidden: isHidden }) => (isHidden === true ? [name] : []));
  expect(hidden).toEqual(["theme", "rewind", "export", "runs", "inbox", "tools", "permissions", "doctor", "init"]);
  expect(await run("theme")).toEqual({
    success: false,
    message: "The plain mode has no theme. For the others: atomic config set ui.theme NAME --user",
  });
  expect(await run("runs")).toEqual({ success: false, message: "/runs is not available here." });
});
