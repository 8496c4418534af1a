import { expect, test } from "bun:test";
import { createWorkflowRegistry } from "../../../workflows/run-kit.ts";
import { parseWorkflowArguments } from "./workflow-arguments.ts";

const builtIn = createWorkflowRegistry([]);

test.each<[workflow: string, args: string, prompt: string, options: readonly string[]]>([
  ["ralph", "", "", []],
  ["ralph", "Repair the cart", "Repair the cart", []],
  ["ralph", '"Repair the cart"', "Repair the cart", []],
  ["ralph", "'Repair the cart' --verify 'npm test'", "Repair the cart", ["--input", "verifyCommand=npm test"]],
  ["ralph", '--workers 3 Repair "the" cart', 'Repair "the" cart', ["--input", "workers=3"]],
  ["ralph", 'a --verify-command="x \\" y" b', "a b", ["--input", 'verifyCommand=x " y']],
  ["ralph", "a --input verifyCommand='x y' b", "a b", ["--input", "verifyCommand=x y"]],
  ["ralph", 'a --verify "x \\" y" b', "a b", ["--input", 'verifyCommand=x " y']],
  [
    "ralph",
    "a --setup=make --pr --no-review",
    "a",
    [...["--input", "setupCommand=make", "--input", "pullRequest=true", "--input", "review=false"]],
  ],
  ["ralph", "add the option --json to list", "add the option --json to list", []],
  ["ralph", "two\nlines --pr\nmore", "two\nlines more", ["--input", "pullRequest=true"]],
  ["ralph", "a --verify", "a --verify", []],
  ["ralph", "a '--pr'", "a '--pr'", []],
  ["ralph", "a --input workers=2 --input nothing", "a --input nothing", ["--input", "workers=2"]],
  ["review", "main", "", ["--input", "base=main"]],
  [
    "review",
    "--input base=main --severity low --fix",
    "",
    [...["--input", "base=main", "--input", "severity=low", "--input", "fix=true"]],
  ],
])("/%s %s has the prompt %j and the options %j", (workflow, args, prompt, options) => {
  expect(parseWorkflowArguments(args, builtIn.find(workflow).metadata.inputs)).toEqual({ prompt, options });
});

test("a workflow that declares no inputs takes a prompt and --input", () => {
  expect(parseWorkflowArguments("go --input depth=2 on", undefined)).toEqual({
    prompt: "go on",
    options: ["--input", "depth=2"],
  });
});
