import { expect, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { openStdioRelay, type StdioRelay } from "./stdio-relay.ts";

function openPipes() {
  return { input: new PassThrough(), output: new PassThrough() };
}

async function join({ port }: StdioRelay): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  return socket;
}

function frame(message: unknown): string {
  const body = JSON.stringify(message);
  return `Content-Length: ${body.length}\r\n\r\n${body}`;
}

async function nextText(stream: Socket | PassThrough): Promise<string> {
  const [chunk] = await once(stream, "data");
  return String(chunk);
}

test("a client with the token is connected to the process, which does not see the token", async () => {
  const pipes = openPipes();
  const relay = await openStdioRelay(pipes);
  const socket = await join(relay);
  const whole = `${frame({ id: 1, params: { token: relay.token, other: 2 } })}rest`;
  const received = nextText(pipes.input);
  socket.write(whole.slice(0, 30));
  socket.write(whole.slice(30));
  expect(await received).toBe(`${frame({ id: 1, params: { other: 2 } })}rest`);
  const answer = nextText(socket);
  pipes.output.write(frame({ id: 1 }));
  expect(await answer).toBe(frame({ id: 1 }));
  relay.close();
});

test("a message that is too long ends the connection, and is not read further", async () => {
  const pipes = openPipes();
  const relay = await openStdioRelay(pipes);
  const socket = await join(relay);
  const received = nextText(pipes.input);
  socket.write(frame({ params: { token: relay.token } }));
  await received;
  pipes.output.write("Content-Length: 99999999999\r\n\r\nx");
  await once(socket, "close");
  expect(pipes.output.destroyed).toBe(true);
});

test("output of the process after the client has disconnected is read and dropped", async () => {
  const pipes = openPipes();
  const relay = await openStdioRelay(pipes);
  const socket = await join(relay);
  const received = nextText(pipes.input);
  socket.write(frame({ params: { token: relay.token } }));
  await received;
  const unpiped = once(pipes.output, "resume");
  relay.close();
  await unpiped;
  const ended = once(pipes.output, "end");
  pipes.output.end("x".repeat(1_000_000));
  await ended;
});

test.each([
  { title: "a wrong token", greeting: frame({ params: { token: "x" } }) },
  { title: "no token", greeting: frame({ method: "connect" }) },
  { title: "no message", greeting: "GET / HTTP/1.1\r\n\r\n" },
  { title: "no end of it", greeting: "x".repeat(70_000) },
])("$title does not connect", async ({ greeting }) => {
  const pipes = openPipes();
  const relay = await openStdioRelay(pipes);
  const socket = await join(relay);
  const closed = once(socket, "close");
  socket.on("error", () => {});
  socket.write(greeting);
  await closed;
  expect(pipes.input.readableLength).toBe(0);
  relay.close();
});

test("no other client can connect after the first", async () => {
  const pipes = openPipes();
  const relay = await openStdioRelay(pipes);
  const early = await join(relay);
  const earlyClosed = once(early, "close");
  const socket = await join(relay);
  const received = nextText(pipes.input);
  socket.write(frame({ params: { token: relay.token } }));
  await received;
  await earlyClosed;
  const late = connect(relay.port, "127.0.0.1");
  const [error] = await once(late, "error");
  expect(error.code).toBe("ECONNREFUSED");
  relay.close();
});
