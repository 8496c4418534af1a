import { expect, test } from "bun:test";
import { questionText } from "./question-text.ts";

test.each([
  { request: {}, text: "Fine?" },
  { request: { header: "Part" }, text: "Part: Fine?" },
  { request: { item: "alpha" }, text: "alpha: Fine?" },
  { request: { item: "alpha", header: "Part" }, text: "alpha: Part: Fine?" },
  { request: { item: "alpha", header: "Part alpha" }, text: "Part alpha: Fine?" },
])("a question reads $text", ({ request, text }) => {
  expect(questionText({ question: "Fine?", ...request })).toBe(text);
});
