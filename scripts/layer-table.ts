import data from "./layers.json";

/** What a room or a vendor's folder in it may use from npm, from Node (`node:*`) and from Bun (`bun`, `bun:test`). */
interface PackageList {
  readonly packages: readonly string[];
}

/** A folder directly under `src/`. */
export interface Room extends PackageList {
  readonly layer: number;
  /** Rooms it may import, each through its index.ts. */
  readonly mayImport: readonly string[];
  /** Folders that stand for one vendor each; they may use the room's other folders, but not each other. */
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
