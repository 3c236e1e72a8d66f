import { elementsOf, typeOf } from '../evaluate/record.ts';
import { compareCodePoints, fold } from '../evaluate/text.ts';
import type { FieldType } from '../language/ast.ts';
import type { JsonValue } from '../language/json.ts';
import type { PathTarget } from './path-tree.ts';
import { TextSet } from './text-set.ts';
import type { WorkMeter } from './work-meter.ts';

const NONE: readonly never[] = [];
/** Separates strings that are searched together. No filter contains U+0000. */
const SEPARATOR = '\0';

/**
 * The values of one field of the current document, with the derived values that its operators need. Each derived value is computed at
 * most once per document, so that hundreds of operators on the same field cost little more than one.
 */
export class FieldValues implements PathTarget {
  /** Literals of all patterns that are compared with the field. */
  readonly literals: TextSet;
  #isThroughArray = false;
  #value: JsonValue | undefined;
  #collected: JsonValue[] = [];
  #folded: readonly string[] | null = null;
  #foldedText: string | null = null;
  #scalars: ReadonlySet<JsonValue> | null = null;
  #types: ReadonlySet<FieldType> | null = null;
  #smallest: Extremes | null = null;
  #largest: Extremes | null = null;

  constructor(meter: WorkMeter) {
    this.literals = new TextSet(meter);
  }

  /** Removes the values of the previous document. */
  reset(): void {
    this.#isThroughArray = false;
    this.#value = undefined;
    if (this.#collected.length > 0) this.#collected = [];
    this.#folded = null;
    this.#foldedText = null;
    this.#scalars = null;
    this.#types = null;
    this.#smallest = null;
    this.#largest = null;
  }

  single(value: JsonValue): void {
    this.#value = value;
  }

  throughArray(): void {
    this.#isThroughArray = true;
  }

  collected(value: JsonValue): void {
    this.#collected.push(value);
  }

  get isNullOrAbsent(): boolean {
    if (this.#isThroughArray) return this.#collected.length === 0;
    return this.#value === null || this.#value === undefined;
  }

  /** The values that operands are compared with; see `comparedValues`. */
  get compared(): readonly JsonValue[] {
    if (this.#isThroughArray) return this.#collected;
    return this.#value === undefined ? NONE : elementsOf(this.#value);
  }

  /** The folded strings among the compared values. */
  get folded(): readonly string[] {
    this.#folded ??=
      typeof this.#value === 'string'
        ? [fold(this.#value)]
        : this.compared.filter((value) => typeof value === 'string').map(fold);
    return this.#folded;
  }

  /** All folded strings in one text. A literal without U+0000 occurs in the text if it occurs in any of the strings. */
  get foldedText(): string {
    this.#foldedText ??= this.folded.join(SEPARATOR);
    return this.#foldedText;
  }

  /** The compared values as a set. -0 is stored as 0. */
  get scalars(): ReadonlySet<JsonValue> {
    this.#scalars ??= new Set(this.compared);
    return this.#scalars;
  }

  hasType(type: FieldType): boolean {
    if (!this.#isThroughArray) return typeOf(this.#value) === type;
    if (type === 'absent') return this.#collected.length === 0;
    this.#types ??= new Set(this.#collected.map(typeOf));
    return this.#types.has(type);
  }

  /** The smallest number and the smallest string among the compared values. */
  get smallest(): Extremes {
    this.#smallest ??= extremes(this.compared, (order) => order < 0);
    return this.#smallest;
  }

  /** The largest number and the largest string among the compared values. */
  get largest(): Extremes {
    this.#largest ??= extremes(this.compared, (order) => order > 0);
    return this.#largest;
  }
}

interface Extremes {
  readonly number: number | undefined;
  readonly string: string | undefined;
}

/** @param isBetter receives the order of a value relative to the best value so far. Reports whether the value is better. */
function extremes(values: readonly JsonValue[], isBetter: (order: number) => boolean): Extremes {
  let number: number | undefined;
  let string: string | undefined;
  for (const value of values) {
    if (typeof value === 'number') {
      if (number === undefined || isBetter(value - number)) number = value;
    } else if (typeof value === 'string') {
      if (string === undefined || isBetter(compareCodePoints(value, string))) string = value;
    }
  }
  return { number, string };
}

/** Returns the folded strings in the file name and the metadata, at any depth, in one text separated by U+0000. */
export function foldedStrings(fileName: string, metadata: JsonValue): string {
  const strings: string[] = [];
  // Not recursive, because deeply nested metadata would overflow the stack.
  const pending: JsonValue[] = [fileName, metadata];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'string') strings.push(fold(value));
    else if (typeof value === 'object' && value !== null)
      for (const part of Object.values(value)) pending.push(part);
  }
  return strings.join(SEPARATOR);
}
