import { expect, test } from "bun:test";
import type { PermissionRequest } from "../../contracts/index.ts";
import { LateConnection } from "./late-connection.ts";

const REQUEST: PermissionRequest = {
  ...{ id: "1", sessionId: "1", kind: "shell", toolName: "shell", title: "ls", paths: [] },
};
const { signal } = new AbortController();

test("notices from before the connection are shown when it is made, each of them once", () => {
  const connection = new LateConnection();
  const lines: unknown[] = [];
  connection.tell("early");
  connection.tell("early");
  connection.reloadCommands();
  connection.connect({
    onPermissionAsk: async () => ({ type: "allow" }),
    onNotice: (...line) => lines.push(line),
    onCommandsChange: () => lines.push("reload"),
  });
  connection.tell("late", "info");
  connection.tell("early");
  connection.reloadCommands();
  expect(lines).toEqual([["early", "warning"], ["late", "info"], "reload"]);
});

test("a call is denied before the connection, and the person is asked after it", async () => {
  const connection = new LateConnection();
  expect(await connection.ask(REQUEST, { signal })).toEqual({ type: "deny", reason: "Nobody can approve it yet." });
  connection.connect({
    onPermissionAsk: async ({ title }) => ({ type: "deny", reason: `not ${title}` }),
    onNotice: () => undefined,
    onCommandsChange: () => undefined,
  });
  expect(await connection.ask(REQUEST, { signal })).toEqual({ type: "deny", reason: "not ls" });
});
