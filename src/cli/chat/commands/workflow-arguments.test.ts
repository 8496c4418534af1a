import { expect, test } from "bun:test";
import { createWorkflowRegistry } from "../../../workflows/run-kit.ts";
import { UsageError } from "../../config/usage-error.ts";
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
  ["ralph", "-- add the option --json to list", "add the option --json to list", []],
  ["ralph", "--verify make -- add --verify x -- or not", "add --verify x -- or not", ["--input", "verifyCommand=make"]],
  ["ralph", '"add the option --json to list" --pr', "add the option --json to list", ["--input", "pullRequest=true"]],
  ["ralph", "fix it -- now --alongside, `--json` --- -->", "fix it -- now --alongside, `--json` --- -->", []],
  ["ralph", "two\nlines --pr\nmore", "two\nlines more", ["--input", "pullRequest=true"]],
  ["ralph", "a --alongside b", "a b", ["--alongside"]],
  ["ralph", "a '--pr'", "a '--pr'", []],
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

const IN_PROMPT = "If the word belongs to the prompt, quote it, or write -- before the prompt.";

test.each<[workflow: string, args: string, problem: string]>([
  ["ralph", '--verfy "npm test" do it', "Unknown option --verfy. Did you mean --verify?"],
  ["ralph", 'do it --verfy "npm test"', "Unknown option --verfy. Did you mean --verify?"],
  ["ralph", "do it --no-reviews", "Unknown option --no-reviews. Did you mean --no-review?"],
  ["ralph", "do it --along-side", "Unknown option --along-side. Did you mean --alongside?"],
  [
    "review",
    "--agent claude",
    "Unknown option --agent. Options: --base, --diff, --severity, --fix, --input, --alongside, --help.",
  ],
  ["ralph", "a --verify", "--verify takes a value."],
  ["ralph", "a --input workers", "--input takes NAME=VALUE."],
])("/%s %s is an error", (workflow, args, problem) => {
  const { inputs } = builtIn.find(workflow).metadata;
  expect(() => parseWorkflowArguments(args, inputs)).toThrow(new UsageError(`${problem} ${IN_PROMPT}`));
});

test("only the word --help itself shows the help", () => {
  const isHelp = (args: string) => parseWorkflowArguments(args, undefined).isHelp ?? false;
  expect(["--help", "a --help", "'--help'", "-- --help", "help"].map(isHelp)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
