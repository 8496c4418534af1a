import { expect, test } from "bun:test";
import { type AskedQuestion, askedQuestionsOf, formatAnswer } from "./asked-questions.ts";

const COLOR = {
  question: "Which colour?",
  header: "Colour",
  options: [{ label: "Red", description: "Like fire" }, { label: "Red, dark" }, { label: "Blue" }],
};
const WHY = { question: "Why?", options: [] };
const START = "User has answered your questions: ";
const END = ". You can now continue with the user's answers in mind.";

function answersOf(questions: readonly AskedQuestion[] | undefined): readonly string[] | undefined {
  return questions?.map(formatAnswer);
}

test("a question has its options, those that were chosen, and the person's own words", () => {
  const output = `${START}"Which colour?"="Red, dark, or "none"", "Why?"="Because, well."${END}`;
  expect(askedQuestionsOf("AskUserQuestion", { questions: [COLOR, WHY] }, output)).toEqual([
    {
      ...{ question: "Which colour?", header: "Colour", ownAnswer: 'or "none"' },
      options: [
        { label: "Red", description: "Like fire", isChosen: false },
        { label: "Red, dark", isChosen: true },
        { label: "Blue", isChosen: false },
      ],
    },
    { question: "Why?", options: [], ownAnswer: "Because, well." },
  ]);
});

test.each([
  { title: "nothing yet", output: "", answers: ["", ""] },
  {
    title: "several options",
    output: `${START}"Which colour?"="Blue, Red", "Why?"="Yes"${END}`,
    answers: ["Red, Blue", "Yes"],
  },
  { title: "no answer", output: `${START}"Which colour?"="Unanswered", "Why?"="Yes"${END}`, answers: ["", "Yes"] },
  { title: "another output", output: "Error: no", answers: ["", ""] },
  { title: "an output that ends early", output: `${START}"Which colour?"="`, answers: ["", ""] },
])("the answers of OpenCode: $title", ({ output, answers }) => {
  expect(answersOf(askedQuestionsOf("question", { questions: [COLOR, WHY] }, output))).toEqual(answers);
});

test.each([
  { output: "User selected: Red", answers: ["Red"] },
  { output: "User responded: Neither", answers: ["Neither"] },
])("the answer of Copilot: $output", ({ output, answers }) => {
  const input = { question: "Which?", choices: ["Red", "Blue"] };
  expect(answersOf(askedQuestionsOf("ask_user", input, output))).toEqual(answers);
});

test.each<{ title: string; tool: string; input: unknown }>([
  { title: "another tool", tool: "Bash", input: { questions: [COLOR] } },
  { title: "no input", tool: "question", input: null },
  { title: "no question", tool: "question", input: { questions: [] } },
  { title: "a question that is no text", tool: "question", input: { questions: [COLOR, { question: 5 }] } },
  { title: "options that are no list", tool: "question", input: { questions: [{ question: "Q", options: "ab" }] } },
  { title: "an option without a label", tool: "question", input: { questions: [{ question: "Q", options: [{}] }] } },
  { title: "too many questions", tool: "question", input: { questions: Array.from({ length: 21 }, () => COLOR) } },
])("a form that is not known is no question: $title", ({ tool, input }) => {
  expect(askedQuestionsOf(tool, input)).toBeUndefined();
});
