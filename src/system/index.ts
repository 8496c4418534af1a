export { isCompiled, isCompiledFile } from "./compiled.ts";
export { type ConfinedCommand, confinedCommands } from "./confined-commands.ts";
export { describeExit } from "./describe-exit.ts";
export { stackOf, userFrameOf } from "./error-stack.ts";
export { isWithin } from "./is-within.ts";
export { MAX_TIMER_MS, type SetTimer, setLongTimer, sleep } from "./long-timer.ts";
export { type HoldSlotOptions, MachineSlots } from "./machine-slots.ts";
export { FIRST_EXTRA_PIPE, ProcessGroup, startProcessGroup } from "./process-group.ts";
export { findProcess, identifyThisProcess, isStartedBy, type ProcessIdentity } from "./process-identity.ts";
export { firstExecutable, foldersOnPath, isExecutable, programFile, programsOnPath } from "./program-path.ts";
export {
  FileUnusableError,
  MAX_FILE_BYTES,
  readBoundedBytes,
  readBoundedFile,
  readBoundedFileSync,
} from "./read-bounded-file.ts";
export { type ReplaceFileOptions, renameDurably, replaceFile, syncFolder } from "./replace-file.ts";
export { superviseCommand } from "./supervised-command.ts";
export { FileLockTimeoutError, withFileLock } from "./with-file-lock.ts";
export { isSharedLockHeld, withSharedLock } from "./with-shared-lock.ts";
