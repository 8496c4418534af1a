import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { PtyScreen } from "../fixtures/pty-screen.ts";

setDefaultTimeout(40_000);

const PROGRAM = join(import.meta.dir, "fixtures/inline-request-program.tsx");

/** The time before keys count, in milliseconds. */
const QUIET_MS = 400;

const SIZES = [
  { columns: 80, rows: 40 },
  { columns: 80, rows: 24 },
  { columns: 60, rows: 20 },
  { columns: 80, rows: 12 },
  { columns: 60, rows: 10 },
] as const;

async function withAsk(
  ask: "request" | "question",
  size: (typeof SIZES)[number],
  check: (pty: PtyScreen) => Promise<void>,
): Promise<void> {
  const pty = new PtyScreen([process.execPath, PROGRAM, ask], size);
  try {
    await check(pty);
  } finally {
    pty.close();
  }
}

/** The rows of the dialog, once all of it is on the screen, with the status below where there is a row for it. */
async function dialogRows(pty: PtyScreen): Promise<readonly string[]> {
  const screen = await pty.until(/╭─ (?:scripted|Enlarge)[\s\S]*esc (?:= no|decline) ─╯(?:\n[^\n]*\S|$)/);
  const lines = screen.split("\n");
  const first = lines.findLastIndex((line) => /╭─ (?:scripted|Enlarge)/.test(line));
  return lines.slice(first, lines.findLastIndex((line) => line.includes("─╯")) + 1);
}

test.each(SIZES)("a request is whole on $columns x $rows, and yes counts only after its last line", async (size) => {
  await withAsk("request", size, async (pty) => {
    const seen = new Set<string>();
    for (let pages = 0; pages < 20; pages++) {
      const rows = await dialogRows(pty);
      for (const row of rows) seen.add(row.replaceAll("│", "").trim());
      expect(rows.slice(-5, -1).map((row) => row.replaceAll("│", "").trim())).toEqual([
        expect.stringContaining("n  No, and say why"),
        ...["y  Yes, once", "a  Yes, for this session", "p  Yes, always in this project"],
      ]);
      await Bun.sleep(QUIET_MS);
      const isLast = !rows.some((row) => /more lines?/.test(row));
      pty.type("y");
      if (isLast) break;
      // A letter is an answer only after a moment.
      await Bun.sleep(QUIET_MS);
      expect(pty.screen()).not.toContain("answer");
      pty.press("pagedown");
      await pty.until((screen) => screen !== rows.join("\n"));
      await Bun.sleep(QUIET_MS);
    }
    expect([...seen]).toContain("rm -rf ~/important");
    for (let step = 0; step < 12; step++) expect([...seen]).toContain(`echo step ${step}`);
    await pty.until(/answer \{"type":"allow","scope":"once"/);
  });
});

test.each(SIZES)(
  "a question is whole on $columns x $rows, and a number counts once all of it was shown",
  async (size) => {
    await withAsk("question", size, async (pty) => {
      const rows = await dialogRows(pty);
      expect(rows.some((row) => row.includes("Which one?"))).toBe(true);
      await Bun.sleep(QUIET_MS);
      if (!rows.some((row) => row.includes("8  Option 8"))) {
        pty.type("8");
        await pty.until(/› 8 {2}Option 8/);
        for (let option = 7; option >= 1; option--) {
          pty.press("up");
          await pty.until(new RegExp(`› ${option} {2}Option ${option}`));
        }
        await Bun.sleep(QUIET_MS);
        expect(pty.screen()).not.toContain("answer {");
        pty.type("8");
        await pty.until(/› 8 {2}Option 8/);
        await Bun.sleep(QUIET_MS);
      }
      pty.type("8");
      await pty.until(/answer \{"type":"answer","values":\["Option 8"\]\}/);
    });
  },
);
