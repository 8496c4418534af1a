import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { frameToHtml } from "../src/tui/fixtures/frame-to-html.ts";
import { renderUi } from "../src/tui/fixtures/render-ui.tsx";
import { SCENES, type Scene } from "../src/tui/fixtures/scenes.tsx";
import { createTemporaryFolder } from "./temporary-folder.ts";

// Draws the pictures of the terminal UI in docs/images. Usage: npm run screenshots -- [part of a name …]

const IMAGES = join(import.meta.dir, "../docs/images");

/** Pixels of the picture for each pixel of the page. */
const SCALE = 2;

/** How long Chromium may take for a picture, in milliseconds. */
const TIMEOUT_MS = 60_000;

const run = promisify(execFile);

async function captureScene({ node, theme, columns, rows, createOptions, prepare }: Scene) {
  const ui = await renderUi(node, { ...createOptions(), theme, width: columns, height: rows });
  try {
    await ui.draw();
    await prepare?.(ui);
    await ui.draw();
    const { background } = theme.colors;
    // Scenes have the built-in themes, whose colours are texts.
    return frameToHtml(ui.captureSpans(), { background: typeof background === "string" ? background : "#000000" });
  } finally {
    await ui.act(() => ui.close());
  }
}

async function drawScene(scene: Scene, folder: string): Promise<void> {
  const { html, width, height } = await captureScene(scene);
  const page = join(folder, `${scene.name}.html`);
  await writeFile(page, html);
  const flags = [
    ...["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-background-networking"],
    `--user-data-dir=${join(folder, "profile")}`,
    `--force-device-scale-factor=${SCALE}`,
    `--window-size=${width},${height}`,
    `--screenshot=${join(IMAGES, `${scene.name}.png`)}`,
  ];
  await run(process.env.CHROMIUM ?? "chromium", [...flags, `file://${page}`], { timeout: TIMEOUT_MS });
  console.log(`docs/images/${scene.name}.png`);
}

const parts = process.argv.slice(2);
const scenes = SCENES.filter(({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)));
if (scenes.length === 0) {
  console.error(`No scene contains ${parts.join(" or ")}. Scenes: ${SCENES.map(({ name }) => name).join(", ")}.`);
  process.exit(1);
}
await mkdir(IMAGES, { recursive: true });
{
  await using folder = await createTemporaryFolder();
  for (const scene of scenes) await drawScene(scene, folder.path);
}
process.exit(0);
