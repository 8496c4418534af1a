import { afterEach, expect, test } from "bun:test";
import { destroyTreeSitterClient, RGBA, type TextChunk } from "@opentui/core";
import { renderUi } from "../fixtures/render-ui.tsx";
import { darkTheme } from "../theme/theme.ts";
import { MarkdownView } from "./markdown-view.tsx";
import { dropHiddenTargets } from "./safe-markdown.ts";
import { prepareHighlighting } from "./syntax-style.ts";

let ui: Awaited<ReturnType<typeof renderUi>> | undefined;

afterEach(() => {
  ui?.close();
  ui = undefined;
});

/** The screen once the worker has answered: before, signs such as those of emphasis are not hidden. */
async function draw(text: string): Promise<readonly string[]> {
  await destroyTreeSitterClient();
  await prepareHighlighting();
  ui = await renderUi(<MarkdownView text={`${text}\n\n\`\`\`ts\nreturn\n\`\`\``} isStreaming={false} />, {
    width: 100,
  });
  // The terminal opens links, which is why OpenTUI would leave out their targets.
  if (ui.renderer.capabilities !== null) Object.assign(ui.renderer.capabilities, { hyperlinks: true });
  await ui.until(() => hasColors());
  return (await ui.draw()).split("\n").filter((line) => line !== "" && line !== "return");
}

/** Only the worker colours code. It answers in the order of the blocks. */
function hasColors(): boolean {
  const spans = ui?.captureSpans().lines.flatMap((line) => line.spans) ?? [];
  const plain = darkTheme.colors.assistantMessage;
  return spans.some(({ text, fg }) => text.trim() === "return" && !fg.equals(RGBA.fromHex(String(plain))));
}

test("brackets that are no link stay, and escaped signs lose their backslash", async () => {
  expect(await draw("use a[0], [1,2] and [ERR]\n\nrm [-rf] ~/x and [a][b] plus a\\[b\\] \\* 2 * 3")).toEqual([
    "use a[0], [1,2] and [ERR]",
    "rm [-rf] ~/x and [a][b] plus a[b] * 2 * 3",
  ]);
});

test("links show where they lead, also those that are written in an unusual way", async () => {
  const text = [
    '[https://good.example](https://evil.example/b "t")',
    "[https://good.example](<https://evil.example/c>)",
    "[https://good.example][1] [docs](vscode://evil/f)",
    "[https://\ngood.example](https://evil.example/d)",
    "| a |\n|---|\n| [https://good.example][1] ![x](https://evil.example/e) |",
    "[1]: https://evil.example/ref",
  ].join("\n\n");
  expect(await draw(text)).toEqual([
    "https://good.example (https://evil.example/b)",
    "https://good.example (https://evil.example/c)",
    "https://good.example (https://evil.example/ref) docs (vscode://evil/f)",
    "[https://",
    "good.example](https://evil.example/d)",
    "a",
    "https://good.example (https://evil.example/ref) x (https://evil.example/e)",
    "[1]: https://evil.example/ref",
  ]);
});

test("a table that has no rows yet is drawn without the signs of its emphasis", async () => {
  expect(await draw("| **step** | time |\n|---|---|")).toEqual(["| step | time |", "|---|---|"]);
});

test("a terminal opens only what is in sight", () => {
  const chunk = (text: string, url?: string): TextChunk => ({
    __isChunk: true,
    text,
    ...(url === undefined ? {} : { link: { url } }),
  });
  const shown = [chunk("https://", "https://a.example"), chunk("a.example", "https://a.example")];
  const hidden = [
    chunk("docs", "https://a.example"),
    chunk("vscode://b", "vscode://b"),
    chunk("https://a"),
    chunk("x"),
  ];
  expect(dropHiddenTargets([...shown, ...hidden])).toEqual([
    ...shown.map(({ text }) => chunk(text)),
    ...hidden.map(({ text }) => chunk(text)),
  ]);
  expect(dropHiddenTargets([...shown, chunk(" "), ...shown])).toEqual([...shown, chunk(" "), ...shown]);
});
