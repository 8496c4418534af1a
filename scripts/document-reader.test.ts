import { expect, test } from "bun:test";
import { DocumentReader } from "./document-reader.ts";

test("a document is followed in a folder whose name looks like the id of a run", async () => {
  const repository = "/work/checkout-0123456789ab/4f0123456789";
  const commands: string[] = [];
  const outputs = [`${repository}/bin/atomic: run 5aaaaaaaaaaa has begun`, "run 5aaaaaaaaaaa is completed"];
  const run = async (command: string) => {
    commands.push(command);
    return { code: 0, output: outputs[commands.length - 1] ?? "" };
  };
  const reader = new DocumentReader({ home: "/home/0123456789ab", run }, repository);
  const begun = {
    command: "/path/to/atomic/bin/atomic run x",
    output: ["/path/to/atomic/bin/atomic: run 1bbbbbbbbbbb has begun"],
  };
  expect(await reader.carryOut(begun)).toEqual(["/path/to/atomic/bin/atomic: run RUN has begun"]);
  const shown = { command: "atomic runs show 1bbbbbbbbbbb", output: ["run 1bbbbbbbbbbb is completed"] };
  expect(await reader.carryOut(shown)).toEqual(["run RUN is completed"]);
  expect(commands).toEqual([`(exit 0)\n${repository}/bin/atomic run x`, "(exit 0)\natomic runs show 5aaaaaaaaaaa"]);
});
