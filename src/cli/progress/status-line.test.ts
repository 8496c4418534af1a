import { afterEach, expect, test } from "bun:test";
import pc from "picocolors";
import { renderScreen } from "../fixtures/screen.ts";
import { TextStream } from "../fixtures/text-stream.ts";
import { createStatusLine, type StatusLine } from "./status-line.ts";

const opened: StatusLine[] = [];

afterEach(() => {
  for (const line of opened.splice(0)) line.close();
});

function openLine(columns = 60): { readonly output: TextStream; readonly line: StatusLine } {
  const output = new TextStream({ isTTY: true, columns });
  const line = createStatusLine(output, { colors: pc.createColors(false), facts: ["claude", "opus"] });
  opened.push(line);
  return { output, line };
}

/** The screen, with what depends on the moment replaced. */
function screenOf(output: TextStream): readonly string[] {
  return renderScreen(output.text).map((line) => line.replace(/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/u, "~").replace(/\d+(?:ms|s)\b/g, "<t>"));
}

test("the line appears at once, moves by itself and is erased at the end", async () => {
  const { output, line } = openLine();
  line.show("starting");
  expect(screenOf(output)).toEqual(["~ claude · opus · <t> · starting"]);
  await output.waitFor("starting", output.text.length);
  line.close();
  line.close();
  expect(screenOf(output)).toEqual([]);
});

test("a line that is hidden is not drawn until it is shown again, and never after it was closed", () => {
  const { output, line } = openLine();
  line.show("");
  line.hide();
  expect(screenOf(output)).toEqual([]);
  line.show("bash npm test");
  expect(screenOf(output)).toEqual(["~ claude · opus · <t> · bash npm test"]);
  line.close();
  line.show("late");
  expect(screenOf(output)).toEqual([]);
});

test("while it is paused the screen belongs to someone else", () => {
  const { output, line } = openLine();
  line.show("thinking");
  const resume = line.pause();
  line.pause()();
  line.show("bash npm test");
  output.write("Allow this?\n");
  expect(screenOf(output)).toEqual(["Allow this?"]);
  resume();
  resume();
  expect(screenOf(output)).toEqual(["Allow this?", "~ claude · opus · <t> · bash npm test"]);
});

test("a line that was not shown is not shown after a pause", () => {
  const { output, line } = openLine();
  line.pause()();
  expect(output.text).toBe("");
});

test("what an agent does cannot act on the terminal, and has room in one line", () => {
  const { output, line } = openLine(44);
  line.show(`bash\n\u001b[2J${"x".repeat(50)}`);
  expect(screenOf(output)).toEqual([expect.stringMatching(/^~ claude · opus · <t> · bash x+…$/)]);
});
