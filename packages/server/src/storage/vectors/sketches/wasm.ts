/*
 * Encodes WebAssembly. Only WebAssembly gives access to the SIMD instructions of the processor. Opcodes:
 * https://webassembly.github.io/spec/core/binary/instructions.html
 */

export type Code = readonly number[];

const I32 = 0x7f;
const V128 = 0x7b;
const NO_RESULT = 0x40;

/** Encodes an unsigned integer (LEB128). */
function unsigned(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return [...bytes, rest];
    bytes.push((rest & 0x7f) | 0x80);
  }
}

/** Encodes a non-negative integer as a signed integer. */
function signed(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x40) return [...bytes, rest];
    bytes.push((rest & 0x7f) | 0x80);
  }
}

const simd = (opcode: number, ...immediates: number[]): Code => [
  0xfd,
  ...unsigned(opcode),
  ...immediates,
];

export const local = {
  get: (index: number): Code => [0x20, ...unsigned(index)],
  set: (index: number): Code => [0x21, ...unsigned(index)],
  tee: (index: number): Code => [0x22, ...unsigned(index)],
};

export const i32 = {
  const: (value: number): Code => [0x41, ...signed(value)],
  isZero: [0x45] as Code,
  isLess: [0x49] as Code,
  add: [0x6a] as Code,
  multiply: [0x6c] as Code,
  store: [0x36, 2, 0] as Code,
};

export const v128 = {
  load: (offset: number): Code => simd(0x00, 0, ...unsigned(offset)),
  zero: simd(0x0c, ...new Uint8Array(16)),
  and: simd(0x4e),
  countBitsOfBytes: simd(0x62),
  addBytes: simd(0x6e),
  addPairsOfBytes: simd(0x7d),
  addPairsOfShorts: simd(0x7e),
  shiftShorts: simd(0x8b),
  addShorts: simd(0x8e),
  subtractShorts: simd(0x91),
  int: (lane: number): Code => simd(0x1b, lane),
};

export const control = {
  /** Returns from the function if the value on the stack is not zero. */
  returnIf: [0x04, NO_RESULT, 0x0f, 0x0b] as Code,
  /** Repeats the code while it leaves a value other than zero on the stack. */
  repeat: (code: Code): Code => [0x03, NO_RESULT, ...code, 0x0d, 0, 0x0b],
};

/**
 * Encodes a module that imports the memory `env.memory` and exports the function `run`, which has one parameter of the type i32 and no
 * result. The parameter is local 0. Locals of the type i32 follow, then those of the type v128.
 */
export function encodeModule(ints: number, vectors: number, code: Code): Uint8Array<ArrayBuffer> {
  const locals = [2, ...unsigned(ints), I32, ...unsigned(vectors), V128];
  const body = [...locals, ...code, 0x0b];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [1, 0x60, 1, I32, 0]),
    ...section(2, [1, ...name('env'), ...name('memory'), 0x02, 0x00, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name('run'), 0x00, 0]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
  ]);
}

function section(id: number, content: Code): Code {
  return [id, ...unsigned(content.length), ...content];
}

function name(text: string): Code {
  const bytes = new TextEncoder().encode(text);
  return [...unsigned(bytes.length), ...bytes];
}
