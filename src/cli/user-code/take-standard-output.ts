import { createWriteStream } from "node:fs";
import type { Writable } from "node:stream";

/** The names of the system's C library, by system. Windows has none of them. */
export const LIBC_NAMES = [
  ...["libc.so.6", "libSystem.B.dylib", "libc.so.7"],
  ...["libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1", "libc.so"],
] as const;

/**
 * Takes standard output for Atomic alone: what workflow code and its children write to descriptor 1 goes to standard error
 * from now on. Otherwise such texts would be among the lines of JSON. Undefined where the system cannot do it.
 */
export async function takeStandardOutput(): Promise<Writable | undefined> {
  const { dlopen } = await import("bun:ffi");
  for (const name of LIBC_NAMES) {
    try {
      const { dup, dup2 } = dlopen(name, {
        dup: { args: ["i32"], returns: "i32" },
        dup2: { args: ["i32", "i32"], returns: "i32" },
      }).symbols;
      const fd = dup(1);
      if (fd < 0 || dup2(2, 1) < 0) return undefined;
      return createWriteStream("", { fd, autoClose: false });
    } catch {
      // The system's library has another name.
    }
  }
  return undefined;
}
