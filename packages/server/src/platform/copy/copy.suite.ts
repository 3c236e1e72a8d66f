import { openCopyEnd } from '../../storage/copy/index.ts';
import type { CopyEnd } from '../../storage/ports/copy.ts';
import { type CopyStep, copy } from './copy.service.ts';

/** An end of a copy, made where it is to be. */
export function openEnd(place: string, make = false): Promise<CopyEnd> {
  return openCopyEnd(place, { make, onWarning: () => {} });
}

/** Copies from one place to another, each a directory or a URL. */
export async function copyFrom(
  from: string,
  to: string,
  onProgress: (step: CopyStep) => void = () => {},
) {
  await using source = await openEnd(from);
  await using target = await openEnd(to, true);
  return await copy({ from: source, to: target, onProgress });
}
