import { describe, expect, test } from "bun:test";
import type { AgentQuestion, PermissionRequest } from "../../contracts/index.ts";
import type { OpenAsk } from "../chat/chat-state.ts";
import { askToPages, readAnswer } from "./plain-asks.ts";

const REQUEST: PermissionRequest = {
  ...{ id: "p1", sessionId: "s1", kind: "shell", toolName: "Bash", title: "Run npm install", paths: [] },
  command: "npm install",
};

function permission(request: Partial<PermissionRequest> = {}): OpenAsk {
  return { type: "permission", id: "a1", at: 0, request: { ...REQUEST, ...request }, answer: () => undefined };
}

function question(change: Partial<AgentQuestion> = {}): OpenAsk {
  const asked: AgentQuestion = {
    ...{ id: "q1", sessionId: "s1", header: "API", question: "Keep the old API?", isMultiple: false },
    options: [{ label: "Keep", description: "Nothing breaks" }, { label: "Remove" }],
    ...change,
  };
  return { type: "question", id: "a1", at: 0, question: asked, answer: () => undefined };
}

const describeRequest = ({ title, command = "" }: PermissionRequest): readonly string[] => [title, command];

test("the signs before the lines of a permission request are of ASCII", () => {
  const lines = (request: PermissionRequest) => ["Command:", `  │ ${request.command}`, "  ┆ --save", "said │ and ┆"];
  expect(askToPages(permission({ isOnce: true }), { describeRequest: lines })).toEqual([
    [
      ...["asks: Command:", "    | npm install", "    : --save", "  said │ and ┆"],
      ...["asks: 1 yes, once", "asks: 2 no; a reason may follow"],
    ],
  ]);
});

describe("askToPages", () => {
  test.each([
    {
      name: "a permission request",
      ask: permission(),
      lines: [
        "asks: Run npm install",
        "  npm install",
        "asks: 2 and 3 allow exactly this command.",
        "asks: 1 yes, once",
        "asks: 2 yes, for this session",
        "asks: 3 yes, always in this project",
        "asks: 4 no; a reason may follow",
      ],
    },
    {
      name: "a request that can only be allowed once",
      ask: permission({ isOnce: true }),
      lines: ["asks: Run npm install", "  npm install", "asks: 1 yes, once", "asks: 2 no; a reason may follow"],
    },
    {
      name: "a question",
      ask: question(),
      lines: [
        "asks: API: Keep the old API?",
        "asks: 1 Keep - Nothing breaks",
        "asks: 2 Remove",
        "asks: Type a number from 1 to 2, or an answer of your own. 0 leaves it unanswered.",
      ],
    },
    {
      name: "a question with a long description, cut with signs of ASCII",
      ask: question({ options: [{ label: "Keep", description: "x".repeat(300) }] }),
      lines: [
        "asks: API: Keep the old API?",
        `asks: 1 Keep - ${"x".repeat(199)}...`,
        "asks: Type a number from 1 to 1, or an answer of your own. 0 leaves it unanswered.",
      ],
    },
    {
      name: "a question without options",
      ask: question({ options: [] }),
      lines: ["asks: API: Keep the old API?", "asks: Type your answer. 0 leaves it unanswered."],
    },
  ])("shows $name with the numbers to type", ({ ask, lines }) => {
    expect(askToPages(ask, { describeRequest })).toEqual([lines]);
  });
});

describe("a request that is longer than the screen", () => {
  const command = Array.from({ length: 20 }, (_, index) => `echo ${index + 1}`).join("\n");
  const ask = permission({ isOnce: true, command, title: "Bash" });
  const [first = [], second = [], third = [], ...none] = askToPages(ask, {
    describeRequest: (request) => [request.title, ...(request.command ?? "").split("\n")],
    rows: 16,
  });

  test("has pages, and the numbers for yes only on the last one", () => {
    const more = "Press Enter to read on, then yes is possible. 2 says no.";
    expect([first[0], first.slice(-2)]).toEqual(["asks: Bash", ["  echo 8", `asks: 12 more rows. ${more}`]]);
    expect([second[0], second.slice(-2)]).toEqual(["  echo 9", ["  echo 17", `asks: 3 more rows. ${more}`]]);
    expect([...third, ...none]).toEqual([
      ...["  echo 18", "  echo 19", "  echo 20", "asks: 1 yes, once", "asks: 2 no; a reason may follow"],
    ]);
  });

  test("can be denied on each page, and allowed on the last one", () => {
    expect(readAnswer(ask, "1", { pagesLeft: 1 })).toEqual({
      type: "unclear",
      hint: "Press Enter to read on, then yes is possible. 2 says no.",
    });
    expect(readAnswer(ask, "2", { pagesLeft: 1 }).type).toBe("decision");
    expect(readAnswer(ask, "1").type).toBe("decision");
  });
});

test("a request that nobody can read can only be denied", () => {
  const ask = permission({ command: "x".repeat(100_001) });
  expect(askToPages(ask, { describeRequest: ({ title }) => [title] })).toEqual([
    [
      "asks: This call has 100,005 characters, too many to read here: the most is 100,000. It can only be denied; a rule can allow such calls. This is its start:",
      "asks: Bash",
      "asks: 1 no; a reason may follow",
    ],
  ]);
  expect(readAnswer(ask, "2")).toEqual({ type: "unclear", hint: "Type 1. After 1, a reason may follow." });
  expect(readAnswer(ask, "1").type).toBe("decision");
});

describe("readAnswer", () => {
  const deny = (reason: string) => ({ type: "decision", decision: { type: "deny", reason } });
  const allow = (scope: string) => ({ type: "decision", decision: { type: "allow", scope } });
  const unclear = { type: "unclear", hint: "Type a number from 1 to 4. After 4, a reason may follow." };

  test.each([
    { line: "1", answer: allow("once") },
    { line: " 2 ", answer: allow("session") },
    { line: "3", answer: allow("project") },
    { line: "4", answer: deny("The user denied this call.") },
    { line: "4 use pnpm", answer: deny("The user denied this call: use pnpm") },
    { line: "4 use pnpm\nor yarn", answer: deny("The user denied this call: use pnpm\nor yarn") },
    { line: "1 use pnpm", answer: unclear },
    { line: "0", answer: unclear },
    { line: "5", answer: unclear },
    { line: "yes", answer: unclear },
    { line: "1x", answer: unclear },
  ])("reads $line for a permission request", ({ line, answer }) => {
    expect<unknown>(readAnswer(permission(), line)).toEqual(answer);
  });

  test.each([
    { line: "2", change: {}, values: ["Remove"] },
    { line: "keep it for now", change: {}, values: ["keep it for now"] },
    { line: "1, 2", change: { isMultiple: true }, values: ["Keep", "Remove"] },
    { line: "2 2", change: { isMultiple: true }, values: ["Remove"] },
    { line: "3", change: { options: [] }, values: ["3"] },
  ])("reads $line for a question", ({ line, change, values }) => {
    expect(readAnswer(question(change), line)).toEqual({ type: "answer", answer: { type: "answer", values } });
  });

  test.each(["3", "1,2", "", "1,9"])("asks once more after %p", (line) => {
    expect(readAnswer(question(), line)).toEqual({
      type: "unclear",
      hint: "Type a number from 1 to 2, or an answer of your own. 0 leaves it unanswered.",
    });
  });

  test("leaves a question unanswered with 0", () => {
    expect(readAnswer(question(), "0")).toEqual({
      type: "answer",
      answer: { type: "decline", reason: "The user left the question unanswered." },
    });
  });
});
