import type { ExtractionFailure, ExtractionFailureCode } from './extractor.ts';

/** A document cannot be parsed. The message is shown to its owner. */
export class ExtractionError extends Error {
  override readonly name = 'ExtractionError';
  readonly code: ExtractionFailureCode;

  constructor(code: ExtractionFailureCode, reason: string) {
    super(reason);
    this.code = code;
  }
}

export function failure(code: ExtractionFailureCode, reason: string): ExtractionFailure {
  return { ok: false, code, reason };
}

/** Returns a number with digit groups, such as `10,000,000`. */
export function formatNumber(count: number): string {
  return count.toLocaleString('en-US');
}

/** Returns a number of bytes in MiB, such as `25 MiB`. */
export function formatBytes(bytes: number): string {
  return `${formatNumber(Math.round(bytes / 1024 / 1024))} MiB`;
}
