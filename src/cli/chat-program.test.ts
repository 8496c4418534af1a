import { afterEach, beforeEach, expect, test } from "bun:test";
import { type CallOptions, TestEnvironment } from "./fixtures/test-environment.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

const person = { isInteractive: true, isTTY: true };

test.each([
  { title: "without a terminal", options: {} },
  { title: "when only the output is a terminal", options: { isTTY: true } },
  { title: "when the output is a pipe", options: { isInteractive: true } },
])("$title, atomic alone shows its help", async ({ options }) => {
  const { exitCode, stdout, stderr } = await environment.start([], options).ended;
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toStartWith("Usage: atomic [options] [command]\n");
});

test.each<{ readonly args: string[]; readonly options: CallOptions; readonly message: string }>([
  { args: ["--inline"], options: {}, message: "--inline needs a terminal, where the chat opens." },
  {
    args: ["-a", "claude"],
    options: { isTTY: true, env: { CI: "true" } },
    message: 'The chat does not open, because the variable CI is set. Unset it, or send one message: atomic -p "…"',
  },
  { args: ["-c"], options: {}, message: "--continue needs a terminal, where the chat opens." },
  { args: ["--json"], options: person, message: '--json needs a message: atomic -p "…" --json' },
  { args: ["--schema", "x"], options: person, message: '--schema needs a message: atomic -p "…" --schema <file>' },
  { args: ["-p", "hi", "--full"], options: person, message: "--full is for the chat. Omit -p, or the option." },
])("$args is an error that says what the option needs", async ({ args, options, message }) => {
  const { exitCode, stdout, stderr } = await environment.start(args, options).ended;
  const expected = args.includes("--json") ? "" : `error: ${message}\n(see: atomic --help)\n`;
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expected });
  if (args.includes("--json")) expect(JSON.parse(stdout)).toMatchObject({ message });
});

test.each([
  { args: ["--effort", "huge"], message: '--effort takes one of none, low, medium, high, max, and "huge" is none.' },
  { args: ["--plain", "--agent", "clade"], message: 'There is no agent "clade".' },
])("in a terminal, atomic $args opens the chat, which checks its options first", async ({ args, message }) => {
  const { exitCode, stderr } = await environment.start(args, person).ended;
  expect(exitCode).toBe(2);
  expect(stderr).toStartWith(`error: ${message}`);
});

test("an option of the chat before a command is an error of that call", async () => {
  expect(await environment.atomic("--inline", "doctor")).toEqual({
    exitCode: 2,
    stdout: "",
    stderr:
      "error: --inline before the command 'doctor' has no effect. Put it after the command: atomic doctor … --inline\n(see: atomic --help)\n",
  });
});
