import { expect, test } from "bun:test";
import { expandArguments } from "./expand-arguments.ts";

test.each([
  { title: "all of them, as they are", text: "Do: $ARGUMENTS!", given: ' a  "b c" ', expected: 'Do: a  "b c"!' },
  { title: "in every place", text: "$ARGUMENTS and $ARGUMENTS", given: "x", expected: "x and x" },
  { title: "one by one", text: "from $1 to $2, $2", given: "main topic", expected: "from main to topic, topic" },
  {
    title: "words that quotes hold together",
    text: "<$1> <$2> <$3>",
    given: `"a b" 'c "d' e="f g"`,
    expected: `<a b> <c "d> <e=f g>`,
  },
  { title: "an apostrophe, which is no quote", text: "<$1> <$2>", given: "don't stop", expected: "<don't> <stop>" },
  { title: "nothing for what is not given", text: "<$1> <$2>", given: "a", expected: "<a> <>" },
  { title: "no place in an argument", text: "$1 $2", given: "$2 $ARGUMENTS", expected: "$2 $ARGUMENTS" },
  { title: "no pattern of a replacement", text: "[$ARGUMENTS]", given: "$& $' $$", expected: "[$& $' $$]" },
  {
    title: "nothing where there is no place",
    text: "costs $10, $0, $ARGUMENTS_X, $HOME",
    given: "",
    expected: "costs $10, $0, $ARGUMENTS_X, $HOME",
  },
  {
    title: "them at the end of a text without a place",
    text: "Commit.",
    given: "now",
    expected: "Commit.\n\nARGUMENTS: now",
  },
  { title: "nothing at the end when there are none", text: "Commit.", given: "  ", expected: "Commit." },
])("arguments: $title", ({ text, given, expected }) => {
  expect(expandArguments(text, given)).toBe(expected);
});

test("arguments that are absent can have a text", () => {
  expect(expandArguments("Do $ARGUMENTS with <$1>", "", "[no arguments]")).toBe("Do [no arguments] with <>");
});
