import type { Store } from '../../storage/ports/store.ts';

/** Stores an active link. */
export async function addLink(
  { db }: Pick<Store, 'db'>,
  link: { readonly id: string; readonly spaceId: string; readonly sub?: string },
): Promise<void> {
  await db
    .insertInto('links')
    .values({
      id: link.id,
      space_id: link.spaceId,
      token_hash: link.id,
      token_prefix: 'prefix',
      sub: link.sub ?? null,
      payload: '{}',
      exp: 1e300,
      created_at: 1,
    })
    .execute();
}
