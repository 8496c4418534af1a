import { expect, test } from "bun:test";
import { addUserMessage, EMPTY_CHAT } from "../chat/chat-model.ts";
import { CommandRegistry } from "../commands/command-registry.ts";
import { FakeChat, type RenderUiOptions, renderUi } from "../fixtures/render-ui.tsx";
import { useScreen } from "../ui/ui-context.ts";
import { type Dialog, UiStore } from "../ui/ui-store.ts";
import { DialogView } from "./dialog-view.tsx";

/** The dialog while it is open, as the app shows it. */
function Shown({ onDraft }: { readonly onDraft: (text: string) => void }) {
  const { dialog, themeName } = useScreen();
  return dialog === undefined ? (
    <text>{`closed, ${themeName}`}</text>
  ) : (
    <DialogView dialog={dialog} onDraft={onDraft} />
  );
}

async function open(dialog: Dialog, options: RenderUiOptions = {}) {
  const { chat = new FakeChat({ agentType: "claude" }) } = options;
  const ui = options.ui ?? new UiStore();
  ui.open(dialog);
  const drafts: string[] = [];
  const rendered = await renderUi(<Shown onDraft={(text) => drafts.push(text)} />, { ...options, chat, ui });
  await rendered.until((screen) => !screen.includes("Loading"));
  const press = async (key: "enter" | "escape" | "up" | "down"): Promise<void> => {
    await rendered.act(() => {
      if (key === "enter") rendered.mockInput.pressEnter();
      else if (key === "escape") rendered.mockInput.pressEscape();
      else rendered.mockInput.pressArrow(key);
    });
    await rendered.draw();
  };
  const lines = async (): Promise<readonly string[]> => (await rendered.draw()).split("\n");
  return { ...rendered, ui, chat, drafts, press, lines };
}

const CONVERSATION = ["Find the bug.", "Add a test\nfor 0"].reduce(
  (model, text, index) => addUserMessage(model, { at: 400_000 * (index + 1), text }),
  EMPTY_CHAT,
);

test("a model is chosen, then its effort; the current ones are marked", async () => {
  const listModels = Promise.resolve([
    { model: "opus", displayName: "Opus 4.5", contextWindowTokens: 200_000, reasoningEfforts: ["low", "high"] },
    { model: "sonnet", displayName: "Sonnet 4.5" },
  ]);
  const state = { agentType: "claude", modelName: "opus", effort: "high" } as const;
  const view = await open(
    { type: "model" },
    { chat: new FakeChat(state, { listModels, setModel: Promise.resolve() }) },
  );
  expect((await view.lines()).slice(0, 4)).toEqual([
    " ╭─ Model of claude ──────────────────────────────────────────────────────────╮",
    " │ Type to filter                                                             │",
    " │ › Opus 4.5    opus                                                  200k ✓ │",
    " │   Sonnet 4.5  sonnet                                                       │",
  ]);
  await view.press("enter");
  expect((await view.lines()).slice(0, 5)).toEqual([
    " ╭─ Reasoning effort of Opus 4.5 ─────────────────────────────────────────────╮",
    " │ Type to filter                                                             │",
    " │   default  the agent's own choice                                          │",
    " │   low                                                                      │",
    " │ › high                                                                   ✓ │",
  ]);
  await view.press("up");
  await view.press("enter");
  expect(view.chat.calls).toEqual([["listModels"], ["setModel", "opus", "low"]]);
  expect(await view.lines()).toEqual(["closed, auto"]);
  view.close();
});

test("an agent that cannot list its models says why", async () => {
  const listModels = Promise.reject(new Error("Sign in first:\u001b[2J run claude /login"));
  const view = await open({ type: "model" }, { chat: new FakeChat({ agentType: "claude" }, { listModels }) });
  expect((await view.lines())[1]).toBe(
    " │ Sign in first: run claude /login                                           │",
  );
  await view.press("escape");
  await view.until(/closed/);
  view.close();
});

test("a setting that fails becomes a line of the conversation", async () => {
  const setAgent = Promise.reject(new Error("opencode is not installed."));
  // It is rejected before the dialog waits for it.
  setAgent.catch(() => undefined);
  const view = await open(
    { type: "agent" },
    { chat: new FakeChat({ agentType: "claude" }, { setAgent }), host: { agentTypes: ["claude", "opencode"] } },
  );
  await view.press("down");
  await view.press("enter");
  await view.until(/closed/);
  expect(view.chat.calls).toEqual([
    ["setAgent", "opencode"],
    ["notice", "opencode is not installed.", { tone: "error" }],
  ]);
  view.close();
});

test("themes are shown while the pointer moves, and escape restores the former one", async () => {
  const view = await open({ type: "theme" }, { ui: new UiStore("dark") });
  await view.press("down");
  expect(view.ui.snapshot().themeName).toBe("light");
  await view.press("escape");
  await view.until(/closed/);
  expect(await view.lines()).toEqual(["closed, dark"]);
  view.close();
});

