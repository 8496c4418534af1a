import { isIPv4 } from "node:net";
import path from "node:path";
import { isRecord, nearestName, type SandboxConfig, SandboxInvalidError } from "../../contracts/index.ts";
import { isWithin } from "../../system/index.ts";

/** A sandbox's settings, checked, with absolute paths. */
export interface ResolvedSandbox {
  readonly readRoots: readonly string[];
  /** Absent if the default applies. */
  readonly writeRoots?: readonly string[];
  readonly denyRead: readonly string[];
  /** Hosts beyond this machine, as in the settings. */
  readonly hosts: readonly string[];
  /** Ports of this machine itself. */
  readonly ports: readonly number[];
}

const FIELDS: readonly (keyof SandboxConfig)[] = ["readRoots", "writeRoots", "denyRead", "network"];

/** How much of a wrong value a message shows. */
const MAX_SHOWN = 60;

const HOST = /^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i;
/** How a sandbox can reach a service of this machine. */
export const LOOPBACK: readonly string[] = ["127.0.0.1", "localhost"];

/** Whether a host, as in an address or the settings, is this machine itself. Pure. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return LOOPBACK.includes(name) || name.endsWith(".localhost") || name === "[::1]" || /^(127|0)(\.\d+){3}$/.test(name);
}

/** Whether a host is an address, or another way to write one, as in 127.1 or 0x7f.0.0.1. */
function isNumeric(host: string): boolean {
  return /(^|\.)(\d+|0x[0-9a-f]*)$/i.test(host);
}

/** Checks a sandbox's settings. Pure. @throws SandboxInvalidError */
export function resolveSandbox(
  config: SandboxConfig,
  { home, field = "sandbox" }: { readonly home: string | undefined; readonly field?: string },
): ResolvedSandbox {
  if (!isRecord(config)) {
    const problem = `it is ${shown(config)}. Write {} for the usual limits, or an object with ${FIELDS.join(", ")}.`;
    throw new SandboxInvalidError(field, problem);
  }
  for (const name of Object.keys(config)) {
    if (FIELDS.some((known) => known === name)) continue;
    const nearest = nearestName(name, FIELDS);
    const hint = nearest === undefined ? `Settings: ${FIELDS.join(", ")}.` : `Did you mean "${nearest}"?`;
    throw new SandboxInvalidError(`${field}.${name}`, `there is none of this name. ${hint}`);
  }
  const pathsOf = (name: "readRoots" | "writeRoots" | "denyRead"): readonly string[] =>
    listOf(config[name], `${field}.${name}`).map((text, index) =>
      resolvePath(text, `${field}.${name}[${index}]`, home),
    );
  const places = listOf(config.network, `${field}.network`).map((text, index) =>
    parseHost(text, `${field}.network[${index}]`),
  );
  const writeRoots = pathsOf("writeRoots");
  for (const [index, root] of writeRoots.entries()) {
    if (root === "/" || root === home)
      throw new SandboxInvalidError(`${field}.writeRoots[${index}]`, `"${root}" is too much. Name the folders in it.`);
  }
  return {
    readRoots: pathsOf("readRoots"),
    ...(config.writeRoots === undefined ? {} : { writeRoots }),
    denyRead: pathsOf("denyRead"),
    hosts: places.flatMap(({ host }) => (host === undefined ? [] : [host])),
    ports: places.flatMap(({ port }) => (port === undefined ? [] : [port])),
  };
}

/** The settings come from users' files and programs, so their types are unchecked. */
function listOf(value: unknown, field: string): readonly string[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    const wrong = items.findIndex((item) => typeof item !== "string");
    if (wrong === -1) return value;
    throw new SandboxInvalidError(`${field}[${wrong}]`, `it is ${shown(items[wrong])}. Write a text.`);
  }
  const example = field.endsWith("network") ? '["example.com"]' : '["~/.cargo"]';
  throw new SandboxInvalidError(field, `it is ${shown(value)}. Write a list of texts, such as ${example}.`);
}

/** A value from a file, truncated. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

function resolvePath(text: string, field: string, home: string | undefined): string {
  if (text === "~" || text.startsWith("~/")) {
    if (home === undefined) throw new SandboxInvalidError(field, `"${text}" needs a home folder. Set HOME.`);
    return path.join(home, text.slice(1)).replace(/(.)\/+$/, "$1");
  }
  if (!path.isAbsolute(text))
    throw new SandboxInvalidError(field, `"${text}" is not an absolute path. Write it in full, or with ~/ in front.`);
  return path.normalize(text).replace(/(.)\/+$/, "$1");
}

/** Reads a host with or without a port. Pure. @throws SandboxInvalidError */
export function parseHost(text: string, field: string): { readonly host?: string; readonly port?: number } {
  const [, written = "", portText] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(text) ?? [];
  const host = written.toLowerCase();
  const port = portText === undefined ? undefined : Number(portText);
  if (isLoopback(host) && !LOOPBACK.includes(host))
    throw new SandboxInvalidError(field, `"${text}" cannot be reached from a sandbox. Write 127.0.0.1.`);
  if (port !== undefined && isLoopback(host) && port < 1024)
    throw new SandboxInvalidError(
      field,
      `"${text}" cannot be reached from a sandbox. Have the service listen above 1023.`,
    );
  if (port !== undefined && (port < 1 || port > 65_535)) throw new SandboxInvalidError(field, `"${text}" has no port.`);
  if (isLoopback(host)) {
    if (port !== undefined) return { port };
    throw new SandboxInvalidError(
      field,
      `"${text}" needs a port: of this machine only single services can be reached.`,
    );
  }
  const isSpelledOut = isNumeric(host) ? isIPv4(host) : host.includes(".");
  if (HOST.test(host) && isSpelledOut && (!host.startsWith("*.") || host.slice(2).includes("."))) return { host: text };
  throw new SandboxInvalidError(
    field,
    `"${text}" is no host. Write it as example.com, *.example.com or example.com:443.`,
  );
}

/**
 * A sandbox within another one, for a node that requests its own where everything is sandboxed already. It may be stricter,
 * never looser. Lists that it omits are inherited. Pure. @throws SandboxInvalidError
 */
export function narrowSandbox(
  outer: SandboxConfig,
  inner: SandboxConfig,
  { home, workingDirectory }: { readonly home: string | undefined; readonly workingDirectory: string },
): SandboxConfig {
  const [within, wanted] = [resolveSandbox(outer, { home }), resolveSandbox(inner, { home })];
  const reject = (field: keyof SandboxConfig, index: number): never => {
    throw new SandboxInvalidError(
      `sandbox.${field}[${index}]`,
      `"${inner[field]?.[index]}" is not in the sandbox of the whole call. Allow it there, or leave it out.`,
    );
  };
  for (const [index, root] of wanted.readRoots.entries()) {
    if (!within.readRoots.some((allowed) => isWithin(root, allowed))) reject("readRoots", index);
  }
  const { writeRoots = [workingDirectory] } = within;
  for (const [index, root] of (wanted.writeRoots ?? []).entries()) {
    if (!writeRoots.some((allowed) => isWithin(root, allowed))) reject("writeRoots", index);
  }
  for (const [index, host] of (inner.network ?? []).entries()) {
    if (!(outer.network ?? []).includes(host)) reject("network", index);
  }
  return { ...outer, ...inner, denyRead: [...(outer.denyRead ?? []), ...(inner.denyRead ?? [])] };
}
