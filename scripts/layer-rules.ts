import type { LayerTable, Room } from "./layer-table.ts";
import type { Finding, ImportFinding, SourceFacts } from "./source-facts.ts";
import { isTestFile, locateSource, resolveRelativeImport, type SourceLocation } from "./source-location.ts";

/** A place where the code breaks a rule of the layers. */
export interface LayerViolation {
  readonly path: string;
  readonly line: number;
  /** A key of the table's `rules`. */
  readonly rule: string;
  /** The violation, without the rule's own text. */
  readonly detail: string;
}

/** A file with its location and its room. */
interface PlacedFile {
  readonly facts: SourceFacts;
  readonly location: SourceLocation;
  readonly room: Room;
}

/** What every room may import of the process: the end of one that it started, and facts about the runtime. */
const FREE_OF_PROCESS = ["kill", "execPath", "versions", "allowedNodeEnvironmentFlags"];

type Complaint = Pick<LayerViolation, "rule" | "detail">;

/** Checks files against the table. No rule applies to test files. */
export function checkLayers(files: readonly SourceFacts[], table: LayerTable): readonly LayerViolation[] {
  const bound = files.filter((facts) => !isTestFile(facts.path));
  return bound
    .flatMap((facts) => checkFile(facts, table))
    .sort((left, right) => left.path.localeCompare(right.path) || left.line - right.line);
}

/** One line for a person: file, line, rule, violation, and the rule's text. */
export function formatLayerViolation(violation: LayerViolation, table: LayerTable): string {
  const { path, line, rule, detail } = violation;
  return `${path}:${line} ${rule}: ${detail}. ${table.rules[rule] ?? ""}`.trimEnd();
}

function checkFile(facts: SourceFacts, table: LayerTable): readonly LayerViolation[] {
  const location = locateSource(facts.path);
  const room = location === undefined ? undefined : table.rooms[location.room];
  if (location === undefined || room === undefined) {
    return [
      { path: facts.path, line: 1, rule: "unknown-room", detail: `"${location?.room ?? facts.path}" is no room` },
    ];
  }
  const file = { facts, location, room };
  const { folder } = location;
  if (room.order !== undefined && folder !== undefined && findRow(room.order, folder) === undefined) {
    return [
      { path: facts.path, line: 1, rule: "unknown-folder", detail: `"${location.room}/${folder}" is not listed` },
    ];
  }
  const findings: readonly (readonly [Finding, Complaint | undefined])[] = [
    ...facts.imports.map((item) => [item, checkImport(item, file, table)] as const),
    ...facts.bunUses.map((item) => [item, checkPackage("bun", "the global Bun", file)] as const),
    ...facts.processUses.map((item) => [item, checkProcessUse(item.text, file)] as const),
    ...facts.moduleLets.map((item) => [item, moduleLet(item.text)] as const),
  ];
  return findings.flatMap(([item, complaint]) =>
    complaint === undefined ? [] : [{ path: facts.path, line: item.line, ...complaint }],
  );
}

function checkImport(item: ImportFinding, file: PlacedFile, table: LayerTable): Complaint | undefined {
  const specifier = item.text;
  const target = resolveRelativeImport(file.facts.path, specifier);
  if (target === undefined) return checkPackageImport(item, file);
  if (target === "package.json") return undefined;
  if (isTestFile(target)) return { rule: "test-file-import", detail: `"${specifier}" serves tests` };
  const there = locateSource(target);
  const here = file.location;
  if (there === undefined) {
    return { rule: "undeclared-import", detail: `${here.room} imports "${specifier}", which is outside src/` };
  }
  return here.room === there.room
    ? checkOwnRoom(specifier, file, there)
    : checkOtherRoom(specifier, file, { there, table });
}

function checkOwnRoom(specifier: string, file: PlacedFile, there: SourceLocation): Complaint | undefined {
  const here = file.location;
  if (there.isIndex || openTo(there, file.room) !== undefined) {
    const name = there.isIndex ? "the index.ts" : "a face";
    return { rule: "own-index-import", detail: `"${specifier}" is ${name} of ${here.room} itself` };
  }
  return checkFolders(specifier, file, there);
}

