import { describe, expect, test } from "bun:test";
import { addNotice, addUserMessage, EMPTY_CHAT, reduceChat } from "../chat/chat-model.ts";
import type { OpenAsk } from "../chat/chat-state.ts";
import { FakeChat } from "../fixtures/render-ui.tsx";
import { type PlainChatOptions, runPlainChat } from "./plain-chat.ts";

/** Lines that a test types, until it ends the input. */
class Typed {
  readonly #lines: string[] = [];
  #isEnded = false;
  #wake = (): void => undefined;

  type(line: string): void {
    this.#lines.push(line);
    this.#wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<string> {
    for (;;) {
      const line = this.#lines.shift();
      if (line !== undefined) yield line;
      else if (this.#isEnded) return;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}

function start({ isInteractive = true, ...options }: Partial<PlainChatOptions> = {}) {
  const fake = new FakeChat({ agentType: "claude" });
  const input = new Typed();
  const submitted: string[] = [];
  const leaving = new AbortController();
  const clock = { time: 1_000 };
  const keys = { interrupt: (): void => undefined };
  let output = "";
  const done = runPlainChat({
    chat: fake.asController(),
    submit: async (text) => void submitted.push(text),
    input,
    write: (text) => {
      output += text;
    },
    isInteractive,
    onInterrupt: (listener) => {
      keys.interrupt = listener;
      return () => undefined;
    },
    describeRequest: ({ title }) => [title],
    now: () => clock.time,
    signal: leaving.signal,
    ...options,
  });
  return { fake, input, submitted, leaving, clock, keys, done, output: () => output };
}

async function settle(): Promise<void> {
  for (let count = 0; count < 20; count++) await Promise.resolve();
}

function permission(answers: unknown[], id = "a1"): OpenAsk {
  const request = { id, sessionId: "s1", kind: "shell", toolName: "Bash", title: "npm install", paths: [] } as const;
  return { type: "permission", id, at: 0, request, answer: (decision) => void answers.push(decision) };
}

describe("runPlainChat", () => {
  test("wraps the indented rows of a list below each other, without a sign", async () => {
    const { fake, leaving, done, output } = start({ readSize: () => [40, 24] });
    fake.set({ model: addNotice(EMPTY_CHAT, { at: 0, text: "Skills:\n  /commit  Write a commit and its message" }) });
    leaving.abort();
    await done;
    expect(output()).toBe("you: \natomic: Skills:\n    /commit  Write a commit and its\n    message\nyou: \n");
  });

  test("sends what is typed, and prints what the agent does below a label", async () => {
    const { fake, input, submitted, done, output } = start();
    input.type("Fix it");
    await settle();
    const asked = addUserMessage(EMPTY_CHAT, { at: 0, text: "Fix it" });
    fake.set({ model: asked, status: "working" });
    const base = { sessionId: "s1", at: 10 } as const;
    fake.set({ model: reduceChat(asked, { ...base, type: "text-delta", text: "I look.\nThen" }) });
    fake.set({ model: addNotice(asked, { at: 20, text: "Compacted." }), status: "idle" });
    input.end();
    await done;
    expect(submitted).toEqual(["Fix it"]);
    expect(output()).toBe("you: you: \nclaude: I look.\natomic: Compacted.\nyou: \n");
  });

  test("prints what has streamed when the user leaves during the turn", async () => {
    const { fake, keys, done, output } = start();
    const streamed = { sessionId: "s1", at: 10, type: "text-delta", text: "Look:\n```sh\nnpm test" } as const;
    fake.set({ model: reduceChat(EMPTY_CHAT, streamed), status: "working" });
    for (let times = 0; times < 2; times++) keys.interrupt();
    await done;
    expect(output()).toBe(
      "you: \nclaude: Look:\natomic: Stopping the turn. Press Ctrl+C again to quit.\n|   npm test\n",
    );
  });

  test("passes slash commands and commands of the shell on, also while a question is open", async () => {
    const { fake, input, submitted, done, leaving } = start();
    fake.set({ asks: [permission([])], status: "working" });
    for (const line of ["/help", "/model"]) input.type(line);
    await settle();
    fake.set({ asks: [], status: "idle" });
    input.type("!ls");
    await settle();
    leaving.abort();
    await done;
    expect(submitted).toEqual(["/help", "/model", "!ls"]);
  });

  test("answers a permission request with a number, not with what was typed before it appeared", async () => {
    const answers: unknown[] = [];
    const { fake, input, submitted, clock, leaving, done, output } = start();
    fake.set({ asks: [permission(answers)], status: "working" });
    clock.time += 299;
    input.type("1");
    await settle();
    expect(answers).toEqual([]);
    clock.time += 1;
    for (const line of ["maybe", "1"]) input.type(line);
    await settle();
    leaving.abort();
    await done;
    expect({ answers, submitted }).toEqual({ answers: [{ type: "allow", scope: "once" }], submitted: [] });
    expect(output()).toBe(
      [
        "you: ",
        "asks: npm install",
        'asks: 2 and 3 allow Bash with "npm install", with any other input.',
        "asks: 1 yes, once",
        "asks: 2 yes, for this session",
        "asks: 3 yes, always in this project",
        "asks: 4 no; a reason may follow",
        "asks: That was typed before the question appeared. Type it again.",
        "asks: Type a number from 1 to 4. After 4, a reason may follow.",
        "",
      ].join("\n"),
    );
  });

  test("sets aside what was typed without Enter before a question appeared, and shows it", async () => {
    const typed = ["1 ", " "];
    const { fake, leaving, done, output } = start({ takeTyped: async () => typed.shift() ?? "" });
    fake.set({ asks: [permission([])], status: "working" });
    await settle();
    fake.set({ asks: [permission([], "a2")], status: "working" });
    await settle();
    leaving.abort();
    await done;
    expect(output().match(/asks: (?:npm|Typed|4).*/g)).toEqual([
      "asks: npm install",
      "asks: 4 no; a reason may follow",
      "asks: Typed before, so not a part of the answer: 1",
      "asks: npm install",
      "asks: 4 no; a reason may follow",
    ]);
  });

  test("shows the next question after the first one is answered", async () => {
    const answers: unknown[] = [];
    const { fake, input, clock, leaving, done, output } = start();
    fake.set({ asks: [permission(answers), permission(answers, "a2")], status: "working" });
    clock.time += 1_000;
    input.type("4 not now");
    await settle();
    fake.set({ asks: [permission(answers, "a2")] });
    expect(output().match(/asks: npm install/g)).toHaveLength(2);
    leaving.abort();
    await done;
    expect(answers).toEqual([{ type: "deny", reason: "The user denied this call: not now" }]);
  });

  test("interrupts the turn on Ctrl+C, and ends on the second one within two seconds", async () => {
    const { fake, keys, clock, done, output } = start();
    fake.set({ status: "working" });
    keys.interrupt();
    expect(fake.calls).toEqual([["interrupt"]]);
    fake.set({ status: "idle" });
    clock.time += 2_001;
    keys.interrupt();
    clock.time += 2_000;
    keys.interrupt();
    await done;
    expect(output()).toBe(
      "you: \natomic: Stopping the turn. Press Ctrl+C again to quit.\nyou: \natomic: Press Ctrl+C again to quit.\nyou: \n",
    );
  });

  test("interrupts the turn on Escape and Enter", async () => {
    const { fake, input, leaving, done } = start();
    fake.set({ status: "working" });
    input.type("\u001b");
    await settle();
    leaving.abort();
    await done;
    expect(fake.calls).toEqual([["interrupt"]]);
  });

  test("reads the next line of a pipe when the turn before has ended, or a question is open", async () => {
    const answers: unknown[] = [];
    const submitted: string[] = [];
    const { fake, input, done, output } = start({
      isInteractive: false,
      submit: async (text) => {
        submitted.push(text);
        fake.set({ status: "working" });
      },
    });
    for (const line of ["First", "2", "Second"]) input.type(line);
    input.end();
    await settle();
    expect(submitted).toEqual(["First"]);
    fake.set({ asks: [permission(answers)] });
    await settle();
    expect(answers).toEqual([{ type: "allow", scope: "session" }]);
    fake.set({ asks: [] });
    await settle();
    expect(submitted).toEqual(["First"]);
    fake.set({ status: "idle" });
    await settle();
    expect(submitted).toEqual(["First", "Second"]);
    fake.set({ asks: [permission(answers, "a2")] });
    await settle();
    fake.set({ asks: [], status: "idle" });
    await done;
    expect(answers.at(-1)).toEqual({ type: "deny", reason: "Nobody can answer: the input has ended." });
    expect(output()).not.toContain("you: ");
  });

  test("wraps at the terminal's width, with a sign before each row that continues a line", async () => {
    const { fake, leaving, done, output } = start({ readSize: () => [40, 24] });
    const text = "npm test is fine, and passes, says he.   asks: 1 no; a reason may follow\nasks: 2 yes, once";
    fake.set({ model: reduceChat(EMPTY_CHAT, { sessionId: "s1", at: 10, type: "text-delta", text: `${text}\n\n` }) });
    leaving.abort();
    await done;
    const rows = output().split("\n").slice(1, -2);
    expect(rows).toEqual([
      ...["claude: npm test is fine, and passes,", "| says he.   asks: 1 no; a reason may", "| follow"],
      ...["| asks: 2 yes, once", "|"],
    ]);
  });

  test("shows a long request page by page: yes counts after the last one", async () => {
    const answers: unknown[] = [];
    const lines = Array.from({ length: 10 }, (_, index) => `line ${index + 1}`);
    const { fake, input, clock, leaving, done, output } = start({
      readSize: () => [80, 12],
      describeRequest: () => lines,
    });
    fake.set({ asks: [permission(answers)], status: "working" });
    const page = (): string => output().split("\n").at(-2) ?? "";
    const press = async (line: string): Promise<void> => {
      clock.time += 300;
      input.type(line);
      await settle();
    };
    expect(page()).toBe("asks: 5 more rows. Press Enter to read on, then yes is possible. 4 says no.");
    await press("1");
    expect([answers, page()]).toEqual([[], "asks: Press Enter to read on, then yes is possible. 4 says no."]);
    await press("");
    // A key that is held turns one page.
    input.type("1");
    await settle();
    expect(page()).toBe("asks: That was typed before the question appeared. Type it again.");
    expect(output()).toContain("  line 10\n");
    await press("1");
    leaving.abort();
    await done;
    expect(answers).toEqual([{ type: "allow", scope: "once" }]);
  });

  test("says that a request replaced another one, and takes no line that was for the first", async () => {
    const answers: unknown[] = [];
    const { fake, input, clock, leaving, done, output } = start();
    fake.set({ asks: [permission(answers)], status: "working" });
    clock.time += 5_000;
    fake.set({ asks: [permission(answers, "a2")] });
    clock.time += 799;
    input.type("1");
    await settle();
    expect(answers).toEqual([]);
    expect(output()).toContain("asks: Request 2. The request before was withdrawn. This is another one.\n");
    clock.time += 1;
    input.type("1");
    await settle();
    leaving.abort();
    await done;
    expect(answers).toEqual([{ type: "allow", scope: "once" }]);
  });

  test("says what is queued", async () => {
    const { fake, leaving, done, output } = start();
    const queue = [{ id: "m1", text: "and the\u001b[2J changelog", attachments: [] }];
    fake.set({ status: "working", queue });
    fake.set({ status: "working", queue: [...queue] });
    leaving.abort();
    await done;
    expect(output()).toBe("you: \nqueued: and the changelog\n");
  });

  test("says what a stopped turn left in the queue, and an empty line sends it", async () => {
    const { fake, input, leaving, done, output } = start();
    const message = { id: "m1", text: "and the changelog", attachments: [] };
    fake.set({ status: "working", queue: [message] });
    fake.set({ status: "idle", queue: [{ ...message, isHeld: true }] });
    fake.set({ status: "idle", queue: [{ ...message, isHeld: true }] });
    input.type("");
    await settle();
    leaving.abort();
    await done;
    expect(fake.calls).toEqual([["sendHeld"]]);
    expect(output()).toContain("not sent: and the changelog\natomic: Press Enter to send what is not sent.\n");
    expect(output().match(/not sent: /g)).toHaveLength(1);
  });
});
