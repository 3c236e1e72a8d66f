import type { Store } from '../ports/store.ts';
import { openPostgres, type PostgresOptions } from './index.ts';

export function openStore(url: string, options: Partial<PostgresOptions> = {}): Promise<Store> {
  return openPostgres({
    url,
    connections: 10,
    queueBytes: 64 * 1024 * 1024,
    onError: (error) => {
      throw error;
    },
    onWarning: () => {},
    ...options,
  });
}