/** Within a room, imports between folders point one way. */
function checkFolders(
  specifier: string,
  { location: here, room }: PlacedFile,
  there: SourceLocation,
): Complaint | undefined {
  if (room.order === undefined || here.folder === undefined) return undefined;
  const own = findRow(room.order, here.folder);
  if (own === undefined) return undefined;
  if (there.folder === undefined) {
    return {
      rule: "folder-order",
      detail: `${here.room}/${own.name} imports "${specifier}", which is above the folders`,
    };
  }
  const other = findRow(room.order, there.folder);
  if (other === undefined || other.name === own.name || other.height < own.height) return undefined;
  const relation = other.height === own.height ? "which is beside it" : "which is above it";
  return {
    rule: "folder-order",
    detail: `${here.room}/${own.name} imports ${here.room}/${other.name} ("${specifier}"), ${relation}`,
  };
}

/** The rooms that may import a further face of a room. Undefined for other files. */
function openTo({ file }: SourceLocation, { faces = {} }: Room): readonly string[] | undefined {
  return file === undefined ? undefined : faces[file];
}

/** The listed folder that is or contains a folder, and the height of its row. */
function findRow(
  order: NonNullable<Room["order"]>,
  folder: string,
): { readonly name: string; readonly height: number } | undefined {
  const rows = order.flatMap((row, height) => [row].flat().map((name) => ({ name, height })));
  return rows
    .filter(({ name }) => folder === name || folder.startsWith(`${name}/`))
    .sort((left, right) => right.name.length - left.name.length)[0];
}

function checkOtherRoom(
  specifier: string,
  file: PlacedFile,
  { there, table }: { readonly there: SourceLocation; readonly table: LayerTable },
): Complaint | undefined {
  const here = file.location;
  const room = table.rooms[there.room];
  if (room === undefined) return { rule: "unknown-room", detail: `"${there.room}" ("${specifier}") is no room` };
  if (file.room.mayImport.includes(there.room)) {
    const rooms = openTo(there, room);
    if (there.isIndex || rooms?.includes(here.room) === true) return undefined;
    const imported = `${here.room} imports "${specifier}"`;
    const detail =
      rooms === undefined
        ? `${imported} instead of the index.ts of ${there.room}`
        : `${imported}, a face of ${there.room} that is open to ${rooms.join(", ")} only`;
    return { rule: "inner-file-import", detail };
  }
  const rule =
    room.layer > file.room.layer
      ? "upward-import"
      : room.layer === file.room.layer
        ? "sideways-import"
        : "undeclared-import";
  return {
    rule,
    detail: `${here.room} (layer ${file.room.layer}) imports ${there.room} (layer ${room.layer}) ("${specifier}")`,
  };
}

function checkPackageImport({ text: specifier, names }: ImportFinding, file: PlacedFile): Complaint | undefined {
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  const takesOnlyFree = names?.every((item) => FREE_OF_PROCESS.includes(item)) === true;
  if (name === "node:process" && !takesOnlyFree) return checkProcessUse(specifier, file);
  return checkPackage(name, `"${specifier}"`, file);
}

function checkPackage(name: string, shown: string, file: PlacedFile): Complaint | undefined {
  const { room, folder } = file.location;
  const listed = Object.entries(file.room.folders ?? {});
  const [ownName, ownFolder] = listed.find(([name]) => folder === name || folder?.startsWith(`${name}/`)) ?? [];
  const allowed = [...file.room.packages, ...(ownFolder?.packages ?? [])];
  const scheme = /^(node|bun):/.exec(name)?.[1];
  const isAllowed =
    allowed.includes(name) ||
    (scheme === "node" && allowed.includes("node:*")) ||
    (scheme === "bun" && allowed.includes("bun"));
  if (isAllowed) return undefined;
  const place = ownName === undefined ? room : `${room}/${ownName}`;
  const list = allowed.length === 0 ? "none" : allowed.join(", ");
  return { rule: "package-not-allowed", detail: `${place} uses ${shown}; it may use ${list}` };
}

function checkProcessUse(text: string, file: PlacedFile): Complaint | undefined {
  if (file.room.readsProcess === true) return undefined;
  return { rule: "process-outside-cli", detail: `${file.location.room} uses ${text}` };
}

function moduleLet(name: string): Complaint {
  return { rule: "module-level-let", detail: `${name} is declared with let at the top of the module` };
}
