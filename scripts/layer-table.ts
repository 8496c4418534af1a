import data from "./layers.json";

/** What a room or a folder in it may use from npm, from Node (`node:*`) and from Bun (`bun`, `bun:test`). */
interface PackageList {
  readonly packages: readonly string[];
}

/** A folder of a room: as a rule one that stands for a vendor. */
interface RoomFolder extends PackageList {
  /** Whether the room's other folders, vendors' included, may import it. @default false */
  readonly isShared?: boolean;
}

/** A folder directly under `src/`. */
export interface Room extends PackageList {
  readonly layer: number;
  /** Rooms it may import, each through its index.ts. */
  readonly mayImport: readonly string[];
  /**
   * Folders with packages of their own. They may use the room's other folders, but of each other only those that are
   * shared.
   */
  readonly folders?: { readonly [folder: string]: RoomFolder };
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
