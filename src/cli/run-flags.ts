import type { PermissionFlags } from "./config/permission-flags.ts";
import type { TerminalFlags } from "./terminal.ts";

/** Options that every command knows that executes a run, as commander delivers them. */
export interface RunFlags extends TerminalFlags {
  readonly json?: boolean;
  readonly trust?: boolean;
  readonly agent?: string;
  readonly model?: string;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly yolo?: boolean;
}

/** The part of the flags that is about permissions. */
export function permissionFlagsOf({ allow = [], deny = [], yolo = false }: RunFlags): PermissionFlags {
  return { allow, deny, isYolo: yolo };
}
