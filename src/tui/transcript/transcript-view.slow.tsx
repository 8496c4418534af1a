import { afterEach, expect, test } from "bun:test";
import { EMPTY_CHAT } from "../chat/chat-model.ts";
import { FakeChat, type RenderUiOptions, renderUi } from "../fixtures/render-ui.tsx";
import { AT, CART, editTool, text, user } from "./fixtures/entries.ts";
import { TranscriptView } from "./transcript-view.tsx";

let ui: Awaited<ReturnType<typeof renderUi>> | undefined;

afterEach(() => {
  ui?.close();
  ui = undefined;
});

async function show(options: RenderUiOptions = {}) {
  const chat = options.chat ?? new FakeChat({ model: { ...EMPTY_CHAT, entries: CART } });
  ui = await renderUi(<TranscriptView />, { height: 20, now: () => AT, ...options, chat });
  ui.services.ui.show({ type: "transcript" });
  await ui.draw();
  return { ui, chat };
}

test("the transcript has everything unfolded and says what the keys do", async () => {
  const { ui } = await show();
  expect(await ui.draw()).toBe(
    [
      "  Transcript  3 messages",
      "  > The price of two items is wrong. Find out why.",
      "",
      "  I'll look at the cart first.",
      "",
      "  ▾ Read src/cart.ts                                                      0.1s",
      "  ✗ Shell npm test -- cart                                      exit 1    2.4s",
      "      Exit code 1",
      "      1 test failed",
      "  ▾ Edit src/cart.ts                                             +1 −1    0.3s",
      "      41 -   return sum + item.price;",
      "      41 +   return sum + item.price * item.quantity;",
      "",
      "  total() ignored the quantity. With the change all 14 tests pass.",
      "",
      "› 1m 15s · 12.4k tokens · $0.11",
      "",
      "",
      "",
      "  / search · y copy · tab diff · e export · esc leave",
    ].join("\n"),
  );
});

test("in 40 columns the last line still has the way out", async () => {
  const { ui } = await show({ width: 40, height: 8 });
  expect((await ui.draw()).split("\n").at(-1)).toBe("  / search · y copy · esc leave");
});

test("a search counts its matches and steps through them", async () => {
  const { ui } = await show();
  await ui.type("/QUANTITY");
  expect(await ui.until(/1\/2$/)).toMatch(/^› {5}41 \+.*$[\s\S]*^ {2}\/QUANTITY +1\/2$/m);
  await ui.act(() => ui.mockInput.pressEnter());
  expect(await ui.until(/messages +1\/2/)).toMatch(/n N next · \/ search/);
  await ui.type("n");
  expect(await ui.draw()).toMatch(/^› total\(\) ignored the quantity/m);
  await ui.type("N");
  expect(await ui.draw()).toMatch(/^› {5}41 \+/m);
  const current = ui
    .captureSpans()
    .lines.flatMap(({ spans }) => spans)
    .filter((span) => span.text === "quantity");
  expect(current.map(({ bg }) => bg.toInts().slice(0, 3))).toEqual([
    [0x6e, 0xa8, 0xfe],
    [0x2a, 0x3a, 0x55],
  ]);
});

test("a search without a match says so, and escape ends it", async () => {
  const { ui } = await show();
  await ui.type("/nothing here");
  await ui.until(/no match$/);
  await ui.act(() => ui.mockInput.pressEscape());
  await ui.until(/esc leave$/);
  await ui.act(() => ui.mockInput.pressEscape());
  expect(ui.services.ui.snapshot().view).toEqual({ type: "chat" });
});

