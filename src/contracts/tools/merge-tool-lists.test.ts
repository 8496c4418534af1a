import { expect, test } from "bun:test";
import { mergeToolLists } from "./merge-tool-lists.ts";

test.each<{
  ofAgent: readonly string[] | undefined;
  own: readonly string[] | undefined;
  merged: readonly string[] | undefined;
}>([
  { ofAgent: undefined, own: undefined, merged: undefined },
  { ofAgent: ["Read"], own: undefined, merged: ["Read"] },
  { ofAgent: undefined, own: ["*", "!Write"], merged: ["*", "!Write"] },
  { ofAgent: ["Read"], own: ["*", "!WebFetch"], merged: ["Read", "!WebFetch"] },
  { ofAgent: ["Read"], own: ["!WebFetch"], merged: ["Read", "!WebFetch"] },
  { ofAgent: ["*", "!Write"], own: [" * ", " !Bash(rm:*)"], merged: ["*", "!Write", " !Bash(rm:*)"] },
  { ofAgent: ["!Write"], own: ["!Bash", "!Write"], merged: ["!Write", "!Bash"] },
  { ofAgent: [], own: ["!WebFetch"], merged: [] },
  { ofAgent: ["Read"], own: ["Bash", "!Write"], merged: ["Bash", "!Write"] },
  { ofAgent: ["Read"], own: ["*"], merged: ["*"] },
  { ofAgent: ["Read"], own: [], merged: [] },
  { ofAgent: ["*", "!Bash"], own: ["bash"], merged: ["bash", "!Bash"] },
  { ofAgent: ["Read", "!Bash(rm:*)"], own: ["Bash", "!Write"], merged: ["Bash", "!Write", "!Bash(rm:*)"] },
  { ofAgent: [" !Bash"], own: ["*"], merged: ["*", " !Bash"] },
  { ofAgent: ["*", "!Bash"], own: [], merged: [] },
])("an agent's $ofAgent and $own of its own are $merged", ({ ofAgent, own, merged }) => {
  expect(mergeToolLists(ofAgent, own)).toEqual(merged);
});
