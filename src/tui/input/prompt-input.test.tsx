import { afterEach, describe, expect, test } from "bun:test";
import { App } from "../app/app.tsx";
import { CommandRegistry } from "../commands/command-registry.ts";
import { FakeChat, renderUi } from "../fixtures/render-ui.tsx";
import { ASCII_GLYPHS } from "../theme/glyphs.ts";
import { command, commandsOf, lineOf, openInput } from "./fixtures/open-input.tsx";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function open(options?: Parameters<typeof openInput>[0]) {
  const ui = await openInput(options);
  closers.push(ui.close);
  return ui;
}

describe("suggestions", () => {
  test.each([
    {
      width: 120,
      rows: [
        " › /ralph              <prompt|spec> [--ver...  Plan, work and verify",
        "   /review             [base]                   Several reviewers, one list",
        "   /reviewer                                    Reviews changes",
        "   /rewind                                      Back to an earlier message",
      ],
    },
    {
      width: 60,
      rows: [
        " › /ralph              <prompt|spec> [--ver...  Plan, wor…",
        "   /review             [base]                   Several r…",
        "   /reviewer                                    Reviews c…",
        "   /rewind                                      Back to a…",
      ],
    },
    {
      width: 50,
      rows: [
        " › /ralph              <prompt|spec> [--ver...",
        "   /review             [base]",
        "   /reviewer",
        "   /rewind",
      ],
    },
    { width: 40, rows: [" › /ralph", "   /review", "   /reviewer", "   /rewind"] },
  ])("have the columns that fit into $width", async ({ width, rows }) => {
    const ui = await open({ width });
    await ui.type("/r");
    const lines = (await ui.draw()).split("\n");
    expect(lines).toEqual([
      ` ╭${"─".repeat(width - 4)}╮`,
      ` │ /r${" ".repeat(width - 7)}│`,
      ` ╰${"─".repeat(width - 4)}╯`,
      ...rows,
    ]);
  });

  test("Tab completes the selected command and its hint follows, which the arguments replace", async () => {
    const ui = await open({ width: 60 });
    await ui.type("/r");
    await ui.tab();
    expect(lineOf(await ui.draw())).toBe("/ralph <prompt|spec> [--verify COMMAND]");
    await ui.type("Repair it");
    expect(lineOf(await ui.draw())).toBe("/ralph Repair it [--verify COMMAND]");
    await ui.type(" --verify 'npm test'");
    expect(lineOf(await ui.draw())).toBe("/ralph Repair it --verify 'npm test'");
    await ui.ctrl("u");
    await ui.type("/ralph x");
    await ui.key("BACKSPACE");
    expect(lineOf(await ui.draw())).toBe("/ralph <prompt|spec> [--verify COMMAND]");
    await ui.escape();
    expect(lineOf(await ui.draw())).toBe("/ralph");
  });

  test("the hint is cut at the edge, and gone when the cursor is not at the end", async () => {
    const ui = await open({ width: 40 });
    await ui.type("/ralph ");
    expect(lineOf(await ui.draw())).toBe("/ralph <prompt|spec> [--verify CO…");
    await ui.arrow("left");
    expect(lineOf(await ui.draw())).toBe("/ralph");
  });

  test.each([
    { title: "the first row", typed: "/re", keys: [], text: "/review" },
    { title: "the row that the arrows chose", typed: "/re", keys: ["down", "down"], text: "/rewind" },
    { title: "the last row, up from the first", typed: "/re", keys: ["up"], text: "/rewind" },
    { title: "what was typed in full, also an alias", typed: "/exit", keys: [], text: "/exit" },
    { title: "a hidden command", typed: "/secret", keys: [], text: "/secret" },
    { title: "an unknown command as it is", typed: "/what", keys: [], text: "/what" },
  ] as const)("Enter executes $title", async ({ typed, keys, text }) => {
    const ui = await open();
    await ui.type(typed);
    for (const key of keys) await ui.arrow(key);
    await ui.enter();
    expect([ui.submitted, ui.text()]).toEqual([[[text]], ""]);
  });

  test("do not appear below a path", async () => {
    const ui = await open();
    await ui.type("/home/me");
    expect(await ui.draw()).not.toContain("no such command");
  });

  test("appear for commands that are registered later, and close with Escape", async () => {
    const ui = await open();
    await ui.type("/z");
    expect(await ui.draw()).toContain("\n   no such command");
    await ui.act(() => ui.services.commands.register(command("zoom\u001b[31m")));
    expect(await ui.draw()).toContain(" › /zoom");
    await ui.escape();
    expect((await ui.draw()).split("\n").length).toBe(3);
  });
});

