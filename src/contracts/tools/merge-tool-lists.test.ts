import { expect, test } from "bun:test";
import { mergeToolLists } from "./merge-tool-lists.ts";

test.each<{
  ofAgent: readonly string[] | undefined;
  ofPrompt: readonly string[] | undefined;
  merged: readonly string[] | undefined;
}>([
  { ofAgent: undefined, ofPrompt: undefined, merged: undefined },
  { ofAgent: ["Read"], ofPrompt: undefined, merged: ["Read"] },
  { ofAgent: undefined, ofPrompt: ["*", "!Write"], merged: ["*", "!Write"] },
  { ofAgent: ["Read"], ofPrompt: ["*", "!WebFetch"], merged: ["Read", "!WebFetch"] },
  { ofAgent: ["Read"], ofPrompt: ["!WebFetch"], merged: ["Read", "!WebFetch"] },
  { ofAgent: ["*", "!Write"], ofPrompt: [" * ", " !Bash(rm:*)"], merged: ["*", "!Write", " !Bash(rm:*)"] },
  { ofAgent: ["!Write"], ofPrompt: ["!Bash", "!Write"], merged: ["!Write", "!Bash"] },
  { ofAgent: [], ofPrompt: ["!WebFetch"], merged: [] },
  { ofAgent: ["Read"], ofPrompt: ["Bash", "!Write"], merged: ["Bash", "!Write"] },
  { ofAgent: ["Read"], ofPrompt: ["*"], merged: ["*"] },
  { ofAgent: ["Read"], ofPrompt: [], merged: [] },
])("an agent's $ofAgent and a prompt's $ofPrompt are $merged", ({ ofAgent, ofPrompt, merged }) => {
  expect(mergeToolLists(ofAgent, ofPrompt)).toEqual(merged);
});
