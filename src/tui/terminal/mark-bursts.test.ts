import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { EventEmitter } from "node:events";
import { BurstMarker, markBursts } from "./mark-bursts.ts";

const START = "\u001b[200~";
const END = "\u001b[201~";
const LONG = "a long text that nobody types at once";

/** What is passed on of some reads that follow one another at once. */
function passOn(...reads: readonly string[]): { readonly received: string[]; readonly marker: BurstMarker } {
  const received: string[] = [];
  const marker = new BurstMarker((chunk) => received.push(Buffer.from(chunk).toString()), { isActive: () => true });
  for (const read of reads) marker.receive(Buffer.from(read));
  return { received, marker };
}

/** The time after which a burst is over. */
async function settle(): Promise<void> {
  jest.advanceTimersByTime(20);
  jest.useRealTimers();
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe("bursts", () => {
  test("keys, also held ones, and texts that a person types are passed on as they are", async () => {
    const { received } = passOn("h", "i", "\r", "fifteen letters", "b".repeat(20), "\u001b[A");
    await settle();
    expect(received).toEqual(["h", "i", "\r", "fifteen letters", "b".repeat(20), "\u001b[A"]);
  });

  test("a long text is a paste, with what follows at once; the return at its end is a key", async () => {
    const { received } = passOn(`${LONG}\rsecond\tline`, "and the rest\r");
    expect(received).toEqual([START, `${LONG}\rsecond\tline`, "and the rest"]);
    await settle();
    expect(received.slice(3)).toEqual([END, "\r"]);
  });

  test("a return at the end of a read is a part of the text when more follows", async () => {
    const { received } = passOn(`${LONG}\r`, "more");
    await settle();
    expect(received).toEqual([START, LONG, "\r", "more", END]);
  });

  test("a key that is no character ends a burst at once, after its return", () => {
    expect(passOn(`${LONG}\r`, "\u0003").received).toEqual([START, LONG, END, "\r", "\u0003"]);
  });

  test("characters of several bytes stay whole over two reads", async () => {
    const received: number[] = [];
    const marker = new BurstMarker((chunk) => received.push(...chunk), { isActive: () => true });
    const bytes = Buffer.from("漢".repeat(100));
    marker.receive(bytes.subarray(0, 151));
    marker.receive(bytes.subarray(151));
    await settle();
    expect(Buffer.from(received).toString()).toBe(`${START}${"漢".repeat(100)}${END}`);
  });

  test("a control character in a long text does not make keys of the rest of it", async () => {
    const { received } = passOn(`a line of a log\r\u001b[31m!touch x\r\u000c!ls\r\u001b]0;a title\r`);
    await settle();
    const [one, two, three, four] = ["a line of a log\r", "!touch x\r", "!ls\r", "0;a title"].map(
      (it) => START + it + END,
    );
    expect(received.join("")).toBe(`${one}\u001b[31m${two}\u000c${three}\u001b]${four}\r`);
  });

  test("nothing is marked before the UI receives keys", async () => {
    const received: string[] = [];
    const marker = new BurstMarker((chunk) => received.push(Buffer.from(chunk).toString()), { isActive: () => false });
    marker.receive(Buffer.from(LONG));
    await settle();
    expect(received).toEqual([LONG]);
  });
});

describe("pastes that the terminal has marked", () => {
  test("are passed on as they are, and a text after them can be a burst", async () => {
    const { received } = passOn(`${START}${LONG}`, LONG, `${LONG}${END}`, LONG);
    await settle();
    expect(received.join("")).toBe(`${START}${LONG}${LONG}${LONG}${END}${START}${LONG}${END}`);
  });

  test.each([1, 2, 3, 4, 5])("may have marks of which a read ends after %d bytes", async (at) => {
    const reads = [START.slice(0, at), START.slice(at) + LONG, LONG, END.slice(0, at), END.slice(at)];
    const { received } = passOn(...reads);
    await settle();
    expect(received.join("")).toBe(reads.join(""));
  });

  test("may wait in the middle of their last mark", async () => {
    const { received, marker } = passOn(`${START}${LONG}\u001b[20`);
    await settle();
    marker.receive(Buffer.from("1~"));
    marker.receive(Buffer.from(LONG));
    marker.stop();
    expect(received.join("")).toBe(`${START}${LONG}${END}${START}${LONG}`);
  });

  test("have nothing but a return after them in one read that would be a key", async () => {
    const { received } = passOn(`${START}abc${END}y${END}p\r`, `${START}abc${END}\r`, `x${START}${LONG}${END}`);
    await settle();
    const marked = (text: string): string => `${START}${text}${END}`;
    expect(received.join("")).toBe(
      `${marked("abc")}${marked("y")}${END}${marked("p")}\r${marked("abc")}\r${marked("x")}${marked(LONG)}`,
    );
  });
});

test("Escape that was pressed some time ago does not keep a text from being a burst", async () => {
  const { received, marker } = passOn("\u001b");
  await settle();
  marker.receive(Buffer.from(LONG));
  marker.stop();
  expect(received).toEqual(["\u001b", START, LONG]);
});

test("a stream keeps its methods and properties, and its listeners can be removed", () => {
  class Input extends EventEmitter {
    readonly isTTY = true;
    readonly #modes: boolean[] = [];
    setRawMode(isRaw: boolean): number {
      return this.#modes.push(isRaw);
    }
  }
  const input = new Input();
  // The cast is true for what is used of a stream here.
  const marked = markBursts(input as unknown as NodeJS.ReadStream, { isActive: () => true });
  const received: string[] = [];
  const listener = (chunk: Uint8Array): void => void received.push(Buffer.from(chunk).toString());
  const other = (): void => void received.push("end");
  marked.on("data", listener).on("end", other);
  expect([marked.isTTY, Number(marked.setRawMode(true))]).toEqual([true, 1]);
  input.emit("data", Buffer.from(LONG));
  input.emit("end");
  expect(received).toEqual([START, LONG, "end"]);
  marked.removeListener("data", listener);
  marked.removeListener("end", other);
  input.emit("data", Buffer.from("b"));
  input.emit("end");
  expect([received.length, input.eventNames()]).toEqual([3, []]);
});
