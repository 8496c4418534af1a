import { expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import { readPipedInput } from "./read-piped-input.ts";

const onNothing = (): void => {
  throw new Error("Something came.");
};

test.each([
  {
    title: "chunks are joined, without trailing white space",
    pieces: ["one\ntw", "o\n\n"],
    text: "one\ntwo",
  },
  { title: "all trailing white space is removed", pieces: ["  one \t\r\n \n"], text: "  one" },
  {
    title: "a character that is split over two chunks is decoded",
    pieces: [Buffer.from([0xe2, 0x82]), Buffer.from([0xac])],
    text: "€",
  },
  { title: "a pipe that ends at once is empty input", pieces: [], text: "" },
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

test("a pipe without a writer is abandoned, and does not keep the process alive", async () => {
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

test("more than 1 MiB is rejected before the pipe ends", async () => {
  const stdin = new PassThrough({ highWaterMark: 4_000_000 });
  stdin.write("x".repeat(1_048_577));
  expect(readPipedInput({ stdin, hasPipedInput: true }, { onNothing })).rejects.toThrow(
    "The piped input is larger than 1 MiB. Pipe a part of it, or write it to a file and pass that to the agent: --file PATH.",
  );
});

test("a pipe that closes before its end is an error", async () => {
  const stdin = new PassThrough();
  const reading = readPipedInput({ stdin, hasPipedInput: true }, { onNothing });
  stdin.once("data", () => stdin.destroy());
  stdin.write("half");
  await expect(reading).rejects.toThrow("The pipe closed before the end of the input.");
});

test("a pipe that breaks is an error", async () => {
  const stdin = new PassThrough();
  const reading = readPipedInput({ stdin, hasPipedInput: true }, { onNothing });
  stdin.destroy(new Error("The pipe broke."));
  expect(reading).rejects.toThrow("The pipe broke.");
});
