import { once } from "node:events";
import { lstatSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";

/** A forwarder for connections that is open until it is closed. */
export interface PortWay {
  /** The port of this machine. */
  readonly port: number;
  /** Ends all connections. Idempotent. */
  close(): void;
}

/** Forwards connections to a Unix socket to a port of this machine. */
export async function openOutgoingWay(socket: string, port: number): Promise<PortWay> {
  const way = relayTo(() => connect({ host: "127.0.0.1", port, allowHalfOpen: true }));
  way.server.listen(socket);
  await once(way.server, "listening");
  return { port, close: way.close };
}

/** Forwards connections to a free port of 127.0.0.1 to a Unix socket, which need not exist yet. */
export async function openIncomingWay(socket: string): Promise<PortWay> {
  const way = relayTo(() => {
    // The agent may write to the socket's folder: a link in its place would lead to another service.
    if (!lstatSync(socket).isSocket()) throw new Error(`${socket} is no socket.`);
    return connect({ path: socket, allowHalfOpen: true });
  });
  way.server.listen(0, "127.0.0.1");
  await once(way.server, "listening");
  const address = way.server.address();
  if (address === null || typeof address === "string") throw new Error("The way into the sandbox has no port.");
  return { port: address.port, close: way.close };
}

function relayTo(reach: () => Socket): { readonly server: Server; readonly close: () => void } {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = reachOrNothing(reach);
    if (far === undefined) {
      near.destroy();
      return;
    }
    for (const [here, there] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(here);
      here.on("error", () => there.destroy());
      here.once("close", () => {
        open.delete(here);
        there.destroySoon();
      });
      here.pipe(there);
    }
  });
  // It must not keep the program running.
  server.unref();
  const close = (): void => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  return { server, close };
}

function reachOrNothing(reach: () => Socket): Socket | undefined {
  try {
    return reach();
  } catch {
    return undefined;
  }
}
