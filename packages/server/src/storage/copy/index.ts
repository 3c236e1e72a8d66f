import { resolve } from 'node:path';
import type { CopyEnd } from '../ports/copy.ts';
import { openSqliteEnd } from '../sqlite/copy/index.ts';

export interface CopyEndOptions {
  /** Creates the store or migrates its schema. */
  readonly make: boolean;
  readonly onWarning: (text: string) => void;
}

export async function openCopyEnd(location: string, options: CopyEndOptions): Promise<CopyEnd> {
  if (!isPostgres(location)) return openSqliteEnd(resolve(location), options);
  const { openPostgresEnd } = await import('../postgres/copy/index.ts');
  return openPostgresEnd(location, options);
}

export function isPostgres(location: string): boolean {
  return /^postgres(ql)?:\/\//i.test(location);
}

/** Reports whether the location is a URL, but not a URL of PostgreSQL. It may contain a password. */
export function isOtherUrl(location: string): boolean {
  return location.includes('://') && !isPostgres(location);
}
