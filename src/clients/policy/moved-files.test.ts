import { expect, test } from "bun:test";
import type { PermissionRequest } from "../../contracts/index.ts";
import { movedFilesOf, readingOfMoved } from "./moved-files.ts";

const PATCH = `*** Begin Patch
*** Add File: new.txt
+x
*** Update File: .env
*** Move to: public.txt
@@
+x
*** Update File: a.txt
@@
+x
***Update  File:b.txt\r
*** Move To: c.txt
*** End Patch`;

test("the files that a patch moves are found wherever its text is", () => {
  expect([movedFilesOf(PATCH), movedFilesOf({ patchText: PATCH }), movedFilesOf({ patchText: "none" })]).toEqual([
    [".env", "b.txt"],
    [".env", "b.txt"],
    [],
  ]);
});

test("a change that moves files needs what reading them needs, and no other does", () => {
  const request: PermissionRequest = {
    id: "1",
    sessionId: "s",
    kind: "edit",
    toolName: "apply_patch",
    title: "apply_patch: .env",
    paths: ["/work/.env"],
  };
  const place = { input: PATCH, workingDirectory: "/work" };
  expect([readingOfMoved(request, place), readingOfMoved(request, { ...place, input: "" })]).toEqual([
    {
      id: "1",
      sessionId: "s",
      kind: "read",
      toolName: "apply_patch",
      title: "apply_patch: .env, b.txt (is moved, and can be read under its new name)",
      paths: ["/work/.env", "/work/b.txt"],
    },
    undefined,
  ]);
});
