import { deflateSync, inflateSync } from "node:zlib";

/** Colours of a shrunk picture: the letters' soft edges need most of them. */
const MAX_COLORS = 128;

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

/** A chunk of a PNG file. */
interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

/** A picture of a screen with fewer colours, about half as large. @throws for another format than 8 bits RGB or RGBA */
export function shrinkPng(png: Buffer): Buffer {
  const chunks = readChunks(png);
  const header = chunks.find(({ type }) => type === "IHDR")?.data ?? Buffer.alloc(13);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const channels = { 2: 3, 6: 4 }[header[9] ?? 0];
  if (header[8] !== 8 || header[12] !== 0 || channels === undefined)
    throw new Error("Not an 8-bit RGB or RGBA picture.");
  const data = inflateSync(Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map((chunk) => chunk.data)));
  const pixels = unfilter(data, { rowBytes: width * channels, channels, height });
  const { palette, indexOf } = choosePalette(pixels, channels);
  const rows = Buffer.alloc((width + 1) * height);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const row = Math.floor(pixel / width);
    rows[row * (width + 1) + 1 + (pixel % width)] = indexOf(colorAt(pixels, pixel * channels));
  }
  const indexed = Buffer.from(header);
  indexed[9] = 3;
  return Buffer.concat([
    SIGNATURE,
    writeChunk("IHDR", indexed),
    writeChunk("PLTE", Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]))),
    writeChunk("IDAT", deflateSync(rows, { level: 9 })),
    writeChunk("IEND", Buffer.alloc(0)),
  ]);
}

function colorAt(pixels: Buffer, at: number): number {
  return ((pixels[at] ?? 0) << 16) | ((pixels[at + 1] ?? 0) << 8) | (pixels[at + 2] ?? 0);
}

/** The most frequent colours, and the place of the one that is nearest to a colour. */
function choosePalette(pixels: Buffer, channels: number) {
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += channels) {
    const color = colorAt(pixels, at);
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  const palette = [...counts].toSorted(([, one], [, other]) => other - one).map(([color]) => color);
  palette.splice(MAX_COLORS);
  const indexes = new Map(palette.map((color, index) => [color, index]));
  const indexOf = (color: number): number => {
    const known = indexes.get(color);
    if (known !== undefined) return known;
    const distances = palette.map((other) => distance(color, other));
    const nearest = distances.indexOf(Math.min(...distances));
    indexes.set(color, nearest);
    return nearest;
  };
  return { palette, indexOf };
}

function distance(one: number, other: number): number {
  return [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);
}

function readChunks(png: Buffer): readonly Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString("latin1", at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function writeChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(Bun.hash.crc32(body));
  return Buffer.concat([length, body, checksum]);
}

/** The bytes of the pixels: each row is stored as its difference to what is left of it and above it. */
function unfilter(
  data: Buffer,
  { rowBytes, channels, height }: { readonly rowBytes: number; readonly channels: number; readonly height: number },
): Buffer {
  const pixels = Buffer.alloc(rowBytes * height);
  for (let row = 0; row < height; row++) {
    const filter = data[row * (rowBytes + 1)] ?? 0;
    for (let column = 0; column < rowBytes; column++) {
      const at = row * rowBytes + column;
      const left = column < channels ? 0 : (pixels[at - channels] ?? 0);
      const up = row === 0 ? 0 : (pixels[at - rowBytes] ?? 0);
      const corner = row === 0 || column < channels ? 0 : (pixels[at - rowBytes - channels] ?? 0);
      const predicted = [0, left, up, (left + up) >> 1, paeth(left, { up, corner })][filter] ?? 0;
      pixels[at] = (data[row * (rowBytes + 1) + 1 + column] ?? 0) + predicted;
    }
  }
  return pixels;
}

/** The neighbour that is nearest to `left + up - corner`. */
function paeth(left: number, { up, corner }: { readonly up: number; readonly corner: number }): number {
  const [toLeft, toUp, toCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
