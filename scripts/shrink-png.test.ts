import { expect, test } from "bun:test";
import { deflateSync, inflateSync } from "node:zlib";
import { shrinkPng } from "./shrink-png.ts";

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type, "latin1"), data, Buffer.alloc(4)]);
}

/** A picture of 2 × 2 pixels: red and blue, below them twice the colours above, as differences to them. */
function pictureOf(depth: number): Buffer {
  const header = Buffer.from([0, 0, 0, 2, 0, 0, 0, 2, depth, 2, 0, 0, 0]);
  const rows = Buffer.from([0, 255, 0, 0, 0, 0, 255, 2, 0, 0, 0, 0, 0, 0]);
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", deflateSync(rows)), chunk("IEND", rows)]);
}

test("a picture has a palette of its colours", () => {
  const small = shrinkPng(pictureOf(8));
  const dataOf = (type: string): Buffer => {
    const at = small.indexOf(type, 0, "latin1");
    return small.subarray(at + 4, at + 4 + small.readUInt32BE(at - 4));
  };
  expect([...dataOf("IHDR").subarray(8, 10)]).toEqual([8, 3]);
  expect([...dataOf("PLTE")]).toEqual([255, 0, 0, 0, 0, 255]);
  expect([...inflateSync(dataOf("IDAT"))]).toEqual([0, 0, 1, 0, 0, 1]);
});

test("another format is an error", () => {
  expect(() => shrinkPng(pictureOf(16))).toThrow("Not an 8-bit RGB or RGBA picture.");
});
