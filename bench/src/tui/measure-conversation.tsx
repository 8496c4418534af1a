import { createTestRenderer } from "@opentui/core/testing";
import { createRoot, flushSync } from "@opentui/react";
import { NO_USAGE } from "../../../src/contracts/index.ts";
import type { ChatController } from "../../../src/tui/chat/chat-controller.ts";
import type { ChatEntry } from "../../../src/tui/chat/chat-entry.ts";
import type { ChatState } from "../../../src/tui/chat/chat-state.ts";
import { CommandRegistry } from "../../../src/tui/commands/command-registry.ts";
import { KeyLayers } from "../../../src/tui/keys/key-layers.ts";
import { Keymap } from "../../../src/tui/keys/keymap.ts";
import { UNICODE_GLYPHS } from "../../../src/tui/theme/glyphs.ts";
import { darkTheme } from "../../../src/tui/theme/theme.ts";
import { Conversation } from "../../../src/tui/transcript/conversation.tsx";
import { ThemeContext, UiContext, type UiServices } from "../../../src/tui/ui/ui-context.ts";
import { UiStore } from "../../../src/tui/ui/ui-store.ts";
import { createMessages, createTokens, type SampleMessage } from "./conversation-content.ts";
import { streamTokens } from "./stream-tokens.ts";

/** An answer of more characters is several messages, as those of agents are. */
const MESSAGE_LENGTH = 4_000;

const [messageCount = "1000", tokenCount = "2000", messageLength = String(MESSAGE_LENGTH)] = process.argv.slice(2);

function toEntry({ id, type, text }: SampleMessage): ChatEntry {
  switch (type) {
    case "user":
      return { type, id, at: 0, text, attachments: [], isSteering: false };
    case "text":
      return { type, id, at: 0, text, isStreaming: false };
    case "tool": {
      const call = { toolId: id, toolName: "Bash", kind: "shell", input: { command: text } } as const;
      return { type, id, at: 0, ...call, status: "done", output: "ok\n".repeat(20), endedAt: 1_200 };
    }
  }
}

/** A conversation whose last message is replaced. */
class StreamedChat {
  readonly #history: ChatEntry[];
  #messageCount = 0;
  #text = "";
  #state: ChatState;
  readonly #listeners = new Set<() => void>();

  constructor(history: readonly ChatEntry[]) {
    this.#history = [...history];
    this.#state = this.#stateWith(history);
  }

  stream(added: string): void {
    const maxLength = Number(messageLength);
    this.#text += added;
    while (this.#text.length > maxLength) {
      this.#history.push(this.#messageOf(this.#text.slice(0, maxLength), false));
      this.#text = this.#text.slice(maxLength);
      this.#messageCount++;
    }
    this.#state = this.#stateWith([...this.#history, this.#messageOf(this.#text, true)]);
    for (const listener of this.#listeners) listener();
  }

  asController(): ChatController {
    const controller: Partial<ChatController> = {
      snapshot: () => this.#state,
      subscribe: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
    return controller as ChatController; // the conversation only reads
  }

  #messageOf(text: string, isStreaming: boolean): ChatEntry {
    return { type: "text", id: `answer-${this.#messageCount}`, at: 0, text, isStreaming };
  }

  #stateWith(entries: readonly ChatEntry[]): ChatState {
    const model = { entries, turn: undefined, usage: NO_USAGE, entryCount: entries.length, conversation: 0 };
    const unknown = { sessionId: undefined, title: undefined, modelName: undefined, effort: undefined };
    const idle = {
      capabilities: undefined,
      contextUsage: undefined,
      compactionSummary: undefined,
      queue: [],
      unsent: [],
      sideQuestionCount: 0,
      asks: [],
    };
    return { model, agentType: "scripted", mode: "default", status: "working", ...unknown, ...idle };
  }
}

const chat = new StreamedChat(createMessages(Number(messageCount)).map(toEntry));
const services: UiServices = {
  host: {
    ...{ workingDirectory: "/work/shop", agentType: "scripted", agentTypes: ["scripted"], settings: {} },
    openClient: () => Promise.reject(new Error("The benchmark opens no client.")),
    sessionConfigFor: () => ({}),
  },
  chat: chat.asController(),
  ...{ ui: new UiStore(), commands: new CommandRegistry(), keymap: new Keymap(), layers: new KeyLayers() },
  ...{ glyphs: UNICODE_GLYPHS, now: () => Date.now(), copy: () => undefined, quit: () => undefined },
};
// Written to a terminal that forgets it: by default, all that was ever drawn is kept in memory.
const { renderer, renderOnce } = await createTestRenderer({ width: 120, height: 40, bufferedOutput: "stdout" });
const root = createRoot(renderer);
flushSync(() =>
  root.render(
    <UiContext.Provider value={services}>
      <ThemeContext.Provider value={darkTheme}>
        <Conversation />
      </ThemeContext.Provider>
    </UiContext.Provider>,
  ),
);
await renderOnce();
const firstFrameMs = performance.now();
const measured = await streamTokens(createTokens(Number(tokenCount)), async (added) => {
  flushSync(() => chat.stream(added));
  await renderOnce();
});
process.stdout.write(JSON.stringify({ firstFrameMs, ...measured }));
renderer.destroy();
process.exit(0);
