import { openCopyEnd } from '../../storage/copy/index.ts';
import type { CopyEnd } from '../../storage/ports/copy.ts';
import { type CopyStep, copy } from './copy.service.ts';

/** Opens the source or target of a copy. If `make` is true, creates a missing target. */
export function openEnd(place: string, make = false): Promise<CopyEnd> {
  return openCopyEnd(place, { make, onWarning: () => {} });
}

/** Copies between two stores. A store is named by its directory or its PostgreSQL URL. */
export async function copyFrom(
  from: string,
  to: string,
  onProgress: (step: CopyStep) => void = () => {},
) {
  await using source = await openEnd(from);
  await using target = await openEnd(to, true);
  return await copy({ from: source, to: target, onProgress });
}
