/** Whether Atomic is one compiled program: its own files are then inside of it, and not on the disk. */
export function isCompiled(): boolean {
  // Where Bun puts the files of a compiled program, on Unix and on Windows.
  return import.meta.url.includes("/$bunfs/") || import.meta.url.includes("/~BUN/");
}