test("a chosen theme is kept and stored", async () => {
  const saved: string[] = [];
  const saveSetting = async (name: string, value: string): Promise<void> => void saved.push(`${name}=${value}`);
  const view = await open({ type: "theme" }, { ui: new UiStore("auto"), host: { saveSetting } });
  await view.press("down");
  await view.press("enter");
  expect(await view.lines()).toEqual(["closed, dark"]);
  expect(saved).toEqual(["ui.theme=dark"]);
  view.close();
});

test("conversations are listed the newest first; enter resumes, Ctrl+F forks, Ctrl+R renames the current one", async () => {
  const sessions = [
    { id: "a", title: "Repair the cart", updatedAt: 400_000 },
    { id: "b", title: "…", name: "Prices", updatedAt: 880_000 },
  ];
  const chat = () =>
    new FakeChat(
      { agentType: "claude", sessionId: "b", title: "Prices" },
      {
        ...{ listSessions: Promise.resolve(sessions), resume: Promise.resolve(), fork: Promise.resolve() },
        rename: Promise.resolve(),
      },
    );
  const resumed = await open({ type: "sessions" }, { chat: chat() });
  expect((await resumed.lines()).slice(2)).toEqual([
    " │ › Prices                                                              2m ✓ │",
    " │   Repair the cart                                                    10m   │",
    " ╰─────────────────── ctrl+r rename · ctrl+f fork · enter choose · esc leave ─╯",
  ]);
  await resumed.press("down");
  await resumed.press("enter");
  expect(resumed.chat.calls).toEqual([["listSessions"], ["resume", "a"]]);
  resumed.close();

  const forked = await open({ type: "sessions" }, { chat: chat() });
  await forked.press("down");
  await forked.act(() => forked.mockInput.pressKey("f", { ctrl: true }));
  expect(forked.chat.calls).toEqual([["listSessions"], ["resume", "a"], ["fork"]]);
  forked.close();

  const renamed = await open({ type: "sessions" }, { chat: chat() });
  await renamed.act(() => renamed.mockInput.pressKey("r", { ctrl: true }));
  await renamed.draw();
  await renamed.type(" of two");
  expect((await renamed.lines()).slice(0, 2)).toEqual([
    " ╭─ Name of this conversation ────────────────────────────────────────────────╮",
    " │ Prices of two                                                              │",
  ]);
  await renamed.press("enter");
  expect(renamed.chat.calls).toEqual([["listSessions"], ["rename", "Prices of two"]]);
  renamed.close();
});

test("rewinding puts the message into the input", async () => {
  const chat = new FakeChat({ agentType: "claude", model: CONVERSATION }, { rewind: Promise.resolve("Find the bug.") });
  const view = await open({ type: "rewind" }, { chat });
  expect((await view.lines()).slice(2, 5)).toEqual([
    " │ › Add a test for 0                                                      3m │",
    " │   Find the bug.                                                        10m │",
    " │   Files stay as they are now.                                              │",
  ]);
  await view.press("down");
  await view.press("enter");
  await view.until(() => view.drafts.length > 0);
  expect([view.drafts, view.chat.calls]).toEqual([["Find the bug."], [["rewind", "e1"]]]);
  view.close();
});

test("MCP servers have a sign, a word and the reason", async () => {
  const mcpStatus = Promise.resolve([
    { name: "github", status: "connected" },
    { name: "db", status: "failed", detail: "spawn psql-mcp ENOENT\u001b[2J" },
    { name: "linear", status: "needs-sign-in" },
  ]);
  const view = await open({ type: "mcp" }, { chat: new FakeChat({ agentType: "claude" }, { mcpStatus }), width: 50 });
  expect(await view.lines()).toEqual([
    " ╭─ MCP servers ────────────────────────────────╮",
    " │ ✓ github  connected                          │",
    " │ ✗ db      failed: spawn psql-mcp ENOENT      │",
    " │ ? linear  needs sign-in                      │",
    " │                                              │",
    " │ To add, enable or disable a server, change   │",
    " │ Atomic's configuration or that of claude,    │",
    " │ and restart.                                 │",
    " ╰────────────────────────────────── esc close ─╯",
  ]);
  view.close();
});

test.each([
  { width: 100, height: 30 },
  { width: 60, height: 20 },
  { width: 40, height: 12 },
])("at $width x $height, lists of agents and servers that are cut say how long they are", async (size) => {
  const agentTypes = Array.from({ length: 30 }, (_, index) => `agent-${index}`);
  const agents = await open({ type: "agent" }, { ...size, host: { agentTypes } });
  expect((await agents.lines()).join("\n")).toMatch(/ 1 of 30 /);
  agents.close();
  const mcpStatus = Promise.resolve(agentTypes.map((name) => ({ name, status: "connected" })));
  const servers = await open({ type: "mcp" }, { ...size, chat: new FakeChat({ agentType: "claude" }, { mcpStatus }) });
  expect((await servers.lines()).join("\n")).toMatch(/ \d+ of 3\d /);
  servers.close();
});

