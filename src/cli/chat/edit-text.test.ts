import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import process from "node:process";
import { editText } from "./edit-text.ts";

function edit(text: string, env: Readonly<Record<string, string>>): Promise<string> {
  return editText(text, { env: { PATH: process.env.PATH ?? "", ...env }, workingDirectory: tmpdir() });
}

test.each([
  { title: "VISUAL precedes EDITOR", env: { VISUAL: "sh -c 'echo visual >> $0'", EDITOR: "false" }, end: "visual" },
  { title: "an empty VISUAL counts as none", env: { VISUAL: " ", EDITOR: "sh -c 'echo editor >> $0'" }, end: "editor" },
])("$title, and the changed text returns without the last line break", async ({ env, end }) => {
  expect(await edit("first\n\nsecond ", env)).toBe(`first\n\nsecond ${end}`);
});

test("only the user can read the file, and it is removed afterwards", async () => {
  const [mode = "", path = ""] = (await edit("", { EDITOR: "sh -c '(ls -l $0; echo $0) > $0.2; mv $0.2 $0'" })).split(
    "\n",
  );
  expect({ mode: mode.slice(0, 10), exists: await Bun.file(path).exists() }).toEqual({
    mode: "-rw-------",
    exists: false,
  });
});

test("an editor that fails leaves the text unchanged", async () => {
  await expect(edit("text", { EDITOR: "exit 3;" })).rejects.toThrow(
    'The editor "exit 3;" ended with exit code 3; the text is unchanged. Set VISUAL or EDITOR to a command that waits until you close the file.',
  );
});
