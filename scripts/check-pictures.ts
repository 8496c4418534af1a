import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CheckOutcome } from "./check-outcome.ts";
import { LAYER_TABLE, type Room } from "./layer-table.ts";
import { parseMarkedFences } from "./marked-fences.ts";

const DOCUMENT = "ARCHITECTURE.md";
/** A picture fits on a screen. */
const MAX_LINES = 40;
/** Folders that hold tests only. */
const TEST_FOLDERS = ["fixtures", "attacks", "e2e"];

/** What a room contains, by its path below the room. */
interface RoomContent {
  /** Folders directly in the room, without those of tests. */
  readonly folders: readonly string[];
  readonly paths: ReadonlySet<string>;
}

/** The problems of a room's picture, whose lines name folders and files, the highest first. */
export function checkPicture(
  name: string,
  lines: readonly string[],
  { room, content }: { readonly room: Room | undefined; readonly content: RoomContent },
): readonly string[] {
  const rows = lines.map((line) => (line.split(/\s{2,}/)[0] ?? "").split(" · "));
  const named = rows.flat();
  const complain = (problem: string) => `${DOCUMENT}: the picture of ${name} ${problem}.`;
  const unknown = named.filter((path) => !content.paths.has(path));
  const order = room?.order?.map((row) => [row].flat().join(" · ")).toReversed();
  const drawn = rows.filter((row) => row.some((path) => !path.endsWith(".ts"))).map((row) => row.join(" · "));
  const missing = content.folders.filter((folder) => !named.some((path) => `${path}/`.startsWith(`${folder}/`)));
  return [
    ...(lines.length > MAX_LINES ? [complain(`has ${lines.length} lines, at most ${MAX_LINES}`)] : []),
    ...unknown.map((path) => complain(`names "${path}", which does not exist`)),
    ...missing.map((folder) => complain(`leaves out the folder "${folder}"`)),
    ...(order === undefined || order.join("\n") === drawn.join("\n")
      ? []
      : [complain(`differs from the order in scripts/layers.json, which is, the highest first: ${order.join(" | ")}`)]),
  ];
}

/** Compares the pictures of all rooms with the folders and with the order that the imports are checked against. */
export async function checkPicturesOf(root: string): Promise<CheckOutcome> {
  const fences = parseMarkedFences(await readFile(join(root, DOCUMENT), "utf8"));
  const rooms = (await readdir(join(root, "src"), { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const problems = await Promise.all(
    rooms.map(async ({ name }) => {
      const picture = fences.find(({ marker }) => marker === `picture: ${name}`);
      if (picture === undefined) return [`${DOCUMENT}: the room ${name} has no picture.`];
      const content = await readRoom(join(root, "src", name));
      return checkPicture(name, picture.text.trimEnd().split("\n"), { room: LAYER_TABLE.rooms[name], content });
    }),
  );
  return { problems: problems.flat() };
}

async function readRoom(folder: string): Promise<RoomContent> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  const folders = entries.filter((entry) => entry.isDirectory() && entry.parentPath === folder).map(({ name }) => name);
  return { folders: folders.filter((name) => !TEST_FOLDERS.includes(name)), paths: new Set(paths) };
}
