import { afterEach, expect, test } from "bun:test";
import { useState } from "react";
import { renderUi } from "../fixtures/render-ui.tsx";
import { TextField } from "./text-field.tsx";

let ui: Awaited<ReturnType<typeof renderUi>> | undefined;

afterEach(() => {
  ui?.close();
  ui = undefined;
});

/** A field in a border, as a dialog has it. */
function Framed({ start, texts }: { readonly start: string; readonly texts: string[] }) {
  const [text, setText] = useState(start);
  return (
    <box border flexDirection="column" width="100%">
      <TextField
        label="Comment: "
        value={text}
        onInput={(next) => {
          texts.push(next);
          setText(next);
        }}
      />
    </box>
  );
}

async function show(start: string, width = 40) {
  const texts: string[] = [];
  ui = await renderUi(<Framed start={start} texts={texts} />, { width, height: 5 });
  await ui.draw();
  return { ui, texts };
}

test.each([120, 80, 60, 40])(
  "in %d columns a text that is wider than the window shows its end and leaves the border whole",
  async (width) => {
    const { ui } = await show("", width);
    const sentence = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen";
    await ui.type(`${sentence} seventeen end`);
    const rows = (await ui.draw()).split("\n");
    expect(rows.map((row) => row.length)).toEqual([width, width, width]);
    expect(rows[1]).toMatch(/^│Comment: .*seventeen end *│$/);
  },
);

test("the cursor follows the last letter of a text with wide letters, and ctrl+u removes all of it", async () => {
  const { ui, texts } = await show("漢字かな");
  await ui.type("x");
  expect(texts.at(-1)).toBe("漢字かなx");
  await ui.act(() => ui.mockInput.pressKey("u", { ctrl: true }));
  expect(texts.at(-1)).toBe("");
});
