/** Reads the data types of Kafka's protocol. Throws on a read past the end. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  take(length: number): Buffer {
    if (length < 0 || length > this.left)
      throw new Error(`cannot read ${length} of ${this.left} remaining bytes`);
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  int8 = () => this.take(1).readInt8();
  int16 = () => this.take(2).readInt16BE();
  int32 = () => this.take(4).readInt32BE();
  uint32 = () => this.take(4).readUInt32BE();
  int64 = () => this.take(8).readBigInt64BE();

  unsignedVarint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.take(1).readUInt8();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new Error('a varint is too long');
  }

  varint(): number {
    const value = this.unsignedVarint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  varlong(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.take(1).readUInt8();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return (value >> 1n) ^ -(value & 1n);
    }
    throw new Error('a varlong is too long');
  }

  /** Reads a string of the non-flexible encoding with a 16-bit length. A length of -1 means null. */
  shortString(): string | null {
    const length = this.int16();
    return length === -1 ? null : this.take(length).toString();
  }

  /** Reads compact bytes, which are preceded by their length plus one. A value of 0 means null. */
  compactBytes(): Buffer | null {
    const length = this.unsignedVarint();
    return length === 0 ? null : this.take(length - 1);
  }

  compactString(): string | null {
    return this.compactBytes()?.toString() ?? null;
  }

  compactArray<T>(read: () => T): T[] {
    return Array.from({ length: Math.max(0, this.unsignedVarint() - 1) }, read);
  }

  /** Reads a key or value of a record, which has a signed length. A length of -1 means null. */
  recordBytes(): Buffer | null {
    const length = this.varint();
    return length === -1 ? null : this.take(length);
  }

  tags(): void {
    for (let count = this.unsignedVarint(); count > 0; count -= 1) {
      this.unsignedVarint();
      this.take(this.unsignedVarint());
    }
  }
}

export class ByteWriter {
  readonly #parts: Buffer[] = [];

  get bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  raw(bytes: Buffer): this {
    this.#parts.push(bytes);
    return this;
  }

  #sized(size: number, write: (buffer: Buffer) => void): this {
    const buffer = Buffer.alloc(size);
    write(buffer);
    return this.raw(buffer);
  }

  int8 = (value: number) => this.#sized(1, (buffer) => buffer.writeInt8(value));
  int16 = (value: number) => this.#sized(2, (buffer) => buffer.writeInt16BE(value));
  int32 = (value: number) => this.#sized(4, (buffer) => buffer.writeInt32BE(value));
  int64 = (value: bigint) => this.#sized(8, (buffer) => buffer.writeBigInt64BE(value));

  unsignedVarint(value: number): this {
    let left = value;
    while (left >= 0x80) {
      this.raw(Buffer.from([(left & 0x7f) | 0x80]));
      left >>>= 7;
    }
    return this.raw(Buffer.from([left]));
  }

  shortString(text: string): this {
    const bytes = Buffer.from(text);
    return this.int16(bytes.length).raw(bytes);
  }

  compactString(text: string | null): this {
    if (text === null) return this.unsignedVarint(0);
    const bytes = Buffer.from(text);
    return this.unsignedVarint(bytes.length + 1).raw(bytes);
  }

  compactArray<T>(values: readonly T[], write: (value: T) => void): this {
    this.unsignedVarint(values.length + 1);
    for (const value of values) write(value);
    return this;
  }

  tags(): this {
    return this.unsignedVarint(0);
  }
}
