import { isToolEntry } from "../../contracts/index.ts";
import { listOf } from "./find-option-problems.ts";
import { type OptionCheck, someText } from "./option-checks.ts";

/** An entry of a list of tools. Whether a tool has the name is known when the tools of the run are. */
const toolName: OptionCheck = {
  expected: 'the name of a tool, such as "read", "!write" or "Bash(git:*)"',
  // The cast is true: only a text passes the first check.
  accepts: (value) => someText.accepts(value) && isToolEntry(value as string),
};

/** The tools that an agent may call. */
export const toolNames: OptionCheck = listOf(toolName, "a list of names");
