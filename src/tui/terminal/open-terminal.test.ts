import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { FakeProcess } from "../fixtures/fake-process.ts";
import { UNTOUCHED_MODES } from "../fixtures/mode-tracker.ts";
import { HOSTILE_TEXTS } from "./fixtures/hostile-texts.ts";
import { withTerminalProgram } from "./fixtures/with-terminal-program.ts";
import { openTerminal } from "./open-terminal.ts";
import type { TerminalProcess } from "./terminal-process.ts";

setDefaultTimeout(20_000);

describe("openTerminal", () => {
  test("shows hostile texts without their effects", async () => {
    await withTerminalProgram(["full", "hostile"], {}, async (pty) => {
      const screen = await pty.until(/long line/);
      const { title, clipboard, on } = pty.modes();
      expect({ title, clipboard }).toEqual({ title: "a", clipboard: [] });
      expect(on).toContain(1049);
      expect(on).not.toContain(1003);
      expect(
        screen
          .split("\n")
          .slice(1, -1)
          .filter((line) => line !== ""),
      ).toEqual(HOSTILE_TEXTS.map(({ name, shown }) => `[${name}] ${shown}`));
    });
  });

  test.each([
    { options: { env: { TERM: "dumb" } }, reason: "TERM is dumb" },
    { options: { columns: 19 }, reason: "the terminal has 19 columns, fewer than 20" },
  ])("does not open when $reason", async ({ options, reason }) => {
    await withTerminalProgram(["full"], options, async (pty) => {
      expect(await pty.exit()).toBe(2);
      expect(pty.screen().replaceAll("\n", "")).toBe(`unusable: ${reason}`);
      expect(pty.modes()).toEqual(UNTOUCHED_MODES);
    });
  });

  test.each([
    { said: "libopentui.so: cannot open", reason: "it could not be opened: libopentui.so: cannot open" },
    {
      said: "Failed to initialize OpenTUI render library: Cannot find package '@opentui/core-linux-arm64' imported from /x",
      reason: "this installation does not have the library that draws the chat, @opentui/core-linux-arm64",
    },
  ])("reports a native library that cannot be loaded: $said", async ({ said, reason }) => {
    // Nothing else of the streams is read before the renderer is created.
    const fake = new FakeProcess({
      stdin: { isTTY: true } as TerminalProcess["stdin"],
      stdout: { isTTY: true, columns: 80, rows: 24 } as TerminalProcess["stdout"],
      env: { TERM: "xterm" },
    });
    const opened = await openTerminal(fake.asProcess(), {
      mode: "full",
      createRenderer: () => Promise.reject(new Error(said)),
    });
    expect(opened).toEqual({ type: "unusable", reason });
    expect(fake.calls).toEqual([
      ["writeNow", "\u001b[22;0t"],
      ["writeNow", "\u001b[?2027l\u001b[23;0t"],
    ]);
    expect(fake.listenerCount).toBe(0);
  });
});
