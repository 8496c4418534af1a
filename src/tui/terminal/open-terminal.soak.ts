import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { UNTOUCHED_MODES } from "../fixtures/mode-tracker.ts";
import { PtyScreen } from "../fixtures/pty-screen.ts";
import { TERMINAL_PROGRAM, withTerminalProgram } from "./fixtures/with-terminal-program.ts";

setDefaultTimeout(20_000);

const WAYS = [
  { way: "closing it", end: (pty: PtyScreen) => pty.type("q"), exitCode: 0, lines: ["closed"] },
  {
    way: "an exception",
    end: (pty: PtyScreen) => pty.type("e"),
    exitCode: 1,
    lines: ["atomic: The chat ended because of an error: thrown on purpose", "agents ended"],
  },
  {
    way: "an unhandled rejection",
    end: (pty: PtyScreen) => pty.type("r"),
    exitCode: 1,
    lines: ["atomic: The chat ended because of an error: rejected on purpose", "agents ended"],
  },
  { way: "process.exit()", end: (pty: PtyScreen) => pty.type("x"), exitCode: 7, lines: [] },
  { way: "SIGTERM", end: (pty: PtyScreen) => pty.signal("SIGTERM"), exitCode: 143, lines: ["agents ended"] },
  { way: "SIGQUIT", end: (pty: PtyScreen) => pty.signal("SIGQUIT"), exitCode: 131, lines: ["agents ended"] },
  { way: "SIGHUP", end: (pty: PtyScreen) => pty.signal("SIGHUP"), exitCode: 129, lines: ["agents ended"] },
];

describe("openTerminal", () => {
  for (const mode of ["full", "inline"] as const) {
    test.each(WAYS)(`restores the terminal in ${mode} mode after $way`, async ({ end, exitCode, lines }) => {
      await withTerminalProgram([mode], {}, async (pty) => {
        await pty.until(/ready/);
        end(pty);
        expect(await pty.exit()).toBe(exitCode);
        expect(pty.modes()).toEqual(UNTOUCHED_MODES);
        expect(pty.screen().trim()).toBe(lines.join("\n"));
      });
    });
  }

  test("interrupts on the first SIGINT and ends on the second", async () => {
    await withTerminalProgram(["full"], {}, async (pty) => {
      await pty.until(/ready/);
      pty.signal("SIGINT");
      await pty.until(/interrupted/);
      pty.signal("SIGINT");
      expect(await pty.exit()).toBe(130);
      expect(pty.modes()).toEqual(UNTOUCHED_MODES);
    });
  });

  test("starts although the terminal answers no question", async () => {
    await withTerminalProgram(["full"], { hasKitty: false }, async (pty) => {
      await pty.until(/80x24 undefined ready/);
      expect(pty.modes().kittyFlags).toEqual([]);
    });
  });

  test("leaves mouse and screen to the terminal in inline mode", async () => {
    await withTerminalProgram(["inline"], {}, async (pty) => {
      await pty.until(/80x4 undefined ready/);
      for (const mode of [1000, 1002, 1003, 1006, 1049]) expect(pty.modes().on).not.toContain(mode);
    });
  });

  test("draws the right screen after fifty changes of the size", async () => {
    await withTerminalProgram(["full"], {}, async (pty) => {
      await pty.until(/ready/);
      for (let count = 0; count < 50; count++) pty.resize(30 + ((count * 37) % 90), 5 + ((count * 13) % 40));
      pty.resize(60, 10);
      const lines = ["60x10 undefined ready", ...Array(8).fill(""), `${" ".repeat(57)}END`];
      await pty.until((screen) => screen === lines.join("\n"));
    });
  });

  test("leaves the terminal to an editor and returns", async () => {
    await withTerminalProgram(["full"], {}, async (pty) => {
      await pty.until(/ready/);
      pty.type("s");
      await pty.until(/in the editor/);
      expect(pty.modes()).toEqual({ ...UNTOUCHED_MODES });
      await pty.until(/resumed/);
      expect(pty.modes()).toMatchObject({ title: "Repair the cart", savedTitles: 1 });
      expect(pty.modes().on).toEqual(expect.arrayContaining([1000, 1002, 1006, 1049, 2004]));
      pty.type("q");
      expect(await pty.exit()).toBe(0);
      expect(pty.modes()).toEqual(UNTOUCHED_MODES);
    });
  });

  test("returns when no shell can stop the process", async () => {
    await withTerminalProgram(["full"], {}, async (pty) => {
      await pty.until(/ready/);
      pty.type("z");
      await pty.until(/continued/);
    });
  });

  test.each([
    { background: "rgb:ffff/ffff/ffff", appearance: "light" },
    { background: "rgb:1111/1111/2222", appearance: "dark" },
  ])("knows a $appearance background, and sets title, mouse and keyboard", async ({ background, appearance }) => {
    await withTerminalProgram(["full"], { background, env: { PATIENT: "1" } }, async (pty) => {
      await pty.until(new RegExp(`80x24 ${appearance} ready`));
      const { on, title, kittyFlags } = pty.modes();
      expect({ title, kittyFlags }).toEqual({ title: "Repair the cart", kittyFlags: [5] });
      expect(on).toEqual(expect.arrayContaining([1000, 1002, 1006, 1049, 2004]));
      expect(on).not.toContain(1003);
    });
  });

  test.each(["full", "inline"])("ends in %s mode when the shell terminates it while it is stopped", async (mode) => {
    const pty = new PtyScreen(["bash", "--norc", "-i"], { env: { PS1: "shell> " } });
    try {
      await pty.until(/shell>/);
      pty.type(`${process.execPath} ${TERMINAL_PROGRAM} ${mode}\r`);
      await pty.until(/ready/);
      pty.type("z");
      await pty.until(/Stopped[\s\S]*shell>/);
      // In the background it stops again, and does not touch the terminal.
      pty.type("bg; sleep 1; jobs\r");
      await pty.until(/&[\s\S]*Stopped[\s\S]*shell>/);
      pty.type("kill %1\r");
      // The shell reports it before its next prompt.
      await pty.until((screen) => {
        pty.type("\r");
        return screen.includes("Terminated");
      });
      expect(pty.modes().on).not.toContain(1049);
    } finally {
      pty.close();
    }
  });

  test("stops for the shell and continues with fg", async () => {
    const pty = new PtyScreen(["bash", "--norc", "-i"], { env: { PS1: "shell> " } });
    try {
      await pty.until(/shell>/);
      pty.type(`${process.execPath} ${TERMINAL_PROGRAM} full\r`);
      await pty.until(/ready/);
      pty.type("z");
      await pty.until(/Stopped[\s\S]*shell>/);
      expect(pty.modes().on).not.toContain(1049);
      pty.type("fg\r");
      await pty.until(/continued/);
      pty.signal("SIGHUP");
    } finally {
      pty.close();
    }
  });
});
