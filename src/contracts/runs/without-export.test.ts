import { expect, test } from "bun:test";
import { withoutExport } from "./without-export.ts";

test.each([
  ["export const meta = {};\nlog('a');", "       const meta = {};\nlog('a');"],
  [
    "\n// export const meta\n/** A * b */\nexport\n  const meta = {}",
    "\n// export const meta\n/** A * b */\n      \n  const meta = {}",
  ],
  ["export/* a */const // b\nmeta = {}", "      /* a */const // b\nmeta = {}"],
  ["export const meta$ = {};", "export const meta$ = {};"],
  ["const meta = {};\nexport const other = 1;", "const meta = {};\nexport const other = 1;"],
  ["export const metadata = {};", "export const metadata = {};"],
  ["log('export const meta');", "log('export const meta');"],
  ["/* export const meta", "/* export const meta"],
  ["", ""],
])("%j is the body %j", (text, body) => {
  expect(withoutExport(text)).toBe(body);
});

test("a long comment takes no longer than others", () => {
  const comment = `/*${"*".repeat(60_000)}/`.repeat(4);
  expect(withoutExport(`${comment}export const meta = {}`)).toBe(`${comment}       const meta = {}`);
});
