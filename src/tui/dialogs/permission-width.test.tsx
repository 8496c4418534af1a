import { expect, test } from "bun:test";
import type { PermissionRequest } from "../../contracts/index.ts";
import { renderUi } from "../fixtures/render-ui.tsx";
import { AskDialog } from "./ask-dialog.tsx";

async function draw(command: string, width: number): Promise<string> {
  const request: PermissionRequest = {
    ...{ id: "1", sessionId: "s", kind: "shell", toolName: "Bash", title: "Bash", command, paths: [], isOnce: true },
  };
  const ask = { type: "permission", id: "1", at: 0, request, answer: () => undefined } as const;
  const ui = await renderUi(<AskDialog ask={ask} otherCount={0} />, { width, height: 80 });
  const screen = await ui.draw();
  ui.close();
  // Only what is inside of the border, as one line.
  return screen
    .split("\n")
    .map((line) => line.slice(4, -1).trimEnd())
    .join("")
    .replaceAll(" ", "");
}

test.each([
  ...["\u2764", "\u2760", "\u2622", "\u269b", "\u26d1", "\u1161", "\u11ff", "\u203c", "\u2049", "\u0e33", "\u0c5c"],
  ...["\u0301", "\u200d", "\ufe0f", "\u{1f1e6}", "\u{1f3fd}", "\u{1f44d}", "\u0980", "漢", "한", "é", "я", "\uff9e"],
  ...["\u0e17\u0e35\u0e48", "e\u0301", "\u05e9\u05b8\u05c1", "\u0645\u064e"],
])("a command with many %p is on the screen to its last character", async (character) => {
  const command = `echo ${character.repeat(41)}; touch PWNED;${" ".repeat(24)}#${character.repeat(10)}END`;
  for (const width of [40, 90]) {
    const screen = await draw(command, width);
    expect(screen).toContain("touchPWNED;#");
    expect(screen).toContain("END");
  }
});
