import { expect, test } from "bun:test";
import type { CommandDefinition, CommandResult } from "../commands/command.ts";
import { CommandRegistry } from "../commands/command-registry.ts";
import { HostCommands } from "../commands/host-commands.ts";
import { FakeChat } from "../fixtures/fake-chat.ts";
import type { ChatHost } from "../host/chat-host.ts";
import { darkTheme } from "../theme/theme.ts";
import { UiStore } from "../ui/ui-store.ts";
import { CommandRunner, type CommandRunnerOptions } from "./command-runner.ts";

function setUp({
  host = {},
  chat = new FakeChat(),
  ...loading
}: {
  readonly host?: Partial<ChatHost>;
  readonly chat?: FakeChat;
} & Pick<CommandRunnerOptions, "loading" | "loadTimeoutMs"> = {}) {
  const registry = new CommandRegistry();
  const ui = new UiStore();
  const events: string[] = [];
  const whole: ChatHost = {
    workingDirectory: "/work/shop",
    agentType: "scripted",
    agentTypes: ["scripted"],
    openClient: () => Promise.reject(new Error("This test opens no client.")),
    sessionConfigFor: () => ({}),
    settings: { themes: [{ ...darkTheme, name: "ocean" }] },
    saveSetting(name, value) {
      events.push(`${name}=${value}`);
      return Promise.resolve();
    },
    ...host,
  };
  const services = {
    host: whole,
    chat: chat.asController(),
    registry,
    ui,
    quit: () => events.push("quit"),
    ...loading,
  };
  const runner = new CommandRunner(services);
  const add = (name: string, execute: CommandDefinition["execute"]): void =>
    registry.register({ name, description: name, category: "builtin", execute });
  return { ...services, runner, events, calls: chat.calls, add, fake: chat };
}

test("a message is sent, with what is attached", async () => {
  const { runner, calls } = setUp();
  const attachment = { label: "@a.ts", part: { type: "file", path: "/work/shop/a.ts" } } as const;
  await runner.submit("look at @a.ts", [attachment]);
  await runner.submit("/usr/bin/env is a path");
  expect(calls).toEqual([
    ["send", "look at @a.ts", [attachment]],
    ["send", "/usr/bin/env is a path", []],
  ]);
});

test("! says in a line that it has no terminal, in place of a program that needs one", async () => {
  const { runner, calls } = setUp();
  await runner.submit("!vim a.ts");
  expect(calls).toEqual([
    [
      "notice",
      'vim needs a terminal, and a command after "!" has none. Run it in another terminal.',
      { tone: "warning" },
    ],
  ]);
});

test("! runs a command of the user", async () => {
  const { runner, calls } = setUp();
  await runner.submit("! ls -la ");
  expect(calls).toEqual([["runShell", "ls -la"]]);
});

test("a command receives its arguments, with pasted text in its place", async () => {
  const { runner, add } = setUp();
  const seen: string[] = [];
  add("note", (args) => {
    seen.push(args);
    return { success: true };
  });
  await runner.submit("/note");
  await runner.submit("/NOTE  two\nlines");
  await runner.submit("/note see [pasted]", [{ label: "[pasted]", part: { type: "text", text: "$& all" } }]);
  expect(seen).toEqual(["", "two\nlines", "see $& all"]);
});

test("an unknown command is named, with the nearest one", async () => {
  const { runner, add, calls } = setUp();
  add("model", () => ({ success: true }));
  await runner.submit("/modle");
  await runner.submit("/zzzzzz");
  expect(calls).toEqual([
    ["notice", "There is no command /modle. Did you mean /model? All commands: /help", { tone: "error" }],
    ["notice", "There is no command /zzzzzz. All commands: /help", { tone: "error" }],
  ]);
});

test("a command that is typed before the program's commands are loaded waits for them", async () => {
  const loading = Promise.withResolvers<void>();
  const { runner, add, calls } = setUp({ loading: { isLoading: () => true, loaded: () => loading.promise } });
  const done = runner.submit("/ralph fix");
  add("ralph", (args) => ({ success: true, message: args }));
  loading.resolve();
  await done;
  expect(calls.filter(([name]) => name === "notice")).toEqual([["notice", "fix", { tone: "info" }]]);
});

test("the start of a name that is submitted while commands load is completed after that", async () => {
  const loading = Promise.withResolvers<void>();
  const { runner, add, calls } = setUp({ loading: { isLoading: () => true, loaded: () => loading.promise } });
  add("permissions", () => ({ success: true, message: "the rules" }));
  const done = runner.submit("/perm");
  const other = runner.submit("/permi");
  add("perm", () => ({ success: true, message: "my own" }));
  loading.resolve();
  await Promise.all([done, other]);
  expect(calls.filter(([name]) => name === "notice").map(([, text]) => text)).toEqual(["my own", "the rules"]);
});

test("an unknown command does not wait for ever for the program's commands", async () => {
  const { runner, calls } = setUp({
    loading: { isLoading: () => true, loaded: () => new Promise(() => undefined) },
    loadTimeoutMs: 1,
  });
  await runner.submit("/zzzzzz");
  expect(calls).toEqual([["notice", "There is no command /zzzzzz. All commands: /help", { tone: "error" }]]);
});

test("a command that throws is a notice", async () => {
  const { runner, add, calls } = setUp();
  add("bad", () => {
    throw new Error("It broke.");
  });
  await runner.submit("/bad");
  expect(calls.at(-1)).toEqual(["notice", "It broke.", { tone: "error" }]);
});

