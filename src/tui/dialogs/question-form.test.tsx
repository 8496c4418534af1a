import { expect, test } from "bun:test";
import type { AgentQuestion, AgentQuestionAnswer } from "../../contracts/index.ts";
import { FakeChat, type RenderUiOptions, renderUi } from "../fixtures/render-ui.tsx";
import { AskDialog } from "./ask-dialog.tsx";
import { QuestionForm } from "./question-form.tsx";

const PAGE_DOWN = "\u001b[6~";

const QUESTION: AgentQuestion = {
  ...{ id: "1", sessionId: "s", header: "Old API", isMultiple: false },
  question: "The old API has 14 callers outside of this repository. Should it stay for one more release?",
  options: [
    { label: "Keep it", description: "It is removed in 3.0" },
    {
      label: "Remove it now",
      description: "Callers fail at their next build, and have to change in the same week or so",
    },
  ],
};

async function open(question: AgentQuestion, options: RenderUiOptions = {}) {
  const answers: AgentQuestionAnswer[] = [];
  const clock = { now: 1_000 };
  const ask = {
    type: "question",
    id: "1",
    at: 0,
    question,
    answer: (it: AgentQuestionAnswer) => answers.push(it),
  } as const;
  const ui = await renderUi(<AskDialog ask={ask} otherCount={0} />, {
    chat: new FakeChat({ agentType: "claude" }),
    now: () => clock.now,
    ...options,
  });
  await ui.draw();
  clock.now += 300;
  const wait = (milliseconds: number): void => {
    clock.now += milliseconds;
  };
  return { ...ui, answers, wait };
}

test("options have a number and their description, and the last line is for an answer of one's own", async () => {
  const ui = await open(QUESTION);
  expect(await ui.draw()).toBe(
    [
      " ╭─ claude asks: Old API ─────────────────────────────────────────────────────╮",
      " │ The old API has 14 callers outside of this repository. Should it stay for  │",
      " │ one more release?                                                          │",
      " │                                                                            │",
      " │ › 1  Keep it                                                               │",
      " │      It is removed in 3.0                                                  │",
      " │   2  Remove it now                                                         │",
      " │      Callers fail at their next build, and have to change in the same week │",
      " │      or so                                                                 │",
      " │   3  Something else: type it                                               │",
      " ╰──── ctrl+c twice stops the turn · enter or a number answers · esc decline ─╯",
    ].join("\n"),
  );
  ui.close();
});

test("at 40 columns a long question scrolls and the options stay", async () => {
  const ui = await open(QUESTION, { width: 40 });
  expect(await ui.draw()).toBe(
    [
      " ╭─ claude asks: Old API ─────────────╮",
      " │ The old API has 14 callers outside │",
      " │ of this repository. Should it stay │",
      " │ for one more release?              │",
      " │                                    │",
      " │ › 1  Keep it                       │",
      " │      It is removed in 3.0          │",
      " │   2  Remove it now                 │",
      " │      Callers fail at their next    │",
      " │      build, and have to change in  │",
      " │      the same week or so           │",
      " │   3  Something else: type it       │",
      " ╰────────────────────── esc decline ─╯",
    ].join("\n"),
  );
  ui.close();
});

test("the description under the pointer is whole, and the dialog keeps its height", async () => {
  const ui = await open(QUESTION, { width: 40 });
  const before = (await ui.draw()).split("\n").length;
  await ui.act(() => ui.mockInput.pressArrow("down"));
  const rows = (await ui.draw()).split("\n");
  expect(rows.slice(5)).toEqual([
    " │   1  Keep it                       │",
    " │      It is removed in 3.0          │",
    " │ › 2  Remove it now                 │",
    " │      Callers fail at their next    │",
    " │      build, and have to change in  │",
    " │      the same week or so           │",
    " │   3  Something else: type it       │",
    " ╰────────────────────── esc decline ─╯",
  ]);
  expect(rows).toHaveLength(before);
  ui.close();
});

test("where only the description under the pointer is whole, the number of another option moves the pointer to it first", async () => {
  const ui = await open(QUESTION, { width: 40, height: 13 });
  const optionRows = async (): Promise<string[]> =>
    (await ui.draw())
      .split("\n")
      .slice(2, -2)
      .map((row) => row.slice(3, -2).trimEnd());
  expect(await optionRows()).toEqual([
    "of this repository. Should it stay",
    "1 more (pagedown), 1 more option …",
    "› 1  Keep it",
    "     It is removed in 3.0",
    "  2  Remove it now",
    "     Callers fail at their next b…",
  ]);
  await ui.act(() => ui.mockInput.pressKey(PAGE_DOWN));
  await ui.draw();
  await ui.type("2");
  expect(await optionRows()).toEqual([
    "for one more release?",
    "1 more option (down)",
    "› 2  Remove it now",
    "     Callers fail at their next",
    "     build, and have to change in",
    "     the same week or so",
  ]);
  expect(ui.answers).toEqual([]);
  await ui.type("2");
  await ui.until(() => ui.answers.length > 0);
  expect(ui.answers).toEqual([{ type: "answer", values: ["Remove it now"] }]);
  ui.close();
});

