/** Returns a copy with at least `length` elements. */
export function grown<Numbers extends Uint8Array | Uint32Array | Float64Array>(
  array: Numbers,
  length: number,
): Numbers {
  const larger = new (array.constructor as new (size: number) => Numbers)(Math.ceil(length));
  larger.set(array);
  return larger;
}
