import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AtomicError } from "../../contracts/index.ts";

/** The user's editor failed. */
export class EditorFailedError extends AtomicError {
  constructor(
    readonly editor: string,
    end: string,
  ) {
    super(
      "EDITOR_FAILED",
      `The editor "${editor}" ended with ${end}; the text is unchanged. Set VISUAL or EDITOR to a command that waits until you close the file.`,
    );
  }
}

/** Settings of {@link editText}. */
export interface EditTextOptions {
  /** The complete environment; `VISUAL` or else `EDITOR` is the command line of the editor. @default vi */
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
}

/**
 * Opens a text in the user's editor, in this terminal, and returns the changed text. Only the user can read the file, and it
 * is removed afterwards.
 *
 * @throws EditorFailedError
 */
export async function editText(text: string, { env, workingDirectory }: EditTextOptions): Promise<string> {
  const editor = env.VISUAL?.trim() || env.EDITOR?.trim() || "vi";
  const folder = await mkdtemp(join(tmpdir(), "atomic-message-"));
  try {
    const path = join(folder, "message.md");
    await writeFile(path, text, { mode: 0o600 });
    await runEditor(editor, path, { env, workingDirectory });
    const changed = await readFile(path, "utf8");
    // Editors end a file with a line break, which the message did not have.
    return text.endsWith("\n") ? changed : changed.replace(/\r?\n$/, "");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Opens a file in an editor and waits for its end. The setting may have arguments, such as `code --wait`, so that a shell reads it.
 *
 * @throws EditorFailedError
 */
export async function runEditor(
  editor: string,
  path: string,
  { env, workingDirectory }: EditTextOptions,
): Promise<void> {
  const child = spawn("sh", ["-c", `${editor} "$1"`, "sh", path], { cwd: workingDirectory, env, stdio: "inherit" });
  const end = await new Promise<string | undefined>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) =>
      resolve(code === 0 ? undefined : code === null ? `the signal ${signal}` : `exit code ${code}`),
    );
  });
  if (end !== undefined) throw new EditorFailedError(editor, end);
}
