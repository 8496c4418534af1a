import data from "./layers.json";

/** What a room or a folder in it may use from npm, from Node (`node:*`) and from Bun (`bun`, `bun:test`). */
interface PackageList {
  readonly packages: readonly string[];
}

/** Folders of a room on the same level, which may not import each other. A single folder is just its name. */
type FolderRow = string | readonly string[];

/** A folder directly under `src/`. */
export interface Room extends PackageList {
  readonly layer: number;
  /** Rooms it may import, each through its index.ts or another face that is open to this room. */
  readonly mayImport: readonly string[];
  /** Faces beside index.ts: files directly in the room, each with the rooms that may import it. */
  readonly faces?: { readonly [file: string]: readonly string[] };
  /**
   * Its folders, the lowest row first, each with its path below the room. A folder imports only folders of lower rows; the
   * files directly in the room are above all folders. Without it, imports between folders are not checked.
   */
  readonly order?: readonly FolderRow[];
  /** Folders with packages of their own, by their path below the room. */
  readonly folders?: { readonly [folder: string]: PackageList };
  /** Whether it may read the process. @default false */
  readonly readsProcess?: boolean;
}

/** The rooms, and the text of each rule for its violations. */
export interface LayerTable {
  readonly rules: { readonly [rule: string]: string };
  readonly rooms: { readonly [room: string]: Room };
}

/** The room of the files directly under `src/`: the package's entry points. */
export const ENTRY_ROOM = "(entry)";

/** The layers of this repository, from layers.json. */
export const LAYER_TABLE: LayerTable = data;
