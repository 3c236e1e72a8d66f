import { PLANES } from './sketch.ts';
import { type Code, control, encodeModule, i32, local, v128 } from './wasm.ts';

/** Bytes per SIMD register. */
export const REGISTER = 16;
/** Bytes of a sketch whose bits are counted in 8-bit lanes. The count in a lane is at most 64, so a lane does not overflow. */
const BLOCK = 128;
const WASM_PAGE = 64 * 1024;

/** Types of the global `WebAssembly`, which are part of the DOM library only. */
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly env: { readonly memory: object } },
  ) => { readonly exports: { readonly run: (count: number) => void } };
};

/** Compares sketches with a query, several per call. */
export interface Comparison {
  /** Bit planes of the query; see `queryPlanes`. */
  readonly planes: Uint8Array;
  /** Sketches to compare. */
  readonly sketches: Uint8Array;
  /** Results: for each sketch, the sum of the query's integers in the dimensions whose bit is set. */
  readonly scores: Int32Array;
  /** Compares the first `count` sketches. */
  readonly run: (count: number) => void;
}

/**
 * Creates a comparison of sketches in WebAssembly. With SIMD instructions it is about ten times as fast as JavaScript.
 *
 * @param length bytes per sketch; a multiple of 16 and at most 4096.
 * @param capacity maximum number of sketches per call.
 */
export function createComparison(length: number, capacity: number): Comparison {
  const scoresAt = PLANES * length;
  const sketchesAt = scoresAt + 4 * capacity;
  const bytes = sketchesAt + capacity * length;
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / WASM_PAGE) });
  const module = new WebAssembly.Module(compareAll(length, scoresAt, sketchesAt));
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  return {
    planes: new Uint8Array(memory.buffer, 0, PLANES * length),
    sketches: new Uint8Array(memory.buffer, sketchesAt, capacity * length),
    scores: new Int32Array(memory.buffer, scoresAt, capacity),
    run: exports.run,
  };
}

const COUNT = 0;
const SKETCH = 1;
const SCORE = 2;
const END = 3;
const COUNTS = 4;
const TOTAL = 5;
const FIRST_PART = 6;

function compareAll(length: number, scoresAt: number, sketchesAt: number): Uint8Array<ArrayBuffer> {
  const parts = Math.min(length, BLOCK) / REGISTER;
  return encodeModule(3, 2 + parts, [
    ...[...local.get(COUNT), ...i32.isZero, ...control.returnIf],
    ...[...i32.const(scoresAt), ...local.set(SCORE)],
    ...[...i32.const(sketchesAt), ...local.tee(SKETCH)],
    ...[...local.get(COUNT), ...i32.const(length), ...i32.multiply, ...i32.add, ...local.set(END)],
    ...control.repeat([
      ...compareOne(length),
      ...[...local.get(SCORE), ...i32.const(4), ...i32.add, ...local.set(SCORE)],
      ...[...local.get(SKETCH), ...i32.const(length), ...i32.add, ...local.tee(SKETCH)],
      ...[...local.get(END), ...i32.isLess],
    ]),
  ]);
}

function compareOne(length: number): Code {
  const code: number[] = [...v128.zero, ...local.set(TOTAL)];
  for (let block = 0; block < length; block += BLOCK)
    code.push(...addBlock(length, block, Math.min(length, block + BLOCK)));
  code.push(...local.get(SCORE));
  code.push(...local.get(TOTAL), ...v128.addPairsOfShorts, ...local.tee(TOTAL), ...v128.int(0));
  for (const lane of [1, 2, 3]) code.push(...local.get(TOTAL), ...v128.int(lane), ...i32.add);
  code.push(...i32.store);
  return code;
}

/**
 * For each plane p, adds 2^p times the number of bits that are set in both the plane and the sketch. The last plane contains the sign
 * bits, so its value is subtracted instead. The total of all blocks fits into 16 bits.
 */
function addBlock(length: number, from: number, to: number): Code {
  const parts = Array.from({ length: (to - from) / REGISTER }, (_, part) => ({
    at: from + part * REGISTER,
    loaded: FIRST_PART + part,
  }));
  const code: number[] = [];
  for (const { at, loaded } of parts)
    code.push(...local.get(SKETCH), ...v128.load(at), ...local.set(loaded));
  for (let plane = 0; plane < PLANES; plane++) {
    for (const [index, { at, loaded }] of parts.entries()) {
      code.push(...i32.const(0), ...v128.load(plane * length + at));
      code.push(...local.get(loaded), ...v128.and, ...v128.countBitsOfBytes);
      if (index > 0) code.push(...local.get(COUNTS), ...v128.addBytes);
      code.push(...local.set(COUNTS));
    }
    code.push(...local.get(TOTAL), ...local.get(COUNTS), ...v128.addPairsOfBytes);
    code.push(...i32.const(plane), ...v128.shiftShorts);
    code.push(...(plane === PLANES - 1 ? v128.subtractShorts : v128.addShorts));
    code.push(...local.set(TOTAL));
  }
  return code;
}
