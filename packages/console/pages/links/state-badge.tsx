import type { Link } from '@gatehouse/client';
import { t } from '../../translations/translate.ts';

const LOOK = { active: 'good', expired: 'quiet', revoked: 'bad' } as const;
const names = () =>
  ({ active: t('active'), expired: t('expired'), revoked: t('revoked') }) as const;

/** The state of a link. Links that show every document are marked. */
export function StateBadge({ link }: { readonly link: Pick<Link, 'state' | 'unrestricted'> }) {
  return (
    <>
      <span class={`badge ${LOOK[link.state]}`}>{names()[link.state]}</span>
      {link.unrestricted && link.state === 'active' && (
        <span class="badge warn">{t('unrestricted')}</span>
      )}
    </>
  );
}
