import { expect, test } from "bun:test";
import { renderUi } from "../fixtures/render-ui.tsx";
import { FailedPart } from "./failed-part.tsx";

const ERROR = new Error("The command of this request cannot be read: it has a form that nobody knows, see the log.");

test.each<{ height: number; message: string[] }>([
  { height: 3, message: ["  ✗ This cannot be shown: The command"] },
  { height: 4, message: ["  ✗ This cannot be shown: The command", "  of this request cannot be read: it"] },
  {
    height: 9,
    message: [
      ...["  ✗ This cannot be shown: The command", "  of this request cannot be read: it"],
      ...["  has a form that nobody knows, see", "  the log."],
    ],
  },
])("in $height rows of 40 columns no row of an error is over another", async ({ height, message }) => {
  const ui = await renderUi(<FailedPart error={ERROR} />, { width: 40, height });
  expect((await ui.draw()).split("\n")).toEqual([
    ...message,
    "  esc returns to the chat. The",
    "  conversation is stored.",
  ]);
  ui.close();
});
