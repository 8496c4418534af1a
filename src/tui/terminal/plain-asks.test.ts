import { describe, expect, test } from "bun:test";
import type { AgentQuestion, PermissionRequest } from "../../contracts/index.ts";
import type { OpenAsk } from "../chat/chat-state.ts";
import { askToLines, readAnswer } from "./plain-asks.ts";

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

describe("askToLines", () => {
  test.each([
    {
      name: "a permission request",
      ask: permission(),
      lines: [
        "asks: Run npm install",
        "  npm install",
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
      name: "a question without options",
      ask: question({ options: [] }),
      lines: ["asks: API: Keep the old API?", "asks: Type your answer. 0 leaves it unanswered."],
    },
  ])("shows $name with the numbers to type", ({ ask, lines }) => {
    expect(askToLines(ask, describeRequest)).toEqual(lines);
  });
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
