import { expect, test } from "bun:test";
import { FakeChat, renderUi } from "../fixtures/render-ui.tsx";
import { TitleLine } from "./title-line.tsx";

test.each([
  { allowingOptions: undefined, line: "  claude · opus · plan · The cart" },
  { allowingOptions: ["--yolo"], line: "  claude · opus · plan · --yolo · The cart" },
  { allowingOptions: ["--yolo", "--allow"], line: "  claude · opus · plan · --yolo · --allow · The cart" },
])("the title line names the options that allow calls: $allowingOptions", async ({ allowingOptions, line }) => {
  const chat = new FakeChat({ agentType: "claude", modelName: "opus", mode: "plan", title: "The cart" });
  const host = allowingOptions === undefined ? {} : { allowingOptions };
  const ui = await renderUi(<TitleLine />, { height: 1, chat, host });
  expect((await ui.draw()).replace(/ {2,}\/work\/shop$/, "")).toBe(line);
  ui.close();
});
