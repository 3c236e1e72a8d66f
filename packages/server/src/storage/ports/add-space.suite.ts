import type { Store } from './store.ts';

/** A space for a test, which needs nothing but to be there. */
export async function addSpace({ db }: Pick<Store, 'db'>, id: string): Promise<void> {
  await db.insertInto('spaces').values({ id, name: id, created_at: 1 }).execute();
}