test("what a command came to changes the UI", async () => {
  const { runner, add, ui, events, calls } = setUp();
  const results: CommandResult[] = [
    { success: false, message: "No." },
    { success: true, showModelSelector: true },
    { success: true, showMcpOverlay: true },
    { success: true, themeChange: "toggle" },
    { success: true, themeName: "ocean" },
    { success: true, themeName: "sea" },
    { success: true, clearMessages: true },
    { success: true, shouldExit: true },
  ];
  add("next", () => results.shift() ?? { success: true });
  const seen: unknown[] = [];
  while (results.length > 0) {
    await runner.submit("/next");
    const { dialog, themeName } = ui.snapshot();
    seen.push([dialog?.type, themeName]);
  }
  expect(seen).toEqual([
    [undefined, "auto"],
    ["model", "auto"],
    ["mcp", "auto"],
    ["mcp", "light"],
    ["mcp", "ocean"],
    ["mcp", "ocean"],
    ["mcp", "ocean"],
    ["mcp", "ocean"],
  ]);
  expect(events).toEqual(["ui.theme=light", "ui.theme=ocean", "quit"]);
  expect(calls.filter(([name]) => name === "notice" || name === "clear")).toEqual([
    ["notice", "No.", { tone: "error" }],
    ["notice", 'There is no theme "sea". Themes: auto, dark, light, ocean.', { tone: "error" }],
    ["clear"],
  ]);
});

test("leaving during a turn needs a confirmation", async () => {
  const { runner, add, ui, events } = setUp({ chat: new FakeChat({ status: "working" }) });
  add("exit", () => ({ success: true, shouldExit: true }));
  await runner.submit("/exit");
  expect([ui.snapshot().dialog, events]).toEqual([{ type: "confirm-quit" }, []]);
});

test("a command can wait for what the user types next, which is not sent", async () => {
  const { runner, add, calls } = setUp();
  const answers: string[] = [];
  add("survey", async (_args, context) => {
    answers.push(await context.waitForUserInput());
    return { success: true };
  });
  const running = runner.submit("/survey");
  await runner.submit("blue");
  await running;
  expect(answers).toEqual(["blue"]);
  expect(calls.filter(([name]) => name === "send")).toEqual([]);
});

test("commands keep their state on a board, and foreign tasks cannot replace known ones", async () => {
  const { runner, add } = setUp();
  const counts: number[] = [];
  runner.subscribe(() => counts.push(runner.board().todoItems.length));
  add("work", (_args, context) => {
    context.updateWorkflowState({ workflowActive: true, iteration: 2 });
    context.setRalphTaskIds(new Set(["1"]));
    context.setTodoItems([
      { id: "1", content: "Known", status: "pending" },
      { id: "9", content: "Foreign", status: "pending" },
    ]);
    return { success: true, stateUpdate: { currentNode: "plan" } };
  });
  await runner.submit("/work");
  const { state, todoItems } = runner.board();
  expect(state).toEqual({ workflowActive: true, iteration: 2, currentNode: "plan" });
  expect(todoItems.map(({ content }) => content)).toEqual(["Known"]);
  expect(counts).toEqual([0, 0, 1, 1]);
});

test("commands of the program check their argument, send a text, or start a run", async () => {
  const shownRuns: string[] = [];
  const { runner, registry, host, chat, add, calls } = setUp({
    host: {
      loadCommands: () =>
        Promise.resolve([
          {
            ...{ name: "ralph", description: "Plans and works", category: "workflow", aliases: ["loop"] },
            ...{ argumentHint: "<prompt> [--verify <command>]", requiredArgument: "prompt" },
            start: {
              type: "run",
              check: (args) => (args === "--help" ? "How it is called" : undefined),
              start: (args, agent) => Promise.resolve(`run-${args}-${agent}`),
            },
          },
          {
            ...{ name: "commit", description: "Commits", category: "skill" },
            start: { type: "message", write: (args) => Promise.resolve(`Commit now. ${args}`) },
          },
          {
            ...{ name: "help", description: "A skill with a taken name", category: "skill" },
            start: { type: "message", write: () => Promise.resolve("helped") },
          },
        ]),
    },
  });
  add("help", () => ({ success: true }));
  const commands = new HostCommands(registry, {
    ...{ chat, host, followRun: (id) => shownRuns.push(id) },
    signal: new AbortController().signal,
  });
  await commands.load();
  await runner.submit("/loop");
  await runner.submit("/ralph --help");
  await runner.submit("/ralph fix");
  await runner.submit("/commit all");
  await runner.submit("/help-skill");
  expect(shownRuns).toEqual(["run-fix-scripted"]);
  expect(calls.filter(([name]) => name === "notice" || name === "send")).toEqual([
    ["notice", "/ralph needs a prompt: /ralph <prompt> [--verify <command>]", { tone: "error" }],
    ["notice", "How it is called", { tone: "info" }],
    ["notice", "Starting ralph …"],
    ["notice", "Started /ralph as the run run-fix-scripted. It continues without the chat: /runs", { tone: "info" }],
    ["send", "/commit all", [{ label: "/commit all", part: { type: "text", text: "Commit now. all" } }]],
    ["send", "/help-skill", [{ label: "/help-skill", part: { type: "text", text: "helped" } }]],
  ]);
});
