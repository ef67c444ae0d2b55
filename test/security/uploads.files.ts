import sharp from 'sharp';

/** Pictures that nobody drew. */

/** A PNG by hand: any size in the header, any data. */
export function png(width: number, height: number, data: Buffer): Buffer {
  const chunk = (type: string, body: Buffer): Buffer => {
    const whole = Buffer.concat([Buffer.from(type), body]);
    const out = Buffer.alloc(8);
    out.writeUInt32BE(body.length, 0);
    out.writeUInt32BE(crc(whole) >>> 0, 4);
    return Buffer.concat([out.subarray(0, 4), whole, out.subarray(4)]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([1, 0, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk('IHDR', head),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
/** Node 20 has no function for it. */
function crc(data: Buffer): number {
  let value = ~0;
  for (const byte of data) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  }
  return ~value;
}

/** Two frames of one colour each, many times over: small on the wire, large in memory. */
export async function animation(frames: number, width: number, height: number): Promise<Buffer> {
  const raw = Buffer.alloc(width * height * frames * 3);
  for (let i = 0; i < frames; i++) raw.fill(i % 2 ? 250 : 5, i * width * height * 3, (i + 1) * width * height * 3);
  return sharp(raw, { raw: { width, height: height * frames, channels: 3, pageHeight: height } as never })
    .gif()
    .toBuffer();
}
