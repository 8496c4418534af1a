import { expect, test } from "bun:test";
import { IdleProcesses, type RestingSession } from "./idle-processes.ts";

test("the most recently used idle sessions and all busy ones keep their processes", () => {
  const ended: string[] = [];
  const sessionOf = (name: string): RestingSession => ({
    rest: async () => {
      ended.push(name);
    },
  });
  const [first, second, third] = [sessionOf("first"), sessionOf("second"), sessionOf("third")];
  const idle = new IdleProcesses(1);
  idle.add(first);
  idle.add(second);
  expect(ended).toEqual(["first"]);
  idle.remove(second);
  idle.add(first);
  expect(ended).toEqual(["first"]);
  idle.add(third);
  idle.add(third);
  expect(ended).toEqual(["first", "first"]);
});
