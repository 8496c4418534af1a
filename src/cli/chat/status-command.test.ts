import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import process from "node:process";
import { noRedaction } from "../../contracts/index.ts";
import { runStatusCommand } from "./status-command.ts";

function run(command: string, timeoutMs?: number): Promise<string> {
  return runStatusCommand(
    command,
    { agent: "claude", tokens: 12 },
    {
      workingDirectory: tmpdir(),
      env: { PATH: process.env.PATH ?? "" },
      redactor: noRedaction,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    },
  );
}

test.each([
  ["cat; echo second", '{"agent":"claude","tokens":12}'],
  ["printf 'no line break'", "no line break"],
  ["echo >&2 error", ""],
  ["echo ignored; exit 1", ""],
  ["no-such-program", ""],
  ["yes | head -c 100000 | tr -d '\\n'", "y".repeat(2_000)],
])("%j shows %j", async (command, line) => {
  expect(await run(command)).toBe(line);
});

test("a command that does not end in time shows nothing", async () => {
  expect(await run("echo early; sleep 100", 50)).toBe("");
});
