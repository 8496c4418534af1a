import { expect, test } from "bun:test";
import type { PermissionRequest } from "../../contracts/index.ts";
import { EMPTY_CHAT, reduceChat } from "./chat-model.ts";
import { initialChatState } from "./chat-state.ts";
import { ChatStore } from "./chat-store.ts";
import { placeFinder, withEditPlaces } from "./edit-places.ts";

const CHOICE = { agentType: "claude", model: undefined, effort: undefined, mode: "default" } as const;
const CONTENT = "a\nold\nb\n";
const AT_OLD = { line: 1, before: "a\n", after: "\nb" };

function requestOf(oldText: string, isEverywhere = false): PermissionRequest {
  const change = { path: "/p/a.ts", oldText, newText: "new" };
  return {
    ...{ id: "p", sessionId: "s", kind: "edit", toolName: "Edit", title: "Edit: a.ts", paths: ["/p/a.ts"] },
    details: { type: "edit", changes: [isEverywhere ? { ...change, isEverywhere } : change] },
  };
}

async function placeOf(request: PermissionRequest, readFile?: (path: string) => Promise<string | undefined>) {
  const { details } = await placeFinder(readFile === undefined ? {} : { readFile })(request);
  return details?.type === "edit" ? details.changes.map(({ place }) => place) : undefined;
}

test("a request has the place of the old text in the file that it names", async () => {
  const read: string[] = [];
  const readFile = async (path: string) => {
    read.push(path);
    return CONTENT;
  };
  expect(await placeOf(requestOf("old"), readFile)).toEqual([AT_OLD]);
  expect(await placeOf(requestOf("old", true), readFile)).toEqual([undefined]);
  expect(read).toEqual(["/p/a.ts", "/p/a.ts"]);
});

test.each([
  { title: "missing", readFile: async () => undefined },
  { title: "not readable", readFile: async () => await Promise.reject(new Error("no")) },
  { title: "too slow", readFile: () => new Promise<string>(() => undefined) },
  { title: "hiding characters beside the text", readFile: async () => "a\u202e\nold" },
])("a request stays as it is where its file is $title", async ({ readFile }) => {
  expect(await placeFinder({ readFile })(requestOf("old"))).toEqual(requestOf("old"));
});

test("a request stays as it is where the program reads no files", async () => {
  expect(await placeOf(requestOf("old"))).toEqual([undefined]);
});

test("after an edit, its card has the place of the new text; a failed one has none", async () => {
  const store = new ChatStore({ ...initialChatState(CHOICE), model: EMPTY_CHAT }, () => 0);
  const changed = Promise.withResolvers<void>();
  const readFile = async () => "a\nnew\nb\n";
  const send = withEditPlaces((event) => store.reduce((model) => reduceChat(model, event)), {
    ...{ host: { readFile }, store },
  });
  const input = {
    file_path: "a.ts",
    edits: [
      { old_string: "old", new_string: "new" },
      { old_string: "x", new_string: "" },
    ],
  };
  const about = { sessionId: "s", toolName: "Edit", at: 1 } as const;
  for (const toolId of ["failed", "done"]) {
    send({ ...about, type: "tool-start", toolId, kind: "edit", input });
    send({ ...about, type: "tool-end", toolId, isError: toolId === "failed", output: "" });
  }
  store.subscribe(() => changed.resolve());
  await changed.promise;
  expect(store.snapshot().model.entries.map((entry) => entry.type === "tool" && entry.places)).toEqual([
    undefined,
    [AT_OLD, null],
  ]);
});
