/** Whether a file is inside of a compiled program: it is in Bun's folder for these, on Unix or on Windows. */
export function isCompiledFile(file: string): boolean {
  return /\/(?:\$|%24)bunfs\/|\/~BUN\//.test(file);
}

/** Whether Atomic is one compiled program: its own files are then inside of it, and not on the disk. */
export function isCompiled(): boolean {
  return isCompiledFile(import.meta.url);
}