test("without the room for a whole description, a question takes no answer", async () => {
  const ui = await open(QUESTION, { width: 40, height: 11 });
  expect(await ui.draw()).toContain("Enlarge the window to answer");
  await ui.type("1");
  await ui.draw();
  expect(ui.answers).toEqual([]);
  ui.close();
});

test.each([
  { width: 80, height: 24 },
  { width: 40, height: 10 },
])("at $width x $height a question of 42 lines is answered once its end was visible", async ({ width, height }) => {
  const question = Array.from({ length: 42 }, (_, index) => `Line ${index + 1}`).join("\n");
  const ui = await open({ ...QUESTION, question, options: [{ label: "Yes" }, { label: "No" }] }, { width, height });
  await ui.type("1");
  expect(await ui.draw()).toContain("then answer");
  expect(ui.answers).toEqual([]);
  for (let page = 0; page < 42 && !(await ui.draw()).includes("Line 42"); page++) {
    await ui.type("1");
    await ui.act(() => ui.mockInput.pressKey(PAGE_DOWN));
  }
  expect(ui.answers).toEqual([]);
  await ui.draw();
  await ui.type("1");
  await ui.until(() => ui.answers.length > 0);
  expect(ui.answers).toEqual([{ type: "answer", values: ["Yes"] }]);
  ui.close();
});

test("a number answers, and letters are an answer of one's own", async () => {
  const byNumber = await open(QUESTION);
  await byNumber.type("2");
  await byNumber.until(() => byNumber.answers.length > 0);
  expect(byNumber.answers).toEqual([{ type: "answer", values: ["Remove it now"] }]);
  byNumber.close();

  const byText = await open(QUESTION);
  await byText.type("Ask 2 owners");
  expect((await byText.draw()).split("\n")[9]).toBe(
    " │ › 3  Ask 2 owners                                                          │",
  );
  await byText.act(() => byText.mockInput.pressEnter());
  expect(byText.answers).toEqual([{ type: "answer", values: ["Ask 2 owners"] }]);
  byText.close();
});

test.each([{ ctrl: true }, { meta: true }])("a number with another key held answers nothing: %j", async (held) => {
  const ui = await open(QUESTION);
  await ui.act(() => ui.mockInput.pressKey("2", held));
  expect((await ui.draw()).split("\n")[4]).toBe(
    " │ › 1  Keep it                                                               │",
  );
  await ui.act(() => ui.mockInput.pressEnter());
  await ui.until(() => ui.answers.length > 0);
  expect(ui.answers).toEqual([{ type: "answer", values: ["Keep it"] }]);
  ui.close();
});

test("a pasted answer is one line, and keys that come with a paste answer nothing", async () => {
  const ui = await open(QUESTION);
  await ui.act(async () => {
    await ui.mockInput.pasteBracketedText("2024 is the year\nof the rewrite\n");
    ui.mockInput.pressKey("1");
    ui.mockInput.pressEnter();
  });
  expect(await ui.draw()).toContain("› 3  2024 is the year of the rewrite ");
  expect(ui.answers).toEqual([]);
  ui.wait(100);
  await ui.act(() => ui.mockInput.pressEnter());
  expect(ui.answers).toEqual([{ type: "answer", values: ["2024 is the year of the rewrite"] }]);
  ui.close();
});

test("an answer of one's own can start with a digit", async () => {
  const ui = await open(QUESTION);
  await ui.type("2024");
  expect(await ui.draw()).toContain("› 3  2024 ");
  expect(ui.answers).toEqual([]);
  ui.close();
});

test("an answer that is too long stays in its field, whole, and is sent once it is shorter", async () => {
  const ui = await open({ ...QUESTION, options: [] }, { width: 120 });
  const text = "x".repeat(100_001);
  await ui.act(() => ui.mockInput.pasteBracketedText(text));
  ui.wait(100);
  await ui.act(() => ui.mockInput.pressEnter());
  expect(await ui.draw()).toContain(
    "Too long to send: 100,001 characters; the most is 100,000. Put the text into a file, and name the file.",
  );
  expect(ui.answers).toEqual([]);
  await ui.act(() => ui.mockInput.pressBackspace());
  await ui.act(() => ui.mockInput.pressEnter());
  expect(ui.answers).toEqual([{ type: "answer", values: [text.slice(1)] }]);
  ui.close();
});

test("several options are chosen with space, and enter answers", async () => {
  const ui = await open({ ...QUESTION, isMultiple: true });
  await ui.act(() => ui.mockInput.pressEnter());
  expect((await ui.draw()).split("\n")[3]).toBe(
    " │ Choose with space first.                                                   │",
  );
  await ui.type(" ");
  await ui.act(() => ui.mockInput.pressArrow("down"));
  await ui.type(" ");
  expect((await ui.draw()).split("\n").slice(3, 9)).toEqual([
    " │                                                                            │",
    " │   1  ● Keep it                                                             │",
    " │        It is removed in 3.0                                                │",
    " │ › 2  ● Remove it now                                                       │",
    " │        Callers fail at their next build, and have to change in the same    │",
    " │        week or so                                                          │",
  ]);
  await ui.act(() => ui.mockInput.pressEnter());
  expect(ui.answers).toEqual([{ type: "answer", values: ["Keep it", "Remove it now"] }]);
  ui.close();
});

