import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { Sandbox } from "./fixtures/sandbox.ts";
import { hasTmux, TmuxTerminal } from "./fixtures/tmux-terminal.ts";

setDefaultTimeout(120_000);

const PROGRAM = join(import.meta.dir, "../../tui/terminal/fixtures/inline-answer-program.tsx");
const WIDE = 120;
const NARROW = 60;
const ROWS = 24;
const RESIZES = [NARROW, WIDE, NARROW, WIDE, NARROW, WIDE, NARROW, WIDE, NARROW, WIDE] as const;

const testInTerminal = test.skipIf(!hasTmux());

let sandbox: Sandbox;
let terminal: TmuxTerminal;

beforeEach(async () => {
  sandbox = await Sandbox.create();
  terminal = new TmuxTerminal(sandbox);
});
afterEach(async () => {
  await terminal.stop();
  await sandbox.remove();
});

/** The upper edge of the input in a window of this width. */
function inputEdge(columns: number): string {
  return `╭${"─".repeat(columns - 4)}╮`;
}

async function start(before: string): Promise<void> {
  await terminal.start(`${before}; ${process.execPath} ${PROGRAM}`, { columns: WIDE, rows: ROWS });
  await terminal.screenWith(inputEdge(WIDE));
}

async function resize(columns: number): Promise<void> {
  await terminal.resize(columns, ROWS);
  await terminal.screenWith(inputEdge(columns));
}

async function addParagraph(number: number): Promise<void> {
  await terminal.press("n", "Enter");
  await terminal.screenWith(`p${number}word20`);
}

/** Ends the answer, and returns the words of all lines that the terminal has, and how many inputs are among them. */
async function endAnswer(): Promise<{ readonly words: readonly string[]; readonly inputs: number }> {
  await terminal.press("done", "Enter");
  const text = (await terminal.screenWith("Ask anything")).join("\n");
  return { words: text.match(/\bp\d+word\d+/g) ?? [], inputs: text.match(/[╭╰]/g)?.length ?? 0 };
}

function wordsOf(paragraphs: number): readonly string[] {
  return Array.from({ length: 20 * paragraphs }, (_, at) => `p${Math.floor(at / 20) + 1}word${(at % 20) + 1}`);
}

testInTerminal.each([
  { where: "an empty window", before: "true" },
  { where: "a full window", before: "seq 1000 1040" },
])("an answer is in the scrollback once when ten resizes come before its end, in $where", async ({ before }) => {
  await start(before);
  for (const number of [1, 2, 3, 4, 5, 6]) await addParagraph(number);
  for (const columns of RESIZES) await resize(columns);
  expect(await endAnswer()).toEqual({ words: wordsOf(6), inputs: 2 });
});

testInTerminal("an answer that continues between ten resizes is in the scrollback once", async () => {
  await start("true");
  for (const [index, columns] of RESIZES.entries()) {
    await addParagraph(index + 1);
    await resize(columns);
  }
  expect(await endAnswer()).toEqual({ words: wordsOf(10), inputs: 2 });
});
