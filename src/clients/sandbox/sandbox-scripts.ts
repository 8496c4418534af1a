import path from "node:path";
import { quoteForShell } from "../../contracts/index.ts";
import type { ProcessStart } from "../process/process-sandbox.ts";

/** The connections between a sandbox, which has its own network, and this machine. Each uses a Unix socket. */
export interface SandboxWays {
  /** Ports of this machine that the sandbox reaches under the same number. */
  readonly outgoing: readonly { readonly port: number; readonly socket: string }[];
  /** The port in the sandbox that this machine reaches. */
  readonly incoming?: { readonly port: number; readonly socket: string } | undefined;
}

/** How long one side of a connection stays open after the other was closed, in seconds. */
const HALF_OPEN_SECONDS = 30;

/**
 * The program that starts in the sandbox before the system call filter, which denies Unix sockets: it opens the connections,
 * waits until they are open, and becomes the helper that sets the filter and starts the agent. Pure.
 */
export function openWaysScript(
  { outgoing, incoming }: SandboxWays,
  { socat, seccompHelper }: { readonly socat: string; readonly seccompHelper: string },
): string {
  const relay = (from: string, to: string) =>
    `${quoteForShell(socat)} -t ${HALF_OPEN_SECONDS} ${quoteForShell(from)} ${quoteForShell(to)} </dev/null >/dev/null 2>&1 &`;
  return [
    "#!/bin/sh",
    ...outgoing.map(({ port, socket }) =>
      relay(`TCP4-LISTEN:${port},bind=127.0.0.1,fork,reuseaddr,backlog=128`, `UNIX-CONNECT:${socket}`),
    ),
    ...(incoming === undefined
      ? []
      : [relay(`UNIX-LISTEN:${incoming.socket},fork,mode=600`, `TCP4:127.0.0.1:${incoming.port}`)]),
    // No program of the project may run without the filter.
    "search=$PATH",
    "PATH=/usr/bin:/bin",
    ...outgoing.map(({ port }) => waitFor(`grep -q "0100007F:${hex(port)} " /proc/net/tcp`)),
    ...(incoming === undefined ? [] : [waitFor(`[ -S ${quoteForShell(incoming.socket)} ]`)]),
    "PATH=$search",
    "unset search tries",
    `exec ${quoteForShell(seccompHelper)} "$@"`,
    "",
  ].join("\n");
}

/**
 * Starts bubblewrap with what the package omits: the sandbox has its own shared memory and host name, and kernel settings,
 * which root could change for the whole machine, are read-only. Some folders are empty. Pure.
 */
export function bubblewrapScript(bubblewrap: string, emptied: readonly string[]): string {
  const mounts = emptied.map((folder) => ` --tmpfs ${quoteForShell(folder)}`).join("");
  return [
    "#!/bin/bash",
    // The package ends its options with: -- SHELL -c COMMAND
    `if [ $# -lt 4 ] || [ "\${@: -4:1}" != -- ]; then`,
    '  echo "Atomic does not know how @anthropic-ai/sandbox-runtime calls bubblewrap." >&2',
    "  exit 1",
    "fi",
    `exec ${quoteForShell(bubblewrap)} "\${@:1:$#-4}" --unshare-ipc --unshare-uts --ro-bind /proc/sys /proc/sys${mounts} "\${@: -4}"`,
    "",
  ].join("\n");
}

/** What the start of an agent in a sandbox needs to know. */
export interface AgentScriptOptions {
  /** The folder for temporary files. */
  readonly temporary: string;
  /** Files with secrets, removed before the agent starts. Each becomes a pipe, and the variable contains its descriptor. */
  readonly secrets?: readonly { readonly name: string; readonly file: string }[];
  /** Files copied to places where the agent can write; changes there are discarded. */
  readonly copies?: readonly { readonly from: string; readonly to: string }[];
  /** Variables that only the agent gets. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** The first file descriptor with a secret. */
const FIRST_SECRET = 5;

/** Starts the agent in its folder, with the changes that the sandbox requires. Pure. */
export function startAgentScript(
  { command, workingDirectory }: ProcessStart,
  { temporary, secrets = [], copies = [], variables = {} }: AgentScriptOptions,
): string {
  return [
    // Not every sh supports what the secrets need.
    "#!/bin/bash",
    // The sandbox has no local networks that need further exceptions from the proxy.
    "export NO_PROXY=localhost,127.0.0.1,::1 no_proxy=localhost,127.0.0.1,::1",
    `export TMPDIR=${quoteForShell(temporary)} TMP=${quoteForShell(temporary)} TEMP=${quoteForShell(temporary)}`,
    // The writable parts of a repository are separate file systems.
    "export GIT_DISCOVERY_ACROSS_FILESYSTEM=1",
    // The targets of these variables are unreachable.
    "unset DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK XDG_RUNTIME_DIR",
    // Everything written there, except the agent's own files, is discarded with the sandbox.
    'mkdir -p "$HOME" 2>/dev/null',
    ...copies.map(
      ({ from, to }) =>
        `mkdir -p ${quoteForShell(path.dirname(to))} && command -p cp ${quoteForShell(from)} ${quoteForShell(to)}`,
    ),
    ...secrets.flatMap(({ name, file }, index) => handOver(name, file, FIRST_SECRET + index)),
    ...Object.entries(variables).map(([name, value]) => `export ${name}=${quoteForShell(value)}`),
    `cd ${quoteForShell(workingDirectory)} || exit 1`,
    `exec ${command.map(quoteForShell).join(" ")}`,
    "",
  ].join("\n");
}

/**
 * A pipe provides the secret once; a file would be readable by every command. The pipe has no name, because a named one
 * cannot be opened a second time, as Claude Code does.
 */
function handOver(name: string, file: string, descriptor: number): readonly string[] {
  return [
    `exec ${descriptor}< <(command -p cat ${quoteForShell(file)})`,
    'wait "$!"',
    `command -p rm -f ${quoteForShell(file)}`,
    `export ${name}=${descriptor}`,
  ];
}

function waitFor(condition: string): string {
  return `tries=0; until ${condition} || [ $tries -ge 200 ]; do tries=$((tries + 1)); sleep 0.01; done`;
}

/** A port in the format of `/proc/net/tcp`. */
function hex(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}
