import { expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import { readPipedInput } from "./read-piped-input.ts";

const onNothing = (): void => {
  throw new Error("Something came.");
};

test.each([
  {
    title: "text in pieces is one, without the white space at its end",
    pieces: ["one\ntw", "o\n\n"],
    text: "one\ntwo",
  },
  { title: "all white space at its end is dropped", pieces: ["  one \t\r\n \n"], text: "  one" },
  { title: "a character in two pieces is whole", pieces: [Buffer.from([0xe2, 0x82]), Buffer.from([0xac])], text: "€" },
  { title: "a pipe that ends at once holds nothing", pieces: [], text: "" },
])("$title", async ({ pieces, text }) => {
  const stdin = new PassThrough();
  for (const piece of pieces) stdin.write(piece);
  stdin.end();
  expect(await readPipedInput({ stdin, hasPipedInput: true }, { onNothing })).toBe(text);
});

test("a keyboard is not read", async () => {
  const stdin = new PassThrough();
  expect(await readPipedInput({ stdin, hasPipedInput: false }, { onNothing })).toBe("");
  expect(stdin.destroyed).toBe(false);
});

test("a pipe that nobody writes to is given up, and keeps nothing alive", async () => {
  const stdin = new PassThrough();
  let isTold = false;
  const text = await readPipedInput(
    { stdin, hasPipedInput: true },
    {
      firstByteMs: 1,
      onNothing: () => {
        isTold = true;
      },
    },
  );
  expect({ text, isTold, isOpen: !stdin.destroyed }).toEqual({ text: "", isTold: true, isOpen: false });
});

test("more than 1 MiB is refused before the pipe has ended", async () => {
  const stdin = new PassThrough({ highWaterMark: 4_000_000 });
  stdin.write("x".repeat(1_048_577));
  expect(readPipedInput({ stdin, hasPipedInput: true }, { onNothing })).rejects.toThrow(
    "What is piped into the call is larger than 1 MiB. Pipe a part of it, or write it to a file and point the agent at that: --file PATH.",
  );
});

test("a pipe that closes before its end is an error", async () => {
  const stdin = new PassThrough();
  const reading = readPipedInput({ stdin, hasPipedInput: true }, { onNothing });
  stdin.once("data", () => stdin.destroy());
  stdin.write("half");
  await expect(reading).rejects.toThrow("What is piped into the call broke off before its end.");
});

test("a pipe that breaks is an error", async () => {
  const stdin = new PassThrough();
  const reading = readPipedInput({ stdin, hasPipedInput: true }, { onNothing });
  stdin.destroy(new Error("The pipe broke."));
  expect(reading).rejects.toThrow("The pipe broke.");
});
