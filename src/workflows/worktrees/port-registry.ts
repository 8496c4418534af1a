import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { z } from "zod";
import { AtomicError } from "../../contracts/index.ts";
import { withFileLock } from "../../system/index.ts";
import { writeJsonAtomically } from "../session-store/atomic-write.ts";
import { worktreesHome } from "./worktree-names.ts";
import { parseStored } from "./worktree-record.ts";

/** Below the ports that systems choose for outgoing connections: Linux begins at 32768. */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_767;

const registrySchema = z.looseObject({
  version: z.literal(1),
  reservations: z.array(z.object({ owner: z.string(), first: z.number().int(), count: z.number().int().positive() })),
});

type Reservation = z.infer<typeof registrySchema>["reservations"][number];

/** Every block of ports belongs to a worktree, or has a port in use. */
export class NoFreePortsError extends AtomicError {
  constructor(
    readonly count: number,
    readonly registry: string,
  ) {
    super(
      "NO_FREE_PORTS",
      `No ${count} consecutive ports between ${FIRST_PORT} and ${LAST_PORT} are free for a worktree. Remove worktrees that you no longer need (${registry} lists them), or stop servers.`,
    );
  }
}

/** Settings of {@link reservePorts}. */
export interface ReservePortsOptions {
  /** The folder of Atomic. */
  readonly home: string;
  /** The record of the worktree. The reservation ends when this file no longer exists. */
  readonly owner: string;
  /** How many consecutive ports. */
  readonly count: number;
}

/**
 * Reserves a block of ports that no other worktree has and nothing listens on. The same owner gets the same ports again.
 * Processes wait for each other.
 *
 * @throws NoFreePortsError, WorktreeRecordError
 */
export async function reservePorts({ home, owner, count }: ReservePortsOptions): Promise<readonly number[]> {
  const path = registryFile(home);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return await withFileLock(`${path}.lock`, async () => {
    const living = (await loadReservations(path)).filter((one) => one.owner === owner || existsSync(one.owner));
    const own = living.find((one) => one.owner === owner && one.count === count);
    if (own !== undefined) return portsOf(own);
    const others = living.filter((one) => one.owner !== owner);
    const first = await findFreeBlock(others, count);
    if (first === undefined) throw new NoFreePortsError(count, path);
    const reservation = { owner, first, count };
    await writeJsonAtomically(path, { version: 1, reservations: [...others, reservation] });
    return portsOf(reservation);
  });
}

/** Ends a reservation. Without effect if there is none. */
export async function releasePorts(home: string, owner: string): Promise<void> {
  const path = registryFile(home);
  if (!existsSync(path)) return;
  await withFileLock(`${path}.lock`, async () => {
    const reservations = await loadReservations(path);
    const others = reservations.filter((one) => one.owner !== owner);
    if (others.length < reservations.length) await writeJsonAtomically(path, { version: 1, reservations: others });
  });
}

function registryFile(home: string): string {
  return join(worktreesHome(home), "ports.json");
}

async function loadReservations(path: string): Promise<readonly Reservation[]> {
  if (!existsSync(path)) return [];
  return parseStored(await readFile(path, "utf8"), { path, schema: registrySchema }).reservations;
}

function portsOf({ first, count }: Reservation): readonly number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}

async function findFreeBlock(others: readonly Reservation[], count: number): Promise<number | undefined> {
  let first = FIRST_PORT;
  while (first + count - 1 <= LAST_PORT) {
    const [start, end] = [first, first + count];
    const other = others.find((one) => one.first < end && start < one.first + one.count);
    const busy = other === undefined ? await findBusyPort(start, count) : other.first + other.count - 1;
    if (busy === undefined) return first;
    first = busy + 1;
  }
  return undefined;
}

async function findBusyPort(first: number, count: number): Promise<number | undefined> {
  for (let port = first + count - 1; port >= first; port--) if (!(await isFree(port))) return port;
  return undefined;
}

/** Whether a server can listen on a port, on every address: another one on a single address is in the way as well. */
async function isFree(port: number): Promise<boolean> {
  for (const host of ["127.0.0.1", "0.0.0.0", "::1", "::"]) if (!(await canListen(port, host))) return false;
  return true;
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    // A machine without IPv6 has nobody on its addresses.
    server.once("error", (error) =>
      resolve(!("code" in error && (error.code === "EADDRINUSE" || error.code === "EACCES"))),
    );
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** The variables that name a worktree and its ports: the first port as `PORT` and `ATOMIC_PORT`, then `ATOMIC_PORT_1` and so forth. */
export function worktreeEnvironment(path: string, ports: readonly number[]): Readonly<Record<string, string>> {
  const [first] = ports;
  return {
    ATOMIC_WORKTREE: path,
    ...(first === undefined ? {} : { PORT: String(first), ATOMIC_PORT: String(first) }),
    ...Object.fromEntries(ports.slice(1).map((port, index) => [`ATOMIC_PORT_${index + 1}`, String(port)])),
  };
}