describe("mentions", () => {
  const host = { listFiles: async () => ["README.md", "src/cart.ts", "src/tui/prompt-input.tsx"] };

  test("the descriptions of agents start below each other, also after a long name", async () => {
    const commands = new CommandRegistry();
    for (const name of ["audit", "audit-the-dependencies-of-it", `audit-${"x".repeat(40)}`]) {
      commands.register(command(name, { category: "agent", description: "Looks" }));
    }
    const ui = await open({ commands });
    await ui.type("@audit");
    const rows = (await ui.until(/› audit/)).split("\n").filter((line) => line.includes("Looks"));
    expect(rows.map((line) => line.indexOf("agent · Looks"))).toEqual([37, 37, 37]);
  });

  test("a chosen file is attached, an agent is text", async () => {
    const ui = await open({ host });
    await ui.type("Ask @revi");
    await ui.until(/› reviewer {12}agent · Reviews changes/);
    await ui.enter();
    await ui.type("about @cart");
    await ui.until(/› src\/cart.ts/);
    await ui.tab();
    await ui.enter();
    expect(ui.submitted).toEqual([
      [
        "Ask @reviewer about @src/cart.ts",
        { label: "@src/cart.ts", part: { type: "file", path: "/work/shop/src/cart.ts" } },
      ],
    ]);
  });

  test("a click chooses a row, and the wheel selects, unless the mouse is off", async () => {
    const ui = await open({ host });
    await ui.type("/re");
    await ui.until(/› \/review/);
    await ui.act(() => ui.mockMouse.scroll(5, 4, "down"));
    await ui.until(/› \/reviewer/);
    for (const _ of "12345") await ui.act(() => ui.mockMouse.scroll(5, 4, "down"));
    await ui.until(/› \/rewind/);
    await ui.act(() => ui.mockMouse.click(5, 3));
    expect([ui.text(), ui.submitted]).toEqual(["/review ", []]);
    await ui.type("@cart");
    await ui.until(/› src\/cart.ts/);
    await ui.act(() => ui.mockMouse.click(5, 3));
    await ui.type("now");
    expect(ui.text()).toBe("/review @src/cart.ts now");

    const off = await open({ host: { ...host, settings: { hasMouseWheel: false, hasMouseSelection: false } } });
    await off.type("/re");
    await off.until(/› \/review/);
    await off.act(() => off.mockMouse.scroll(5, 4, "down"));
    await off.act(() => off.mockMouse.click(5, 4));
    expect([await off.until(/› \/review/), off.text()]).toEqual([expect.stringContaining("› /review "), "/re"]);
  });

  test("Tab opens a folder, Enter attaches it; matches are underlined", async () => {
    const ui = await open({ host });
    await ui.type("@src");
    await ui.until(/› src\//);
    const underlined = ui
      .captureSpans()
      .lines.flatMap(({ spans }) => spans.filter(({ attributes }) => (attributes & 8) !== 0));
    expect(underlined.map(({ text }) => text)).toEqual(["src", "src", "src", "src"]);
    await ui.tab();
    expect(ui.text()).toBe("@src/");
    await ui.enter();
    await ui.enter();
    expect(ui.submitted).toEqual([["@src/", { label: "@src/", part: { type: "file", path: "/work/shop/src/" } }]]);
  });

  test("a long list scrolls with the selection and says where it is", async () => {
    const listFiles = async () => Array.from({ length: 30 }, (_, index) => `file-${String(index).padStart(2, "0")}.ts`);
    const ui = await open({ width: 40, height: 20, commands: new CommandRegistry(), host: { listFiles } });
    await ui.type("@file");
    await ui.until(/1 of 30/);
    for (let count = 0; count < 6; count += 1) await ui.arrow("down");
    expect((await ui.draw()).split("\n").slice(3)).toEqual([
      ...["02", "03", "04", "05"].map((number) => `   file-${number}.ts`),
      " › file-06.ts",
      ...["07", "08", "09"].map((number) => `   file-${number}.ts`),
      "   7 of 30",
    ]);
  });

  test("wide characters before a mention do not move it", async () => {
    const ui = await open({ host });
    await ui.paste("日本👨‍👩‍👧 @car, ok");
    for (let count = 0; count < 4; count += 1) await ui.arrow("left");
    await ui.type("t");
    await ui.until(/› src\/cart.ts/);
    await ui.tab();
    await ui.type("X");
    expect(ui.text()).toBe("日本👨‍👩‍👧 @src/cart.ts X, ok");
  });

  test("the list says that it waits for the files", async () => {
    const ui = await open({ commands: new CommandRegistry(), host: { listFiles: () => new Promise(() => undefined) } });
    await ui.type("@");
    expect(await ui.draw()).toContain("\n   listing the files");
  });
});

describe("earlier and queued messages", () => {
  const host = {
    history: { load: async () => ["/model", "Repair the cart", "two\nlines"], append: async () => undefined },
  };
  const queue = [1, 2, 3, 4, 5].map((id) => ({ id: `q${id}`, text: `message ${id}`, attachments: [] }));

  test("the arrows walk through earlier messages, inside of a text of several lines first", async () => {
    const ui = await open({ host });
    await ui.type("draft");
    const seen: (string | undefined)[] = [];
    for (const direction of ["up", "up", "up", "up", "up", "down", "down", "down", "down"] as const) {
      await ui.arrow(direction);
      seen.push(ui.text());
    }
    expect(seen).toEqual([
      "two\nlines",
      "two\nlines",
      "Repair the cart",
      "/model",
      "/model",
      "Repair the cart",
      "two\nlines",
      "draft",
      "draft",
    ]);
  });

  test("Ctrl+R searches; Enter takes, Escape restores", async () => {
    const ui = await open({ host, width: 40 });
    await ui.type("draft");
    await ui.ctrl("r");
    await ui.type("CART");
    expect((await ui.draw()).split("\n")).toEqual([
      " ╭─ search history ───────────────────╮",
      " │ CART                               │",
      " ╰────────────────────────────────────╯",
      " › Repair the cart",
    ]);
    await ui.escape();
    expect(ui.text()).toBe("draft");
    await ui.ctrl("r");
    await ui.ctrl("r");
    await ui.enter();
    expect([ui.text(), ui.submitted]).toEqual(["Repair the cart", []]);
  });

  test("queued messages are listed, and the last one is edited first", async () => {
    const chat = new FakeChat({ queue }, { removeQueued: queue[4] });
    const ui = await open({ host, chat, width: 40 });
    expect((await ui.draw()).split("\n").slice(3)).toEqual([
      '  queued: "message 1"',
      '          "message 2"',
      '          "message 3"',
      "          and 2 more",
    ]);
    await ui.arrow("up");
    expect([chat.calls, ui.text()]).toEqual([[["removeQueued", "q5"]], "message 5"]);
    await ui.ctrl("u");
    await ui.type("draft");
    await ui.arrow("up", { meta: true });
    expect(ui.text()).toBe("message 5");
    await ui.arrow("up");
    expect(ui.text()).toBe("draft");
  });

  test("messages that wait since a turn was stopped say so, and Enter on an empty input sends them", async () => {
    const held = queue.slice(0, 2).map((message) => ({ ...message, isHeld: true }));
    const chat = new FakeChat({ queue: [...held, ...queue.slice(2, 3)] });
    const ui = await open({ host, chat, width: 60 });
    expect((await ui.draw()).split("\n").slice(3)).toEqual([
      '  not sent: "message 1"',
      '            "message 2"',
      '  queued:   "message 3"',
      "            enter sends · alt+up takes the last one back",
    ]);
    await ui.enter();
    expect([chat.calls, ui.submitted]).toEqual([[["sendHeld"]], []]);
  });

  test("Ctrl+S sends into the turn in progress", async () => {
    const chat = new FakeChat({ status: "working" }, { steer: Promise.resolve() });
    const ui = await open({ chat });
    await ui.type("stop that");
    await ui.ctrl("s");
    expect([chat.calls, ui.submitted, ui.text()]).toEqual([[["steer", "stop that", []]], [], ""]);
  });
});

test("vi keys edit the text, and the mode is shown", async () => {
  const ui = await open({ width: 40, host: { settings: { hasViKeys: true } } });
  await ui.type("one two");
  await ui.escape();
  await ui.type("bxi");
  await ui.type("T");
  await ui.escape();
  expect((await ui.draw()).split("\n")).toEqual([
    ` ╭${"─".repeat(36)}╮`,
    ` │ one Two${" ".repeat(28)}│`,
    ` ╰${"─".repeat(27)} normal ─╯`,
  ]);
  await ui.type("ddu");
  expect(ui.text()).toBe("one Two");
  await ui.enter();
  expect(ui.submitted).toEqual([["one Two"]]);
});

test("an undo of vi keys draws all lines again", async () => {
  const ui = await open({ width: 40, host: { settings: { hasViKeys: true } } });
  await ui.type("one");
  await ui.ctrl("j");
  await ui.type("two");
  await ui.escape();
  await ui.type("dd");
  expect(await ui.draw()).not.toContain("two");
  await ui.type("u");
  expect((await ui.draw()).split("\n").slice(1, 3)).toEqual([` │ one${" ".repeat(32)}│`, ` │ two${" ".repeat(32)}│`]);
});

test("in the app, Escape first closes the list and then stops the turn", async () => {
  const chat = new FakeChat({ status: "working" }, { interrupt: Promise.resolve() });
  const ui = await renderUi(<App onSubmit={() => undefined} />, { chat, commands: commandsOf() });
  closers.push(() => ui.act(ui.close));
  await ui.draw();
  const interrupts = () => chat.calls.filter(([name]) => name === "interrupt").length;
  await ui.type("/re");
  expect(await ui.draw()).toContain("› /review");
  await ui.act(() => ui.mockInput.pressEscape());
  expect([(await ui.draw()).includes("› /review"), interrupts()]).toEqual([false, 0]);
  await ui.act(() => ui.mockInput.pressEscape());
  expect(interrupts()).toBe(1);
});

test("terminals without Unicode have a plain border and pointer", async () => {
  const ui = await open({ width: 40, host: { settings: { isAscii: true } }, services: { glyphs: ASCII_GLYPHS } });
  await ui.type("/rew");
  expect((await ui.draw()).split("\n")).toEqual([
    ` +${"-".repeat(36)}+`,
    ` | /rew${" ".repeat(31)}|`,
    ` +${"-".repeat(36)}+`,
    " > /rewind",
  ]);
});
