import type { User } from '@gatehouse/client';
import { t } from '../../translations/translate.ts';

/** The state of a user. Administrators are marked. */
export function UserBadges({ user }: { readonly user: Pick<User, 'admin' | 'disabled'> }) {
  return (
    <>
      {user.disabled ? (
        <span class="badge bad">{t('deactivated')}</span>
      ) : (
        <span class="badge good">{t('can sign in')}</span>
      )}
      {user.admin && <span class="badge">{t('administrator')}</span>}
    </>
  );
}
