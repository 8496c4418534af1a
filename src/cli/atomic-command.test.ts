import { expect, test } from "bun:test";
import { AtomicCommand } from "./atomic-command.ts";

/** The error of a call with an option that no command knows. */
function errorOf(option: string): string {
  const program = new AtomicCommand("atomic").exitOverride().configureOutput({ writeErr: () => undefined });
  program
    .command("run")
    .option("--yolo")
    .option("--allow <tools>")
    .option("--trust")
    .option("--force")
    .option("--follow-up")
    .action(() => undefined);
  try {
    program.parse(["run", option], { from: "user" });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error("The option was accepted.");
}

test.each(["--foo", "--solo", "--tool", "--format", "--test", "--hallow"])(
  "%s leads to no option that makes the call less safe",
  (option) => {
    expect(errorOf(option)).toBe(`error: unknown option '${option}'`);
  },
);

test.each([
  ["--yol", "--yolo"],
  ["--alow", "--allow"],
  ["--trus", "--trust"],
  ["--froce", "--force"],
  ["--folow-up", "--follow-up"],
])("the misspelling %s is recognised", (option, meant) => {
  expect(errorOf(option)).toBe(`error: unknown option '${option}'\n(Did you mean ${meant}?)`);
});