test("comments on lines of a diff are one message", async () => {
  const { ui, chat } = await show({ host: { readFile: async () => "  return sum + item.price * item.quantity;" } });
  await ui.type("c");
  expect(ui.services.ui.snapshot().flash).toBe("Comments are for the lines of a diff. Press tab for the next one.");
  await ui.act(() => ui.mockInput.pressTab());
  expect(await ui.draw()).toMatch(/^› {5}41 -.*[\s\S]* · c comment · /m);
  await ui.type("jc");
  expect(await ui.until(/cart\.ts:41 > /)).toMatch(/^ {2}\/work\/shop\/src\/cart\.ts:41 > .*enter keeps it$/m);
  await ui.type("Why not round?");
  await ui.act(() => ui.mockInput.pressEnter());
  expect(await ui.until(/s send 1 comment · /)).toMatch(/^› {5}41 \+.*\n {6}└ Why not round\?$/m);
  await ui.type("s");
  await ui.until(() => chat.calls.length > 0);
  expect(chat.calls).toEqual([
    [
      "send",
      "A comment on your change:\n\n/work/shop/src/cart.ts:1\n> return sum + item.price * item.quantity;\nWhy not round?",
      [],
      [expect.objectContaining({ text: "Why not round?" })],
    ],
  ]);
  expect(ui.services.ui.snapshot().view).toEqual({ type: "chat" });
  await ui.until(/└ waits for the agent: Why not round\?$/m);
  const { comments } = ui.services.chat;
  await ui.act(() => comments.markSent(comments.snapshot().sending));
  const after = await ui.until(/└ sent: /);
  expect(after).toMatch(/^. {5}41 \+.*\n {6}└ sent: Why not round\?$/m);
  expect(after).not.toContain("s send");
});

test.each([120, 80, 60, 40])(
  "in %d columns the end of a long comment and of a long search is visible",
  async (width) => {
    const { ui } = await show({ width });
    const long =
      "A comment that is longer than the window of every terminal on this desk, which is really not so unusual: end";
    await ui.act(() => ui.mockInput.pressTab({ shift: true }));
    await ui.type("c");
    await ui.type(long);
    expect((await ui.draw()).split("\n").at(-1)).toMatch(/ > .*: end/);
    await ui.act(() => ui.mockInput.pressEscape());
    await ui.until(/esc leave$/);
    await ui.type(`/${long}`);
    expect((await ui.draw()).split("\n").at(-1)).toMatch(/^ {2}\/.*: end +no match$/);
  },
);

test("keys that arrive together act on the line that they reach", async () => {
  const { ui, chat } = await show({ host: { readFile: async () => undefined } });
  await ui.type("kkkkcWhy?");
  expect(await ui.until(/enter keeps it/)).toMatch(/cart\.ts:41 > Why\?/);
  await ui.act(() => {
    ui.mockInput.pressEnter();
    void ui.mockInput.typeText("jjjyss");
  });
  await ui.until(() => chat.calls.length > 0);
  expect(ui.copied).toEqual(["`total()` ignored the quantity. With the change all 14 tests pass."]);
  expect(chat.calls.length).toBe(1);
});

/** A patch without line numbers, which adds the same line twice. */
const PATCH = [
  "*** Begin Patch",
  "*** Update File: src/a.js",
  ...["@@ one", " x", "+  return retry();", "@@ two", " y", "+  return retry();"],
  "*** End Patch",
].join("\n");

test("equal lines of a diff without numbers have a comment each, which leaves the cursor where it is", async () => {
  const entry = editTool("src/a.js", ["", ""], { toolName: "apply_patch", input: { patchText: PATCH } });
  const chat = new FakeChat({ model: { ...EMPTY_CHAT, entries: [entry] } });
  const { ui } = await show({ chat });
  await ui.type("c");
  expect(await ui.until(/enter keeps it/)).toMatch(/src\/a\.js "return retry\(\);" > /);
  await ui.type("Second");
  await ui.act(() => ui.mockInput.pressEnter());
  await ui.until(/└ Second/);
  await ui.act(() => ui.mockInput.pressTab({ shift: true }));
  await ui.type("jcFirst");
  await ui.act(() => ui.mockInput.pressEnter());
  expect(await ui.until(/└ First/)).toMatch(/^›.*retry\(\);\n +└ First\n(.*\n){0,2}.*retry\(\);\n +└ Second$/m);
});

