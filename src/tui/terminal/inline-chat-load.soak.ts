import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { UNTOUCHED_MODES } from "../fixtures/mode-tracker.ts";
import { PtyScreen } from "../fixtures/pty-screen.ts";

// It runs alone: rows that the terminal scrolls away before the program can draw again cannot be taken back, so that a storm of
// resizes on a busy machine can leave a line of the unfinished answer twice.
setDefaultTimeout(20_000);

const PROGRAM = join(import.meta.dir, "fixtures/inline-program.tsx");

async function withInlineChat(check: (pty: PtyScreen) => Promise<void>): Promise<void> {
  const pty = new PtyScreen(["/bin/sh", "-c", `echo before; exec "$0" "$1"`, process.execPath, PROGRAM], {
    columns: 40,
    rows: 16,
    // The emulator is the one of VS Code.
    env: { TERM_PROGRAM: "vscode" },
  });
  try {
    await pty.until(/status/);
    await check(pty);
  } finally {
    pty.close();
  }
}

/** Adds lines, ten at a time, and waits until the frame is complete. */
async function addLines(pty: PtyScreen, count: number): Promise<void> {
  for (let added = 10; added <= count; added += 10) {
    pty.type("n");
    await pty.until(new RegExp(`line ${added}\\b`));
  }
  await atLastRow(pty);
}

/** Where the cursor is at the end of each frame, when the input has none. */
async function atLastRow(pty: PtyScreen): Promise<void> {
  await pty.until((screen) => pty.cursor().row === screen.split("\n").length - 1);
}

/** The lines without the empty ones. */
function textLines(text: string): readonly string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}

/** Waits for the lines: a frame arrives in pieces. */
async function expectLines(pty: PtyScreen, lines: readonly string[]): Promise<void> {
  const isDrawn = (): boolean => Bun.deepEquals(textLines(pty.scrollback()), lines);
  await pty.until(isDrawn, { timeoutMs: 3_000 }).catch(() => undefined);
  expect(textLines(pty.scrollback())).toEqual(lines);
}

function numbered(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `  line ${index + 1}`);
}

function footer(columns: number): readonly string[] {
  const width = columns - 2;
  return [`┌${"─".repeat(width)}┐`, `│input${" ".repeat(width - 5)}│`, `└${"─".repeat(width)}┘`, "status"];
}

const DIALOG = Array.from({ length: 8 }, (_, index) => `dialog ${index + 1}`);

describe("InlineChat", () => {
  test("writes final entries to the scrollback once, and draws only the rest again", async () => {
    await withInlineChat(async (pty) => {
      await expectLines(pty, ["before", ...footer(40)]);
      for (const count of [10, 20, 30]) {
        pty.type("n");
        await pty.until(new RegExp(`line ${count}\\b`));
      }
      pty.type("t");
      await pty.until(/Shell running/);
      await expectLines(pty, ["before", ...numbered(30), "  go", "  Shell running", ...footer(40)]);
      pty.type("o");
      await pty.until(/Shell done/);
      const said = ["before", ...numbered(30), "  go", "  Shell done"];
      await expectLines(pty, [...said, ...footer(40)]);
      pty.type("q");
      expect(await pty.exit()).toBe(0);
      await expectLines(pty, [...said, "closed"]);
      expect(pty.modes()).toEqual(UNTOUCHED_MODES);
    });
  });

  test("loses no line when the footer grows and shrinks", async () => {
    await withInlineChat(async (pty) => {
      for (const count of [10, 20]) {
        pty.type("n");
        await pty.until(new RegExp(`line ${count}\\b`));
      }
      for (let times = 0; times < 3; times++) {
        pty.type("d");
        await pty.until(/dialog 8[\s\S]*status/);
        await expectLines(pty, ["before", ...numbered(20), ...DIALOG, ...footer(40)]);
        pty.type("d");
        await pty.until((screen) => !screen.includes("dialog") && screen.includes("status"));
      }
      pty.type("n");
      await pty.until(/line 30\b/);
      await expectLines(pty, ["before", ...numbered(30), ...footer(40)]);
    });
  });

  test.each([
    { title: "lower", sizes: [[40, 10]] },
    { title: "higher", sizes: [[40, 24]] },
    { title: "narrower", sizes: [[25, 16]] },
    { title: "wider", sizes: [[70, 16]] },
    { title: "lower and narrower", sizes: [[30, 9]] },
    {
      title: "first lower, then higher",
      sizes: [
        [40, 9],
        [40, 30],
      ],
    },
    {
      title: "first narrower, then wider",
      sizes: [
        [20, 16],
        [70, 12],
      ],
    },
  ] as const)("keeps the scrollback when the terminal gets $title", async ({ sizes }) => {
    for (const hasCursor of [false, true]) {
      await withInlineChat(async (pty) => {
        await addLines(pty, 20);
        if (hasCursor) {
          pty.type("c");
          await pty.until(() => pty.cursor().row === 13 && pty.cursor().column === 6);
        }
        for (const [columns, rows] of sizes) {
          pty.resize(columns, rows);
          await expectLines(pty, ["before", ...numbered(20), ...footer(columns)]);
          if (!hasCursor) await atLastRow(pty);
        }
        pty.type("n");
        await pty.until(/line 30\b/);
        await expectLines(pty, ["before", ...numbered(30), ...footer(sizes.at(-1)?.[0] ?? 0)]);
      });
    }
  });

  test("keeps the scrollback while an answer streams and the size changes thirty times a second", async () => {
    await withInlineChat(async (pty) => {
      await addLines(pty, 20);
      pty.type("c");
      await pty.until(() => pty.cursor().row === 13 && pty.cursor().column === 6);
      pty.type("s");
      await pty.until(/answer 2\b/);
      for (let count = 1; count <= 30; count++) {
        pty.resize(30 + ((count * 7) % 40), 12 + ((count * 5) % 20));
        // The time between two resizes is what is tested.
        await Bun.sleep(33);
      }
      pty.resize(40, 16);
      await pty.until(/Shell done[\s\S]*status/);
      const answer = Array.from({ length: 30 }, (_, index) => `  answer ${index + 1}`);
      await expectLines(pty, ["before", ...numbered(20), "  go", ...answer, "  Shell done", ...footer(40)]);
    });
  });

  test("has every message once that finishes during a hundred resizes, ten milliseconds apart", async () => {
    await withInlineChat(async (pty) => {
      await addLines(pty, 20);
      pty.resize(39, 16);
      // From here on, the footer is not in the terminal.
      await pty.until((screen) => !screen.includes("status"));
      for (let count = 1; count <= 100; count++) {
        pty.resize(30 + ((count * 7) % 40), 12 + ((count * 5) % 20));
        if (count % 25 === 0) pty.type("n");
        // The time between two resizes is what is tested.
        await Bun.sleep(10);
      }
      pty.resize(40, 16);
      await pty.until(/line 60\b[\s\S]*status/);
      await expectLines(pty, ["before", ...numbered(60), ...footer(40)]);
    });
  });

  test("leaves the scrollback as it was while a screen covers it", async () => {
    await withInlineChat(async (pty) => {
      for (const count of [10, 20]) {
        const before = ["before", ...numbered(count - 10), ...footer(40)];
        pty.type("f");
        await pty.until((screen) => screen === "the whole screen");
        pty.type("f");
        await pty.until(/status/);
        await expectLines(pty, before);
        pty.type("n");
        await pty.until(new RegExp(`line ${count}\\b`));
      }
      await expectLines(pty, ["before", ...numbered(20), ...footer(40)]);
    });
  });
});
