import { afterEach, describe, expect, test } from "bun:test";
import { lineOf, openInput } from "./fixtures/open-input.tsx";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function open(options?: Parameters<typeof openInput>[0]) {
  const ui = await openInput(options);
  closers.push(ui.close);
  return ui;
}

const MANY_LINES = Array.from({ length: 120 }, (_, index) => `line ${index + 1}`).join("\n");

describe("editing", () => {
  test("several keys start a new line, and the input grows to eight rows", async () => {
    const ui = await open();
    await ui.type("1");
    await ui.enter({ shift: true });
    await ui.type("2");
    await ui.enter({ meta: true });
    await ui.type("3");
    await ui.ctrl("j");
    await ui.type("4\\");
    await ui.enter();
    expect([ui.text(), ui.submitted]).toEqual(["1\n2\n3\n4\n", []]);
    for (const line of ["5", "6", "7", "8", "9"]) {
      await ui.type(line);
      await ui.enter({ shift: true });
    }
    await ui.type("10");
    const screen = await ui.draw();
    expect(screen.split("\n").map((line) => line.slice(3).trimEnd().replace(/ *│$/, ""))).toEqual([
      `${"─".repeat(75)}╮`,
      ...["3", "4", "5", "6", "7", "8", "9", "10"],
      `${"─".repeat(75)}╯`,
    ]);
  });

  test("a long pasted text is attached and sent in full; deleting its label removes it", async () => {
    const ui = await open();
    await ui.type("fix ");
    await ui.paste(MANY_LINES.replaceAll("\n", "\r\n"));
    expect(lineOf(await ui.draw())).toBe("fix [pasted text, 120 lines]");
    await ui.key("BACKSPACE");
    expect(ui.text()).toBe("fix ");
    await ui.key("-", { ctrl: true });
    await ui.enter();
    expect(ui.submitted).toEqual([
      ["fix [pasted text, 120 lines]", { label: "[pasted text, 120 lines]", part: { type: "text", text: MANY_LINES } }],
    ]);
  });

  test("the label of a pasted text is one unit: for arrows, for a word that is deleted, for what is typed, for undo", async () => {
    const ui = await open();
    await ui.type("see ");
    await ui.paste(MANY_LINES);
    await ui.arrow("left");
    await ui.type("X");
    expect(ui.text()).toBe("see X[pasted text, 120 lines]");
    await ui.arrow("right");
    await ui.type("Y");
    expect(ui.text()).toBe("see X[pasted text, 120 lines]Y");
    await ui.key("BACKSPACE");
    await ui.ctrl("w");
    expect(ui.text()).toBe("see X");
    await ui.key("-", { ctrl: true });
    expect(ui.text()).toBe("see X[pasted text, 120 lines]");
    await ui.enter();
    expect(ui.submitted).toEqual([
      [
        "see X[pasted text, 120 lines]",
        { label: "[pasted text, 120 lines]", part: { type: "text", text: MANY_LINES } },
      ],
    ]);
  });

  test("a click on the label of a pasted text ends beside it; a selection that has a part of it has all of it", async () => {
    const ui = await open();
    await ui.type("see ");
    await ui.paste(MANY_LINES);
    await ui.type(" now");
    await ui.act(() => ui.mockMouse.click(11, 1));
    await ui.type("X");
    expect(ui.text()).toBe("see X[pasted text, 120 lines] now");
    for (let count = 0; count < 3; count += 1) await ui.arrow("right", { shift: true });
    await ui.type("Y");
    expect(ui.text()).toBe("see XY now");
  });

  test("vi keys step over the label of a pasted text, and delete the whole of it", async () => {
    const ui = await open({ host: { settings: { hasViKeys: true } } });
    await ui.paste(MANY_LINES);
    await ui.type(" end");
    await ui.escape();
    await ui.type("0lih");
    expect(ui.text()).toBe("[pasted text, 120 lines]h end");
    await ui.escape();
    await ui.type("0x");
    expect(ui.text()).toBe("h end");
  });

  test("a message that is too long stays in the input, with what was pasted into it", async () => {
    const ui = await openInput();
    await ui.type("fix ");
    await ui.paste("x".repeat(100_000));
    await ui.enter();
    expect(ui.submitted).toEqual([]);
    expect(ui.ui.snapshot().flash).toBe(
      "Too long to send: 100,004 characters; the most is 100,000. Put the text into a file, and name the file.",
    );
    expect(lineOf(await ui.draw())).toBe("fix [pasted text, 100000 characters]");
    await ui.close();
  });

  test("the pasted path of an image is attached, and is a text where there is no image", async () => {
    const image = { mediaType: "image/png", data: "YWJj" };
    const ui = await open({ host: { readImageFile: async (path) => (path === "/tmp/a b.png" ? image : undefined) } });
    await ui.type("see ");
    await ui.paste("'/tmp/a b.png'");
    await ui.until(/see \[image 1\]/);
    await ui.paste("/tmp/none.png");
    await ui.until(/\/tmp\/none\.png/);
    await ui.enter();
    expect(ui.submitted).toEqual([
      [
        "see [image 1]/tmp/none.png",
        { label: "[image 1]", part: { type: "image", mimeType: "image/png", data: "YWJj" } },
      ],
    ]);
  });

  test("a short pasted text is typed, without control sequences; the path of an image stays text", async () => {
    const ui = await open();
    await ui.paste("see\u001b[31m /tmp/shot.png\u202e\r\nnow");
    expect(ui.text()).toBe("see /tmp/shot.png\nnow");
    await ui.enter();
    expect(ui.submitted).toEqual([["see /tmp/shot.png\nnow"]]);
  });

  test("an image of the clipboard is attached", async () => {
    const ui = await open({ host: { readClipboardImage: async () => ({ mediaType: "image/png", data: "aGk=" }) } });
    await ui.ctrl("v");
    await ui.type(" what is this");
    await ui.enter();
    expect(ui.submitted).toEqual([
      ["[image 1] what is this", { label: "[image 1]", part: { type: "image", mimeType: "image/png", data: "aGk=" } }],
    ]);
  });

  test("without an image, the screen says so", async () => {
    const ui = await open();
    await ui.ctrl("v");
    expect(ui.ui.snapshot().flash).toBe("The clipboard has no image.");
  });

  test("keys that arrive in one piece mean the same as slow ones", async () => {
    const ui = await open();
    await ui.act(() => ui.mockInput.pressKeys(["/", "r", "e", "\t", "m", "a", "i", "n", "RETURN", "h", "i", "RETURN"]));
    expect(ui.submitted).toEqual([["/review main"], ["hi"]]);
  });

  test("the terminal's cursor is at the text cursor, whatever the width of the characters", async () => {
    const ui = await open();
    const cursor = async () => {
      await ui.draw();
      const { x, y, visible } = ui.renderer.getCursorState();
      return { x, y, visible };
    };
    await ui.paste("日本👍🏽a");
    const atEnd = await cursor();
    await ui.arrow("left");
    await ui.arrow("left");
    expect([atEnd, await cursor(), ui.text()]).toEqual([
      { x: 11, y: 2, visible: true },
      { x: 8, y: 2, visible: true },
      "日本👍🏽a",
    ]);
  });

  test.each(["q 日本語", "日本語日本語", "a\t日\n本", "本\n", "e\u0301👍🏽"])(
    "what comes back from the history has the cursor at its end: %j",
    async (text) => {
      const ui = await open({ host: { history: { load: async () => [text], append: async () => undefined } } });
      await ui.arrow("up");
      await ui.type("X");
      expect(ui.text()).toBe(`${text}X`);
    },
  );

  test("the draft survives a dialog and a resize; undo never removes it", async () => {
    const ui = await open();
    await ui.type("half a sentence");
    await ui.arrow("left");
    await ui.act(() => ui.ui.open({ type: "model" }));
    expect(await ui.draw()).toBe("");
    await ui.act(() => ui.ui.close());
    await ui.type("X");
    await ui.key("-", { ctrl: true });
    expect(ui.text()).toBe("half a sentence");
    await ui.key("-", { ctrl: true });
    expect(ui.text()).toBe("half a sentence");
    await ui.type("X");
    await ui.act(() => ui.resize(40, 16));
    expect(lineOf(await ui.draw())).toBe("half a sentencXe");
  });

  test("the editor of the user changes the text while the UI has left the terminal", async () => {
    const calls: string[] = [];
    const ui = await open({
      host: {
        editText: async (text) => {
          calls.push(text);
          return `${text} and more\n`;
        },
      },
    });
    await ui.type("draft");
    await ui.ctrl("g");
    await ui.until(/draft and more/);
    expect([calls, ui.text()]).toEqual([["draft"], "draft and more"]);
  });

  test("blank texts are not sent, ? on an empty input opens the help", async () => {
    const ui = await open();
    await ui.type("  ");
    await ui.enter();
    await ui.type("?");
    expect([ui.submitted, ui.text(), ui.ui.snapshot().dialog]).toEqual([[], "  ?", undefined]);
    await ui.ctrl("u");
    await ui.type("?");
    expect([ui.text(), ui.ui.snapshot().dialog]).toEqual(["", { type: "help" }]);
  });

  test("! as the first character makes it a shell command", async () => {
    const ui = await open({ width: 40 });
    await ui.type("!npm test @");
    expect((await ui.draw()).split("\n")).toEqual([
      " ╭─ shell ────────────────────────────╮",
      " │ !npm test @                        │",
      " ╰────────────────────────────────────╯",
    ]);
    await ui.enter();
    expect(ui.submitted).toEqual([["!npm test @"]]);
  });

  test("a click elsewhere takes neither the keys nor what is pasted away", async () => {
    const ui = await open();
    await ui.act(() => ui.renderer.currentFocusedRenderable?.blur());
    await ui.type("here");
    await ui.act(() => ui.renderer.currentFocusedRenderable?.blur());
    await ui.paste(" and there");
    expect(ui.text()).toBe("here and there");
  });

  test("a new line replaces what is selected", async () => {
    const ui = await open();
    await ui.type("one two");
    for (let count = 0; count < 3; count += 1) await ui.arrow("left", { shift: true });
    await ui.ctrl("j");
    expect(ui.text()).toBe("one \n");
  });

  test("up and down move in a wrapped text before they leave it", async () => {
    const history = { load: async () => ["earlier"], append: async () => undefined };
    const ui = await open({ width: 40, host: { history } });
    await ui.type("a text that needs more than one row of the input");
    const seen: (string | undefined)[] = [];
    for (const direction of ["up", "up", "down"] as const) {
      await ui.arrow(direction);
      seen.push(ui.text()?.slice(0, 7));
    }
    expect(seen).toEqual(["a text ", "earlier", "a text "]);
  });

  test("End goes to the end of the row, Home to its start", async () => {
    const ui = await open({ width: 40 });
    await ui.type("a text that needs more than one row of the input");
    await ui.key("HOME");
    await ui.type("[");
    await ui.arrow("up");
    await ui.key("END");
    await ui.type("]");
    expect(ui.text()).toBe("a text that needs more than one ][row of the input");
  });
});
