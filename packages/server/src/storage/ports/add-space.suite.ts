import type { Store } from './store.ts';

export async function addSpace({ db }: Pick<Store, 'db'>, id: string): Promise<void> {
  await db.insertInto('spaces').values({ id, name: id, created_at: 1 }).execute();
}