test("a comment whose line has changed since is flagged", async () => {
  const { ui, chat } = await show();
  await ui.act(() => ui.mockInput.pressTab({ shift: true }));
  await ui.type("jc");
  await ui.type("Why?");
  await ui.act(() => ui.mockInput.pressEnter());
  await ui.until(/└ Why\?/);
  const again = CART.flatMap((entry) =>
    entry.type === "tool" && entry.kind === "edit"
      ? [
          {
            ...entry,
            id: "again",
            input: {
              file_path: "/work/shop/src/cart.ts",
              old_string: "  return sum + item.price * item.quantity;",
              new_string: "x",
            },
          },
        ]
      : [],
  );
  await ui.act(() => chat.set({ model: { ...EMPTY_CHAT, entries: [...CART, ...again] } }));
  await ui.until(/└ changed since: Why\?/);
});

test("y copies the message or the code block under the cursor", async () => {
  const chat = new FakeChat({
    model: { ...EMPTY_CHAT, entries: [user("Show me"), text("So:\n\n```ts\nconst a = 1;\n```\n\nDone.")] },
  });
  const { ui } = await show({ chat });
  await ui.type("y");
  await ui.type("kk");
  await ui.type("y");
  expect(ui.copied).toEqual(["So:\n\n```ts\nconst a = 1;\n```\n\nDone.", "const a = 1;"]);
  expect(ui.services.ui.snapshot().flash).toBe("Copied the code block.");
});

test("e writes the conversation to a file", async () => {
  const written: string[] = [];
  const host = {
    writeExport: async (name: string, content: string) => {
      written.push(`${name}: ${content.split("\n")[0]}`);
      return `/work/shop/${name}`;
    },
  };
  const { ui } = await show({ host });
  await ui.type("e");
  await ui.until(() => ui.services.ui.snapshot().flash !== undefined);
  expect(written).toEqual(["1970-01-01-the-price-of-two-items-is-wrong-find-out.md: # Conversation"]);
  expect(ui.services.ui.snapshot().flash).toBe(
    "Wrote /work/shop/1970-01-01-the-price-of-two-items-is-wrong-find-out.md",
  );
});

test("letters that were meant for a comment export once", async () => {
  const written: string[] = [];
  const clock = { now: AT };
  const host = {
    writeExport: async (name: string) => {
      written.push(name);
      return name;
    },
  };
  const { ui } = await show({ host, now: () => clock.now });
  await ui.type("the seven pieces");
  expect(written.length).toBe(1);
  clock.now += 1_000;
  await ui.type("e");
  expect(written.length).toBe(2);
});

test("tab goes from diff to diff, and after the last one to the first", async () => {
  const entries = ["one", "two"].map((name) =>
    editTool(`/work/shop/${name}.ts`, [name, `${name}!\nmore`], { id: name }),
  );
  const { ui } = await show({ chat: new FakeChat({ model: { ...EMPTY_CHAT, entries } }) });
  const places: (string | undefined)[] = [];
  for (const shift of [false, false, false, true, true]) {
    await ui.act(() => ui.mockInput.pressTab({ shift }));
    places.push(/^›.*$/m.exec(await ui.draw())?.[0].replace(/\s+/g, " "));
  }
  expect(places).toEqual(["› - one", "› - two", "› - one", "› - two", "› - one"]);
});

test("the summary of the last compaction is on top", async () => {
  const chat = new FakeChat({
    model: { ...EMPTY_CHAT, entries: [user("Go")] },
    compactionSummary: "We **repaired** it.",
  });
  const { ui } = await show({ chat });
  expect((await ui.draw()).split("\n").slice(0, 8)).toEqual([
    "  Transcript  1 message",
    "  Summary of the compaction",
    "",
    "  We repaired it.",
    "",
    `  ${"─".repeat(76)}`,
    "",
    "› > Go",
  ]);
});

test("ten thousand messages open and move without delay", async () => {
  const entries = Array.from({ length: 10_000 }, (_, index) =>
    text(`message ${index}\n\n- one\n- two`, { id: `${index}` }),
  );
  const chat = new FakeChat({ model: { ...EMPTY_CHAT, entries } });
  const { ui } = await show({ chat });
  await ui.type("g");
  expect(await ui.draw()).toMatch(/^› message 0$/m);
  await ui.act(() => ui.mockInput.pressKey("\u001b[6~"));
  await ui.type("G");
  expect(await ui.draw()).toMatch(/^› • two$/m);
});
