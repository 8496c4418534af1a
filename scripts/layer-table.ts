import data from "./layers.json";

/** What a room or a folder in it may use from npm, from Node (`node:*`) and from Bun (`bun`, `bun:test`). */
interface PackageList {
  readonly packages: readonly string[];
}

/** Folders of a room that stand at one height: they may not import each other. A single one is given by its name. */
type FolderRow = string | readonly string[];

/** A folder directly under `src/`. */
export interface Room extends PackageList {
  readonly layer: number;
  /** Rooms it may import, each through its index.ts or another face that is open to this room. */
  readonly mayImport: readonly string[];
  /** Faces beside index.ts: files directly in the room, each with the rooms that may import it. */
  readonly faces?: { readonly [file: string]: readonly string[] };
  /**
   * Its folders, the lowest row first, each with its path below the room. A folder imports only those of lower rows; the
   * files directly in the room are above them all. Without it the folders of a room are not compared.
   */
  readonly order?: readonly FolderRow[];
  /** Folders with packages of their own, by their path below the room. */
  readonly folders?: { readonly [folder: string]: PackageList };
  /** Whether it may read the process. @default false */
  readonly readsProcess?: boolean;
}

/** The rooms, and the text that a violation of each rule shows. */
export interface LayerTable {
  readonly rules: { readonly [rule: string]: string };
  readonly rooms: { readonly [room: string]: Room };
}

/** The name of the room that the files directly under `src/` make up: the package's entry points. */
export const ENTRY_ROOM = "(entry)";

/** The layers of this repository, from layers.json. */
export const LAYER_TABLE: LayerTable = data;
