import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseColor } from "@opentui/core";
import { type FramePage, frameToHtml } from "../src/tui/fixtures/frame-to-html.ts";
import { PtyScreen } from "../src/tui/fixtures/pty-screen.ts";
import { renderUi } from "../src/tui/fixtures/render-ui.tsx";
import { SCENES, type Scene } from "../src/tui/fixtures/scenes.tsx";
import { darkTheme, type ThemeColor } from "../src/tui/theme/theme.ts";
import { shrinkPng } from "./shrink-png.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

// Draws the pictures of the terminal UI in docs/images. Usage: npm run screenshots -- [part of a name …]

const IMAGES = join(import.meta.dir, "../docs/images");

/** Pixels of the picture for each pixel of the page. */
const SCALE = 2;

/** How long Chromium may take for a picture, in milliseconds. */
const TIMEOUT_MS = 60_000;

const run = promisify(execFile);

/** Colours that a theme has as a text: those of the built-in ones. */
function textOf(color: ThemeColor, other: string): string {
  return typeof color === "string" ? color : other;
}

async function captureScene({ node, theme, columns, rows, createOptions, prepare }: Scene): Promise<FramePage> {
  const ui = await renderUi(node, { ...createOptions(), theme, width: columns, height: rows });
  try {
    // What is read, such as the branch, arrives later.
    await ui.act(async () => await Bun.sleep(20));
    await prepare?.(ui);
    await ui.act(async () => await Bun.sleep(20));
    await ui.draw();
    const { x, y, style } = ui.renderer.getCursorState();
    // A cursor without a style is where OpenTUI left it.
    const cursor = { column: x - 1, row: y - 1, color: textOf(theme.colors.accent, "#ffffff") };
    return frameToHtml(ui.captureSpans(), {
      background: textOf(theme.colors.background, "#000000"),
      ...(style === "default" ? {} : { cursor }),
    });
  } finally {
    await ui.act(() => ui.close());
  }
}

/** The inline mode is drawn by a real terminal, which has the scrollback. */
async function captureInline(): Promise<FramePage> {
  const program = join(import.meta.dir, "../src/tui/fixtures/inline-scene.tsx");
  const pty = new PtyScreen(["bash", "--norc", "-i"], { columns: 100, rows: 43, env: { PS1: "~/shop $ " } });
  const background = textOf(darkTheme.colors.background, "#000000");
  try {
    await pty.until(/shop \$/);
    // The line is written without being run: nobody has to install the command for a picture.
    pty.type(`clear; echo "~/shop $ atomic --inline"; exec ${process.execPath} ${program}\r`);
    await pty.until(/esc stop/);
    pty.type("also add a test for a quantity of 0");
    await pty.until(/quantity of 0/);
    const { row, column } = pty.cursor();
    const cursor = { row, column, color: textOf(darkTheme.colors.accent, "#ffffff") };
    return frameToHtml(pty.capture(parseColor(darkTheme.colors.foreground)), { background, cursor });
  } finally {
    pty.close();
  }
}

async function drawPage(
  { html, width, height }: FramePage,
  { name, folder }: { readonly name: string; readonly folder: string },
): Promise<void> {
  const page = join(folder, `${name}.html`);
  const picture = join(folder, `${name}.png`);
  await writeFile(page, html);
  const flags = [
    ...["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-background-networking"],
    `--user-data-dir=${join(folder, "profile")}`,
    `--force-device-scale-factor=${SCALE}`,
    `--window-size=${width},${height}`,
    `--screenshot=${picture}`,
  ];
  await run(process.env.CHROMIUM ?? "chromium", [...flags, `file://${page}`], { timeout: TIMEOUT_MS });
  await writeFile(join(IMAGES, `${name}.png`), shrinkPng(await readFile(picture)));
  console.log(`docs/images/${name}.png`);
}

interface Picture {
  readonly name: string;
  readonly capture: () => Promise<FramePage>;
}

const PICTURES: readonly Picture[] = [
  ...SCENES.map((scene) => ({ name: scene.name, capture: () => captureScene(scene) })),
  { name: "inline", capture: captureInline },
];

const parts = process.argv.slice(2);
const pictures = PICTURES.filter(({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)));
if (pictures.length === 0) {
  console.error(`No picture contains ${parts.join(" or ")}. Pictures: ${PICTURES.map(({ name }) => name).join(", ")}.`);
  process.exit(1);
}
await mkdir(IMAGES, { recursive: true });
{
  await using folder = await createTemporaryFolder();
  for (const { name, capture } of pictures) {
    // On a busy machine the colours of code may come too late.
    const page = await capture().catch(capture);
    await drawPage(page, { name, folder: folder.path });
  }
}
process.exit(0);