test("the context is a bar with its parts", async () => {
  const contextUsage = { usedTokens: 76_000, maxTokens: 200_000, fraction: 0.38 };
  const session = { getSystemToolsTokens: () => Promise.resolve(18_000) };
  const view = await open({ type: "context" }, { chat: new FakeChat({ contextUsage }, { session }), width: 46 });
  await view.until(/system/);
  expect(await view.lines()).toEqual([
    " ╭─ Context: 76.0k of 200.0k, 38% ──────────╮",
    " │ ▒▒▒▒███████████░░░░░░░░░░░░░░░░░░░░░░░░░ │",
    " │                                          │",
    " │ ▒ system and tools   18.0k    9%         │",
    " │ █ messages           58.0k   29%         │",
    " │ ░ free              124.0k   62%         │",
    " ╰────────────────────────────── esc close ─╯",
  ]);
  view.close();
});

test.each([
  {
    title: "no report",
    contextUsage: undefined,
    expected: "The agent has not reported its context yet. It does so after a turn.",
  },
  {
    title: "an unknown size",
    contextUsage: { usedTokens: 1_500, maxTokens: 0, fraction: 0 },
    expected: "1.5k tokens used. The agent does not report the size of its context.",
  },
])("the context with $title says so", async ({ contextUsage, expected }) => {
  const view = await open({ type: "context" }, { chat: new FakeChat({ contextUsage }) });
  expect((await view.lines())[1]).toBe(` │ ${expected.padEnd(75)}│`);
  view.close();
});

test("the help scrolls through keys and commands", async () => {
  const commands = new CommandRegistry();
  commands.register({
    ...{ name: "ralph", description: "Plan, work and verify", category: "workflow", argumentHint: "<prompt>" },
    execute: () => ({ success: true }),
  });
  const view = await open({ type: "help" }, { commands, height: 14 });
  expect((await view.lines()).slice(0, 9)).toEqual([
    " ╭─ Help ─────────────────────────────────────────────────────────────────────╮",
    " │ Writing                                                                    │",
    " │   enter                           send the message                         │",
    " │   shift+enter, alt+enter, ctrl+j  start a new line                         │",
    " │   ctrl+s                          send to the agent during its turn        │",
    " │   tab                             complete, or go to the next pane         │",
    " │   ctrl+r                          search the messages you sent before      │",
    " │   alt+up                          edit the last queued message             │",
    " ╰──────────────────────────────────── 7 of 36 · pagedown scroll · esc close ─╯",
  ]);
  view.close();
});

test("in the help, a long description is wrapped in its own column", async () => {
  const commands = new CommandRegistry();
  commands.register({
    ...{ name: "ralph", category: "workflow", argumentHint: "<prompt>", aliases: ["loop"] },
    description: "Plan the work, do it with several workers, review and verify what they did",
    execute: () => ({ success: true }),
  });
  const view = await open({ type: "help", first: "commands" }, { commands, height: 14 });
  expect((await view.lines()).slice(0, 7)).toEqual([
    " ╭─ Help ─────────────────────────────────────────────────────────────────────╮",
    " │ Workflows                                                                  │",
    " │   /ralph <prompt>                 Plan the work, do it with several        │",
    " │                                   workers, review and verify what they did │",
    " │                                   (also /loop)                             │",
    " │                                                                            │",
    " │ Writing                                                                    │",
  ]);
  view.close();
});

test("quitting says what ends, and only y quits", async () => {
  const quits: string[] = [];
  const queue = ["later", "then", "the tests", "last"].map((text) => ({ id: text, text, attachments: [] }));
  const view = await open(
    { type: "confirm-quit" },
    {
      chat: new FakeChat({ agentType: "claude", model: CONVERSATION, queue }),
      services: { quit: () => quits.push("quit") },
    },
  );
  expect((await view.lines()).slice(0, 8)).toEqual([
    " ╭─ Quit? ────────────────────────────────────────────────────────────────────╮",
    " │ claude works: waiting for the model, 3m 20s. Its turn is stopped.          │",
    " │ 4 queued messages will not be sent:                                        │",
    ' │   "later"                                                                  │',
    ' │   "then"                                                                   │',
    ' │   "the tests"                                                              │',
    " │   and 1 more                                                               │",
    " │ The conversation is stored, and runs in the background continue.           │",
  ]);
  await view.type("x");
  expect(quits).toEqual([]);
  await view.type("y");
  expect(quits).toEqual(["quit"]);
  await view.type("n");
  expect(await view.lines()).toEqual(["closed, auto"]);
  view.close();
});
