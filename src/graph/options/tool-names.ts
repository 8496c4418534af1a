import { findMisspelledTools, isToolEntry } from "../../contracts/index.ts";
import { listOf } from "./find-option-problems.ts";
import { type OptionCheck, someText } from "./option-checks.ts";

/** An entry of a list of tools: an exclusion that excludes nothing would leave the agent a tool that its author took away. */
const toolName: OptionCheck = {
  expected: 'the name of a tool, such as "read", "!write" or "Bash(git:*)"',
  // The cast is true: only a text passes the first check.
  accepts: (value) => someText.accepts(value) && isToolEntry(value as string),
  inside(value, path) {
    const entry = String(value).trim();
    const [misspelled] = entry.startsWith("!") ? findMisspelledTools([entry], [], { minLength: 3 }) : [];
    if (misspelled === undefined) return [];
    return [`has ${path} "${entry}", which excludes nothing; did you mean "!${misspelled.nearest}"?`];
  },
};

/** The tools that an agent may call. */
export const toolNames: OptionCheck = listOf(toolName, "a list of names");
