import { expect, test } from "bun:test";
import { lastAnswerOf } from "../chat/last-answer.ts";
import { UNICODE_GLYPHS } from "../theme/glyphs.ts";
import { entryToLines } from "./entry-to-lines.ts";
import { CART, notice, subagent, text, thinking, turnEnd, user, userShell } from "./fixtures/entries.ts";
import { copyTextOf, formatEntry, formatTranscript } from "./format-transcript.ts";
import { codeBlocksOf } from "./markdown-to-lines.ts";
import { prepareMarkdown } from "./prepare-markdown.ts";

test("a conversation is a Markdown document", () => {
  const facts = { title: "Repair", agentType: "claude", modelName: "sonnet", workingDirectory: "/work/shop" };
  expect(formatTranscript(CART, facts)).toBe(`# Repair

claude · sonnet

## You

The price of two items is wrong. Find out why.

I'll look at the cart first.

**Read** \`src/cart.ts\`

**Shell** \`npm test -- cart\` exit 1

\`\`\`text
Exit code 1
1 test failed
\`\`\`

**Edit** \`src/cart.ts\` +1 −1

\`\`\`diff
--- /work/shop/src/cart.ts
+++ /work/shop/src/cart.ts
-  return sum + item.price;
+  return sum + item.price * item.quantity;
\`\`\`

\`total()\` ignored the quantity. With the change all 14 tests pass.
`);
});

test("the summary of a compaction comes first", () => {
  expect(formatTranscript([user("Go")], { compactionSummary: "Before." })).toBe(
    "# Conversation\n\n## Summary of the compaction\n\nBefore.\n\n## You\n\nGo\n",
  );
});

test.each([
  {
    title: "a thought is folded",
    entry: thinking("hm"),
    expected: "<details><summary>Thinking</summary>\n\nhm\n\n</details>",
  },
  { title: "a notice is in italics", entry: notice("Compacted."), expected: "*Compacted.*" },
  {
    title: "a notice of several lines keeps them",
    entry: notice("all well\n  bun  1.3"),
    expected: "```text\nall well\n  bun  1.3\n```",
  },
  {
    title: "a message has its pasted text",
    entry: { ...user("see [pasted text, 2 lines]"), pastes: [{ label: "[pasted text, 2 lines]", text: "one\ntwo" }] },
    expected: "## You\n\nsee one\ntwo",
  },
  { title: "a completed turn is not mentioned", entry: turnEnd(), expected: "" },
  { title: "a stopped turn is", entry: turnEnd({ outcome: "aborted" }), expected: "*aborted after 1m 15s*" },
  {
    title: "a sub-agent has its task and its result",
    entry: subagent("Look", { task: "Find it", result: "Found" }),
    expected: "**Agent** Look\n\n> Find it\n\n> Found",
  },
  {
    title: "an output cannot end its code block",
    entry: userShell("cat x.md", { output: "```\ncode\n````\n" }),
    expected: "**!** `cat x.md`\n\n`````text\n```\ncode\n````\n`````",
  },
  { title: "a command cannot end its code span", entry: userShell("echo `x`"), expected: "**!** `` echo `x` ``" },
  { title: "control sequences are gone", entry: text("a\u001b]0;title\u0007b\u202ec"), expected: "abc" },
])("$title", ({ entry, expected }) => {
  expect(formatEntry(entry)).toBe(expected);
});

test("headings of messages are below those of the conversation, and a copy has them as they were", () => {
  const said = text("# Plan\n```sh\n# a comment");
  expect(formatTranscript([user("Title\n===\nGo"), said, user("On")])).toBe(
    "# Conversation\n\n## You\n\n### Title\nGo\n\n### Plan\n```sh\n# a comment\n```\n\n## You\n\nOn\n",
  );
  expect(copyTextOf(said)).toBe("# Plan\n```sh\n# a comment");
});

test("what is copied has no heading", () => {
  expect(copyTextOf(user("Hello"))).toBe("Hello");
  expect(lastAnswerOf(CART)).toBe("`total()` ignored the quantity. With the change all 14 tests pass.");
  expect(lastAnswerOf([user("Hello")])).toBeUndefined();
});

test("what a carriage return would hide is shown, copied and exported alike", () => {
  const entry = text("Run:\r```sh\rrm -rf /\recho hello\r\n```");
  const layout = { columns: 60, glyphs: UNICODE_GLYPHS };
  const markdown = prepareMarkdown(entry.text, { maxLines: 9, maxCharacters: 999, glyphs: UNICODE_GLYPHS });
  const expected = "Run:\n```sh\nrm -rf /\necho hello\n```";
  expect({
    chat: markdown.lines.join("\n"),
    transcript: entryToLines(entry, layout).map((line) => line.text),
    copy: copyTextOf(entry),
    block: codeBlocksOf(copyTextOf(entry)),
    answer: lastAnswerOf([entry]),
    exported: formatEntry(entry),
  }).toEqual({
    chat: expected,
    transcript: ["Run:", "  rm -rf /", "  echo hello"],
    copy: expected,
    block: ["rm -rf /\necho hello"],
    answer: expected,
    exported: expected,
  });
});