test("escape declines with a reason", async () => {
  const ui = await open(QUESTION);
  await ui.act(() => ui.mockInput.pressEscape());
  await ui.until(() => ui.answers.length > 0);
  expect(ui.answers).toEqual([{ type: "decline", reason: "The user declined to answer." }]);
  ui.close();
});

test("a run's question counts down at the right, and hostile text is inert", async () => {
  const ui = await renderUi(
    <QuestionForm
      question={"Approve\u001b[2J the \u202espec?"}
      options={[{ label: "Yes" }, { label: "N\u200bo" }]}
      isMultiple={false}
      acceptsText={false}
      deadline={1_080_000}
      onTyped={() => undefined}
      onAnswer={() => undefined}
      onCancel={() => undefined}
    />,
  );
  expect(await ui.draw()).toBe(
    [
      "Approve\\u001b[2J the \\u202espec?                                     1m 20s left",
      "(contains characters that cannot be seen: U+001B, U+202E)",
      "",
      "› 1  Yes",
      "  2  N\\u200bo",
    ].join("\n"),
  );
  ui.close();
});

test("the wheel scrolls a long question by a row", async () => {
  const question = Array.from({ length: 40 }, (_, index) => `word${index}`).join(" ");
  const ui = await open({ ...QUESTION, question }, { width: 40, height: 16 });
  const first = async (): Promise<string | undefined> => (await ui.draw()).split("\n")[1]?.split(" ")[2];
  expect(await first()).toBe("word0");
  await ui.act(() => ui.mockMouse.scroll(10, 2, "down"));
  expect(await first()).toBe("word5");
  await ui.act(() => ui.mockMouse.scroll(10, 2, "up"));
  await ui.act(() => ui.mockMouse.scroll(10, 2, "up"));
  expect(await first()).toBe("word0");
});

test("the number of an option that is not on the screen shows it first, and answers once all were there", async () => {
  const options = Array.from({ length: 9 }, (_, index) => ({ label: `option ${index + 1}` }));
  const ui = await open({ ...QUESTION, options }, { height: 14 });
  expect(await ui.draw()).not.toContain("option 8");
  await ui.act(() => ui.mockInput.pressKey("8"));
  expect(await ui.draw()).toContain("› 8  option 8");
  expect(ui.answers).toEqual([]);
  for (const key of ["5", "4", "9", "8"]) {
    expect(ui.answers).toEqual([]);
    await ui.act(() => ui.mockInput.pressKey(key));
    await ui.until(() => ui.answers.length > 0 || ui.captureCharFrame().includes(`› ${key}`));
  }
  await ui.until(() => ui.answers.length > 0);
  expect(ui.answers).toEqual([{ type: "answer", values: ["option 8"] }]);
  ui.close();
});

test("a question that is wrapped at another width is read from its first line", async () => {
  const long = { ...QUESTION, question: `Which?\n${"long text ".repeat(300)}` };
  const ui = await open(long, { width: 90, height: 24 });
  const readToItsEnd = async () => {
    for (let page = 0; page < 60 && (await ui.draw()).includes("(pagedown)"); page++) {
      await ui.act(() => ui.mockInput.pressKey(PAGE_DOWN));
    }
    await ui.draw();
  };
  await readToItsEnd();
  await ui.act(() => ui.resize(60, 24));
  expect(await ui.draw()).toMatch(/Which\?[\s\S]*more \(pagedown\)/);
  await ui.act(() => ui.mockInput.pressEnter());
  expect(ui.answers).toEqual([]);
  await readToItsEnd();
  await ui.act(() => ui.resize(90, 24));
  expect(await ui.draw()).toMatch(/Which\?[\s\S]*more \(pagedown\)/);
  await readToItsEnd();
  await ui.act(() => ui.mockInput.pressEnter());
  await ui.until(() => ui.answers.length > 0);
  expect(ui.answers).toEqual([{ type: "answer", values: ["Keep it"] }]);
  ui.close();
});

test("a question that is not whole on the screen takes no answer", async () => {
  const ui = await open(QUESTION, { height: 7 });
  expect(await ui.draw()).toContain("Enlarge the window to answer");
  await ui.act(() => ui.mockInput.pressEnter());
  await ui.draw();
  expect(ui.answers).toEqual([]);
  await ui.act(() => ui.resize(80, 24));
  await ui.draw();
  expect(await ui.draw()).toContain("claude asks: Old API");
  await ui.act(() => ui.mockInput.pressEnter());
  expect(ui.answers).toEqual([{ type: "answer", values: ["Keep it"] }]);
  ui.close();
});
