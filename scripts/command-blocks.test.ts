import { expect, test } from "bun:test";
import { readCommandBlocks, readFences, readShownFiles } from "./command-blocks.ts";

const PAGE = `# A page

\`\`\`sh
atomic run poem "the # sea" \\
  --agent scripted      # what it does
# only a comment

export A='#1'
\`\`\`

<!-- run -->
\`\`\`console
❯ atomic doctor
CHECK  STATUS
❯ echo $?
0
\`\`\`

- In a list:
  \`\`\`ts
  // .atomic/tools/lines.ts
  export default 1;
  \`\`\`

<!-- file: receiver.ts -->
\`\`\`ts
export {};
\`\`\`
`;

test("commands have no prompts, no comments and no output, and continued lines are one", () => {
  expect(readCommandBlocks(PAGE)).toEqual([
    { line: 3, marker: undefined, commands: [`atomic run poem "the # sea" --agent scripted`, "export A='#1'"] },
    { line: 12, marker: "run", commands: ["atomic doctor", "echo $?"] },
  ]);
});

test("a file is one that a comment before its block, or the first line of the block, names", () => {
  expect(readShownFiles(PAGE)).toEqual([
    { line: 20, path: ".atomic/tools/lines.ts", text: "// .atomic/tools/lines.ts\nexport default 1;\n" },
    { line: 26, path: "receiver.ts", text: "export {};\n" },
  ]);
  expect(readFences(PAGE).map(({ language }) => language)).toEqual(["sh", "console", "ts", "ts"]);
});
