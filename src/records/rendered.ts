/** A record in its wire format, already serialised. */
export class Rendered {
  /** `digest`: SHA-1 of the bytes; it stands for them when responses are compared. */
  constructor(
    readonly parts: readonly Buffer[],
    readonly digest?: Buffer,
  ) {}

  toJSON(): unknown {
    return JSON.parse(Buffer.concat(this.parts).toString());
  }
}

/** A record as it is cached: its bytes, and everything that they depend on (`thing` in records/basis.ts). */
export interface Whole {
  bytes: Buffer;
  /** SHA-1 of the bytes. */
  digest: Buffer;
  slug: string;
  things: readonly string[];
}

/** Bytes in parts that many responses share, concatenated only if somebody needs them in one buffer. */
export class Bytes {
  readonly length: number;

  constructor(private shown: readonly Buffer[]) {
    this.length = shown.reduce((sum, part) => sum + part.length, 0);
  }

  get parts(): readonly Buffer[] {
    return this.shown;
  }

  get whole(): Buffer {
    const whole = this.shown.length === 1 ? (this.shown[0] as Buffer) : Buffer.concat(this.shown, this.length);
    this.shown = [whole];
    return whole;
  }
}

const COMMA = Buffer.from(',');
const CLOSE = Buffer.from(']');

/** The JSON of a body whose records may already be serialised. */
export function bytesOf(body: unknown): Bytes {
  if (body instanceof Rendered) return new Bytes(body.parts);
  if (body === null || typeof body !== 'object' || !Object.values(body).some(isRendered)) {
    return new Bytes([Buffer.from(JSON.stringify(body))]);
  }
  const parts: Buffer[] = [];
  let text = '{';
  for (const [name, value] of Object.entries(body)) {
    if (value === undefined) continue;
    text += `${text === '{' && parts.length === 0 ? '' : ','}${JSON.stringify(name)}:`;
    if (!isRendered(value)) text += JSON.stringify(value);
    else {
      parts.push(Buffer.from(`${text}[`));
      for (let at = 0; at < value.length; at++) {
        if (at > 0) parts.push(COMMA);
        for (const part of (value[at] as Rendered).parts) parts.push(part);
      }
      parts.push(CLOSE);
      text = '';
    }
  }
  parts.push(Buffer.from(`${text}}`));
  return new Bytes(parts);
}

const isRendered = (value: unknown): value is Rendered[] => Array.isArray(value) && value[0] instanceof Rendered;
