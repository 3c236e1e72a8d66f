import type { Database } from '../../storage/ports/index.ts';

/** Reports whether a user signs in at an OpenID provider. Such a user has no password. */
export async function isLinked(db: Database, userId: string): Promise<boolean> {
  const account = db
    .selectFrom('accounts')
    .select('id')
    .where('user_id', '=', userId)
    .where('provider_id', '!=', 'credential');
  return (await account.limit(1).executeTakeFirst()) !== undefined;
}
