import type { FilterRecord } from '../evaluate/record.ts';
import type { DocumentField, Field } from '../language/ast.ts';
import { fieldName } from '../language/filter.ts';
import type { JsonObject } from '../language/json.ts';
import { FieldValues, foldedStrings } from './field-values.ts';
import { PathTree } from './path-tree.ts';
import { TextSet } from './text-set.ts';
import type { WorkMeter } from './work-meter.ts';

/** A document as stored: the metadata is JSON, which is parsed only if a filter reads it. */
export interface StoredRecord extends Omit<FilterRecord, 'metadata'> {
  readonly metadata: string;
  /** Parses `metadata`. The result is not modified. Default: `JSON.parse`. */
  readonly parse?: (metadata: string) => JsonObject;
}

export interface FieldOfDocument {
  readonly values: FieldValues;
  /** Returns `values` after reading them from the current document. */
  readonly current: () => FieldValues;
}

/** The document that a compiled filter currently tests. */
export class CurrentDocument {
  readonly meter: WorkMeter;
  /** Texts of all `search` conditions. */
  readonly searchTexts: TextSet;
  readonly #paths = new PathTree();
  readonly #metadataFields = new Map<string, FieldValues>();
  readonly #documentFields = new Map<DocumentField, FieldValues>();
  #record: StoredRecord | null = null;
  #metadata: JsonObject | null = null;
  #strings: string | null = null;
  #isVisited = false;

  constructor(meter: WorkMeter) {
    this.meter = meter;
    this.searchTexts = new TextSet(meter);
  }

  set(record: StoredRecord): void {
    this.#record = record;
    this.#metadata = null;
    this.#strings = null;
    this.#isVisited = false;
    this.meter.add(record.metadata.length);
    for (const [name, values] of this.#documentFields) {
      values.reset();
      values.single(record[name]);
    }
  }

  field(field: Field): FieldOfDocument {
    if (field.source === 'document') {
      const values = this.#documentFields.get(field.name) ?? new FieldValues(this.meter);
      this.#documentFields.set(field.name, values);
      return { values, current: () => values };
    }
    const name = fieldName(field);
    let values = this.#metadataFields.get(name);
    if (values === undefined) {
      values = new FieldValues(this.meter);
      this.#metadataFields.set(name, values);
      this.#paths.add(field.path, values);
    }
    const found = values;
    const current = () => {
      if (!this.#isVisited) this.#visit();
      return found;
    };
    return { values, current };
  }

  /** The folded file name and metadata strings; see `foldedStrings`. */
  get strings(): string {
    this.#strings ??= foldedStrings(this.#record?.fileName ?? '', this.#parsed());
    return this.#strings;
  }

  #visit(): void {
    this.#isVisited = true;
    for (const values of this.#metadataFields.values()) values.reset();
    this.#paths.visit(this.#parsed());
  }

  #parsed(): JsonObject {
    const { metadata = '{}', parse = JSON.parse } = this.#record ?? {};
    this.#metadata ??= parse(metadata) as JsonObject;
    return this.#metadata;
  }
}
