import { expect, test } from "bun:test";
import { boundEffect, joinHookTexts, MAX_HOOK_TEXT } from "./bound-effect.ts";
import { readClaudeRun } from "./claude-hook-shape.ts";
import { readCopilotRun } from "./copilot-hook-shape.ts";
import type { HookEffect } from "./hook-effect.ts";

const LONG = "x".repeat(MAX_HOOK_TEXT + 1);
const CUT = `${"x".repeat(10_000)}\n… (cut by Atomic: the text of this hook is longer than 10,000 characters) …`;
const NOTE = "wrote more than 10,000 characters; Atomic left out the rest. Shorten what it prints";

test("every text of a hook is cut at 10,000 characters, and both sides are informed", () => {
  for (const name of ["block", "ask", "feedback", "context", "stop", "notice", "problem"] as const)
    expect(boundEffect({ [name]: LONG })).toEqual({ effect: { [name]: CUT }, cut: NOTE });
});

test("texts of 10,000 characters, and the input of a changed call, stay whole", () => {
  const effect: HookEffect = { context: LONG.slice(1), input: { content: LONG } };
  expect(boundEffect(effect)).toEqual({ effect, cut: undefined });
});

test("a changed prompt may be 10,000 characters longer than the message", () => {
  const fits = { prompt: "y".repeat(10_005) };
  expect(boundEffect(fits, { promptLength: 5 })).toEqual({ effect: fits, cut: undefined });
  expect(boundEffect({ prompt: `${fits.prompt}y` }, { promptLength: 5 }).effect.prompt).toBe(
    `${fits.prompt}\n… (cut by Atomic: the text of this hook is longer than 10,005 characters) …`,
  );
});

test("texts of many hooks reach the agent up to 50,000 characters, and both sides are informed", () => {
  const texts = ["a", "b", "c", "d", "e", "f"].map((letter) => letter.repeat(9_998));
  expect(joinHookTexts(texts.slice(0, 5))).toEqual({ text: texts.slice(0, 5).join("\n\n"), cut: undefined });
  expect(joinHookTexts([...texts, "g"])).toEqual({
    text: `${texts.slice(0, 5).join("\n\n")}\n\n… (Atomic left out 2 further texts of hooks, which exceed 50,000 characters) …`,
    cut: "Hooks wrote more than 50,000 characters for one message; Atomic left out the rest. Shorten what they print.",
  });
});

test("a character of two units is not cut in half", () => {
  const text = `${"x".repeat(9_999)}😀`;
  expect(boundEffect({ block: text }).effect.block).toStartWith(`${"x".repeat(9_999)}\n…`);
});

test("an answer in JSON that is too long to be read is reported, and denies a call where failures do", () => {
  const run = { type: "exited", exitCode: 0, stdout: `{"a":"${LONG}`, stderr: "", isCut: true } as const;
  const problem = "printed more than 1,000,000 bytes of JSON, which is ignored";
  expect([
    readClaudeRun("PreToolUse", run),
    readCopilotRun("preToolUse", run),
    readCopilotRun("agentStop", run),
  ]).toEqual([{ problem }, { block: `It ${problem}.` }, { problem }]);
});
