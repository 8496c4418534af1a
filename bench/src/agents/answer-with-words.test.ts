import { expect, test } from "bun:test";
import { answerWithWords, countWords } from "./answer-with-words.ts";

const TOOLS = ["read"];

test.each([
  {
    title: "the words that the last message names",
    asked: ["Say hi.", "Write 3 words."],
    toolNames: TOOLS,
    text: "w0 w1 w2",
  },
  {
    title: "a short text where the last message names none",
    asked: ["Write 3 words.", "Say hi."],
    toolNames: TOOLS,
    text: "Hi.",
  },
  { title: "a short text where no tools are offered", asked: ["Write 3 words."], toolNames: [], text: "Hi." },
])("the answer is $title", ({ asked, toolNames, text }) => {
  const messages = asked.map((said) => ({ role: "user", text: said }) as const);
  expect(answerWithWords({ messages: [{ role: "system", text: "9 words" }, ...messages], toolNames })).toEqual({
    type: "message",
    text,
  });
});

test.each([
  { text: "", count: 0 },
  { text: " \n", count: 0 },
  { text: "Hi.", count: 1 },
  { text: "w0 w1\n w2 ", count: 3 },
])("%p has so many words", ({ text, count }) => {
  expect(countWords(text)).toBe(count);
});
