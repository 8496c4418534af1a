import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { UNTOUCHED_MODES } from "../fixtures/mode-tracker.ts";
import { PtyScreen } from "../fixtures/pty-screen.ts";

setDefaultTimeout(20_000);

const PROGRAM = join(import.meta.dir, "fixtures/inline-program.tsx");

async function withInlineChat(check: (pty: PtyScreen) => Promise<void>): Promise<void> {
  const pty = new PtyScreen(["/bin/sh", "-c", `echo before; exec "$0" "$1"`, process.execPath, PROGRAM], {
    columns: 40,
    rows: 16,
  });
  try {
    await pty.until(/status/);
    await check(pty);
  } finally {
    pty.close();
  }
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

  test("keeps the scrollback when the size changes", async () => {
    await withInlineChat(async (pty) => {
      for (const count of [10, 20]) {
        pty.type("n");
        await pty.until(new RegExp(`line ${count}\\b`));
      }
      for (const [columns, rows] of [
        [30, 16],
        [60, 12],
      ] as const) {
        pty.resize(columns, rows);
        await pty.until((screen) => screen.includes(footer(columns).join("\n")));
      }
      pty.type("n");
      await pty.until(/line 30\b/);
      await expectLines(pty, ["before", ...numbered(30), ...footer(60)]);
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
