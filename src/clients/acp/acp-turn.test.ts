import { describe, expect, test } from "bun:test";
import type { PermissionRequest } from "../../contracts/index.ts";
import { CallAllowances } from "./acp-turn.ts";

const edit = (id: string, ...paths: readonly string[]): PermissionRequest => ({
  id,
  sessionId: "s",
  kind: "edit",
  toolName: "edit",
  title: "",
  paths,
});

describe("what was allowed for a call", () => {
  test("may be done once, however often the agent asks about the call", () => {
    const allowances = new CallAllowances();
    allowances.add(edit("call", "/a"));
    allowances.add(edit("call", "/a", "/b"));
    const taken = [edit("1", "/a"), edit("2", "/a"), edit("3", "/b")].map((request) => allowances.take(request));
    expect(taken).toEqual([true, false, true]);
  });

  test("is allowed again for another call, and for one without an identifier", () => {
    const allowances = new CallAllowances();
    for (const id of ["call", "other", "", ""]) allowances.add(edit(id, "/a"));
    const taken = [1, 2, 3, 4, 5].map((number) => allowances.take(edit(String(number), "/a")));
    expect(taken).toEqual([true, true, true, true, false]);
  });
});
