import type { Extraction, ExtractionFailureCode } from './extractor.ts';

/** Ends the reading of a document, with what its owner is told. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ExtractionFailureCode;

  constructor(code: ExtractionFailureCode, reason: string) {
    super(reason);
    this.code = code;
  }
}

export function failure(code: ExtractionFailureCode, reason: string): Extraction {
  return { ok: false, code, reason };
}

/** A number as people read it, `10,000,000`. */
export function shown(count: number): string {
  return count.toLocaleString('en-US');
}

/** A number of bytes as people read it, `25 MiB`. */
export function shownBytes(bytes: number): string {
  return `${shown(Math.round(bytes / 1024 / 1024))} MiB`;
}
