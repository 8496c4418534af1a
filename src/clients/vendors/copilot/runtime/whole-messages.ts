/** No message of Copilot is larger: whole conversations with images are smaller. */
const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;

const MAX_HEADER_BYTES = 8 * 1024;

const HEADER_END = "\r\n\r\n";

/**
 * Forwards messages, each with its length in front, once they are whole. The SDK would keep an endless message in memory,
 * however long it gets, and wait forever for the rest of a broken one, which keeps a program from exiting.
 */
export class WholeMessages {
  /** The part of a header received so far. */
  #header: Buffer = Buffer.alloc(0);
  /** How many bytes of the current message are missing. */
  #leftBytes = 0;
  /** The part of the current message received so far. */
  readonly #pending: Buffer[] = [];

  /** Takes the next data. Returns the whole messages. @throws Error if the data is not a message */
  take(chunk: Buffer): readonly Buffer[] {
    const whole: Buffer[] = [];
    let rest = chunk;
    while (rest.length > 0) {
      rest = this.#leftBytes > 0 ? this.#takeBody(rest) : this.#takeHeader(rest);
      if (this.#leftBytes === 0 && this.#header.length === 0) whole.push(...this.#pending.splice(0));
    }
    return whole;
  }

  #takeBody(rest: Buffer): Buffer {
    const piece = rest.subarray(0, this.#leftBytes);
    this.#pending.push(piece);
    this.#leftBytes -= piece.length;
    return rest.subarray(piece.length);
  }

  #takeHeader(rest: Buffer): Buffer {
    const header = this.#header.length === 0 ? rest : Buffer.concat([this.#header, rest]);
    const end = header.indexOf(HEADER_END);
    if ((end === -1 ? header.length : end) > MAX_HEADER_BYTES)
      throw new Error("This is no message: it does not begin.");
    if (end === -1) {
      this.#header = header;
      return Buffer.alloc(0);
    }
    const bodyAt = end + HEADER_END.length;
    const length = Number(/content-length:\s*(\d+)/i.exec(header.toString("latin1", 0, end))?.[1]);
    if (!(length <= MAX_MESSAGE_BYTES)) throw new Error("This is no message: it has no length, or is too long.");
    this.#header = Buffer.alloc(0);
    this.#pending.push(header.subarray(0, bodyAt));
    this.#leftBytes = length;
    return header.subarray(bodyAt);
  }
}
