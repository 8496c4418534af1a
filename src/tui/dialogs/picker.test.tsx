import { expect, test } from "bun:test";
import { TextAttributes } from "@opentui/core";
import { type RenderUiOptions, renderUi } from "../fixtures/render-ui.tsx";
import { ASCII_GLYPHS } from "../theme/glyphs.ts";
import { resolveTheme } from "../theme/resolve-theme.ts";
import { Picker, type PickerItem } from "./picker.tsx";

const MODELS: readonly PickerItem[] = ["opus-4.5", "sonnet-4.5", "haiku-4.5", "gpt-5", "gpt-5-mini", "qwen3"].map(
  (id, index) => ({
    id,
    label: id,
    detail: `model number ${index + 1}`,
    right: `${index + 1}k`,
    isCurrent: id === "haiku-4.5",
  }),
);

async function open(options: RenderUiOptions & { items?: readonly PickerItem[] } = {}) {
  const calls: string[] = [];
  const ui = await renderUi(
    <Picker
      title="Model"
      items={options.items ?? MODELS}
      onChoose={(id) => calls.push(`choose ${id}`)}
      onCancel={() => calls.push("cancel")}
      onMove={(id) => calls.push(id)}
    />,
    options,
  );
  await ui.draw();
  return { ...ui, calls };
}

test("the wheel moves the pointer and a click chooses, unless the mouse is off", async () => {
  const ui = await open();
  await ui.act(() => ui.mockMouse.scroll(10, 3, "down"));
  await ui.act(() => ui.mockMouse.scroll(10, 3, "up"));
  await ui.act(() => ui.mockMouse.scroll(10, 1, "up"));
  await ui.act(() => ui.mockMouse.click(10, 6));
  await ui.act(() => ui.mockMouse.click(10, 5, 2));
  expect(ui.calls).toEqual(["gpt-5", "haiku-4.5", "sonnet-4.5", "choose gpt-5-mini"]);
  await ui.type("qw");
  expect(await ui.until(/│ qw/)).toContain("› qwen3");
  ui.close();
  const off = await open({ host: { settings: { hasMouseWheel: false, hasMouseSelection: false } } });
  await off.act(() => off.mockMouse.scroll(10, 3, "down"));
  await off.act(() => off.mockMouse.click(10, 6));
  expect(off.calls).toEqual([]);
  off.close();
});

test("the current item is marked and under the pointer", async () => {
  const ui = await open();
  expect(await ui.draw()).toBe(
    [
      " ╭─ Model ────────────────────────────────────────────────────────────────────╮",
      " │ Type to filter                                                             │",
      " │   opus-4.5    model number 1                                          1k   │",
      " │   sonnet-4.5  model number 2                                          2k   │",
      " │ › haiku-4.5   model number 3                                          3k ✓ │",
      " │   gpt-5       model number 4                                          4k   │",
      " │   gpt-5-mini  model number 5                                          5k   │",
      " │   qwen3       model number 6                                          6k   │",
      " ╰───────────────────────────────────────────────── enter choose · esc leave ─╯",
    ].join("\n"),
  );
  ui.close();
});

test("typing filters, the best first, and the dialog keeps its size", async () => {
  const ui = await open();
  await ui.type("gm");
  expect((await ui.draw()).split("\n").slice(1, 9)).toEqual([
    " │ gm                                                                         │",
    " │ › gpt-5-mini  model number 5                                          5k   │",
    " │                                                                            │",
    " │                                                                            │",
    " │                                                                            │",
    " │                                                                            │",
    " │                                                                            │",
    " ╰───────────────────────────────────────────────── enter choose · esc leave ─╯",
  ]);
  const underlined = ui
    .captureSpans()
    .lines.flatMap(({ spans }) => spans)
    .filter(({ attributes }) => (attributes & TextAttributes.UNDERLINE) !== 0)
    .map(({ text }) => text);
  expect(underlined).toEqual(["g", "m"]);
  await ui.act(() => ui.mockInput.pressEnter());
  expect(ui.calls).toEqual(["gpt-5", "gpt-5-mini", "choose gpt-5-mini"]);
  ui.close();
});

test("nothing is chosen where nothing matches, and escape leaves", async () => {
  const ui = await open();
  await ui.type("zzz");
  await ui.act(() => ui.mockInput.pressEnter());
  expect((await ui.draw()).split("\n")[2]).toBe(
    " │   Nothing matches.                                                         │",
  );
  await ui.act(() => ui.mockInput.pressEscape());
  await ui.until(() => ui.calls.length > 0);
  expect(ui.calls).toEqual(["cancel"]);
  ui.close();
});

test("keys that arrive before the next draw all count", async () => {
  const ui = await open();
  await ui.act(() => {
    for (const key of ["down", "down", "up"] as const) ui.mockInput.pressArrow(key);
    ui.mockInput.pressEnter();
  });
  expect(ui.calls).toEqual(["gpt-5", "gpt-5-mini", "gpt-5", "choose gpt-5"]);
  ui.close();
});

test("a long list takes half of the height and pages, in ASCII and at 40 columns", async () => {
  const items = Array.from({ length: 40 }, (_, index) => ({
    id: `${index}`,
    label: `item ${index + 1} \u001b[2J日本`,
  }));
  const ui = await open({ items, width: 40, height: 18, services: { glyphs: ASCII_GLYPHS } });
  await ui.act(() => ui.mockInput.pressKey("\u001b[6~"));
  expect(await ui.draw()).toBe(
    [
      " +- Model, 6 of 40 -------------------+",
      " | Type to filter                     |",
      " |   item 2 日本                      |",
      " |   item 3 日本                      |",
      " |   item 4 日本                      |",
      " |   item 5 日本                      |",
      " | > item 6 日本                      |",
      " +--------- enter choose - esc leave -+",
    ].join("\n"),
  );
  ui.close();
});

test("without colours everything is drawn in the terminal's own, and the marks remain", async () => {
  const ui = await open({ theme: resolveTheme({ name: "dark", isColorless: true }) });
  expect((await ui.draw()).split("\n")[4]).toBe(
    " │ › haiku-4.5   model number 3                                          3k ✓ │",
  );
  const spans = ui.captureSpans().lines.flatMap((line) => line.spans.filter(({ text }) => text.trim() !== ""));
  expect(new Set(spans.map(({ fg, bg }) => `${fg.intent} on ${bg.intent}`))).toEqual(new Set(["default on default"]));
  ui.close();
});

test("names that do not fit lose their middle, so that a copy differs from its original, also while a query is marked", async () => {
  const name = "Repair the price of two items in the cart, and add a test";
  const items = [name, `${name} (fork)`].map((label) => ({ id: label, label, detail: "", right: "2h" }));
  const ui = await open({ items, width: 50 });
  const rows = (screen: string): readonly string[] => screen.split("\n").filter((line) => line.includes("2h"));
  expect(rows(await ui.draw())).toEqual([
    " │ › Repair the price of two…and add a test  2h │",
    " │   Repair the price of two… a test (fork)  2h │",
  ]);
  await ui.type("fork");
  await ui.until((screen) => rows(screen).length === 1);
  const marked = ui
    .captureSpans()
    .lines.flatMap(({ spans }) => spans)
    .filter(({ attributes }) => (attributes & TextAttributes.UNDERLINE) !== 0);
  expect(marked.map(({ text }) => text).join("")).toBe("fork");
  ui.close();
});
