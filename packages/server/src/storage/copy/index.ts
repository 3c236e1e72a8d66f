import { resolve } from 'node:path';
import type { CopyEnd } from '../ports/copy.ts';
import { openSqliteEnd } from '../sqlite/copy/index.ts';

export interface CopyEndOptions {
  /** Makes it, or brings its schema up to date. */
  readonly make: boolean;
  readonly onWarning: (text: string) => void;
}

/** @param place a `postgres://` URL, or a data directory. */
export async function openCopyEnd(place: string, options: CopyEndOptions): Promise<CopyEnd> {
  if (!isPostgres(place)) return openSqliteEnd(resolve(place), options);
  const { openPostgresEnd } = await import('../postgres/copy/index.ts');
  return openPostgresEnd(place, options);
}

export function isPostgres(place: string): boolean {
  return /^postgres(ql)?:\/\//i.test(place);
}
